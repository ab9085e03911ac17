"""The face of an engine for whoever runs the machine: everybody's plans, and nothing to press."""

from collections.abc import Callable

from semel.domain.edited import Audit
from semel.domain.report import PlanView
from semel.ports import EngineTx
from semel.runtime import history, look
from semel.runtime.audit import verify
from semel.runtime.core import Core
from semel.runtime.history import Detail
from semel.runtime.trace import Trace, trace


class OperatorFace:
    """What whoever runs the machine may look at: everybody's plans, and nothing to press."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def plans(self, limit: int = 50) -> list[PlanView]:
        """All plans, newest first."""

        def work(tx: EngineTx) -> list[PlanView]:
            rows = tx.all("plans.everywhere", limit=min(limit, history.LIST_MAX))
            found = [look.load(tx, str(row["org"]), str(row["plan"])) for row in rows]
            return [look.view(self._core, stored) for stored in found if stored is not None]

        return await self._core.read(work)

    async def show(self, plan: str) -> Detail | None:
        """A plan with every step, attempt and event; None when there is no such plan."""

        def work(tx: EngineTx) -> Detail | None:
            row = tx.one("plans.whose", plan=plan)
            return history.detail(self._core, tx, str(row["org"]), plan) if row else None

        return await self._core.read(work)

    async def trace(self, kind: str, id: str) -> Trace | None:
        """From a record back to its sentence, in whichever organization it is found first."""

        def work(tx: EngineTx) -> Trace | None:
            for row in tx.all("effects.orgs_of", kind=kind, id=id):
                found = trace(self._core, tx, str(row["org"]), kind, id, None)
                if found is not None:
                    return found
            return None

        return await self._core.read(work)

    async def audit(self, progress: Callable[[int], None] | None = None) -> Audit:
        """Hold every plan's rows against its events: which were edited, added or deleted.

        Args:
            progress: called now and then with how many plans have been read.
        """
        return await verify(self._core, progress=progress)
