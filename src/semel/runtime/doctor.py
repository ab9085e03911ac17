"""Doctor: what a look at the database found, and whether outside steps may begin."""

from dataclasses import dataclass

from semel.domain.finding import Finding, Level
from semel.runtime.answers import answer
from semel.runtime.core import Core


@dataclass(frozen=True, slots=True)
class Health:
    """What was found."""

    findings: tuple[Finding, ...]
    closed: str | None
    """Why no outside step begins; None when one may."""

    @property
    def opens(self) -> bool:
        """Whether an engine opens on this database at all."""
        stopped = any(one.level is Level.STOP for one in self.findings)
        return not stopped or self.closed is None


async def doctor(core: Core) -> Health:
    """Look at everything; nothing is changed but what the database knows of its own place."""
    findings = await answer(core.store.submit_examination())
    if core.store.unsafe is not None:
        findings.append(
            Finding("override", Level.WARN, f"SEMEL_UNSAFE_DURABILITY=1: {core.store.unsafe}")
        )
    return Health(tuple(findings), core.store.closed)
