"""What is shown of a doubt: its sends, whether they have settled, and whose senders are gone."""

from collections.abc import Mapping, Sequence

from semel.domain.doubt import Attempt, open_ones, settled, settles_at
from semel.domain.report import DoubtView
from semel.ports import EngineTx
from semel.runtime.core import Core


def hosts_gone(tx: EngineTx) -> Mapping[str, str]:
    """The hosts that are gone for good by somebody's word, and up to when."""
    return {str(row["host"]): str(row["at"]) for row in tx.all("gone.latest")}


def doubted(
    core: Core, sends: Sequence[Attempt], now: str, gone: Mapping[str, str]
) -> DoubtView | None:
    """A doubt as words need it; None where nothing was sent."""
    if not sends:
        return None
    known = [send for send in sends if not send.past]
    past = [send.opened_at for send in open_ones(sends) if send.past]
    last = (known or sends)[-1]
    return DoubtView(
        since=last.opened_at,
        reference=last.key,
        settled=settled(sends, now, core.host.is_dead, gone),
        settles_at=settles_at(sends),
        sends=len(known),
        lost=past[-1] if past else None,
    )
