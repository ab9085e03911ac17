"""The class of a tool: the worst of what is known of it, and an effect where nothing is."""

from collections.abc import Iterable, Sequence

from semel.guard.scan.lexicon import COMMANDED, NOUN, Verb
from semel.guard.scan.tool import Deed, Finding, Kind, Tool
from semel.guard.scan.words import noun_of, said, split

GRAVE = {Kind.MONEY, Kind.MESSAGE, Kind.WEBHOOK}
"""What is told by its own words, and what no name of a read makes small."""

NOTHING_KNOWN = "nothing says what it does, so it counts as an effect"


def classify(tool: Tool) -> Finding:
    """What a second call of *tool* would do, and why that is thought."""
    words, source = said(tool), list(tool.deeds or ())
    reads = bool(words) and words[0].kind is Kind.READ
    deeds = source + _where(words, source, whole=tool.whole)
    deeds += [*_method(tool, words), *_hints(tool, deeds)]
    writes = [deed for deed in deeds if deed.kind is not Kind.READ]
    if reads and writes:
        kind = max((one.kind for one in writes), key=lambda kind: kind.damage)
        if kind not in GRAVE:
            kind = Kind.READ_WRITES
            writes.sort(key=lambda one: -one.kind.damage)
        else:
            writes = [one for one in writes if one.kind is kind]
        why = [f"{words[0].says}, which promises a read", *(one.says for one in writes)]
        # What it does comes first; that it looks like a read, after it.
        return _found(tool, kind, [*why[1:2], why[0], *why[2:]], source)
    if not deeds:
        if tool.whole:
            return Finding(tool, Kind.READ, ("its body only computes and reads",), seen=True)
        return Finding(tool, Kind.UNKNOWN, (NOTHING_KNOWN, *_claims(tool)))
    kind = max((deed.kind for deed in deeds), key=lambda kind: kind.damage)
    why = [deed.says for deed in deeds if deed.kind is kind]
    if kind.effect:
        why += _claims(tool)
    return _found(tool, kind, why, source)


def ranked(tools: Iterable[Tool]) -> list[Finding]:
    """Every tool's finding, the first to protect first; the order never depends on the input's.

    Between equals what was seen in source goes before what only words say, then the name decides.
    """
    found = [classify(tool) for tool in tools]
    return sorted(found, key=_order)


def _order(one: Finding) -> tuple[int, bool, str, str, str]:
    tool = one.tool
    return -one.kind.damage, not one.seen, tool.name, tool.place, tool.description


def _found(tool: Tool, kind: Kind, reasons: Sequence[str], source: Sequence[Deed]) -> Finding:
    seen = any(reason in {deed.says for deed in source} for reason in reasons)
    return Finding(tool, kind, tuple(dict.fromkeys(reasons)), seen=seen)


def _where(words: list[Deed], source: Sequence[Deed], *, whole: bool) -> list[Deed]:
    """The words, without those that the source knows better.

    ``create`` says that something comes to be, and not where, nor whether a second one does: an
    INSERT is a row of one's own, an upsert none at all. Who is paid or written to stays as it was
    said, since a row may be what makes somebody else send.
    """
    told = [deed for deed in source if deed.kind is not Kind.READ]
    if any(deed.kind.effect for deed in told) or (told and whole):
        return [
            deed for deed in words if deed.kind not in {Kind.RESOURCE, Kind.WRITE, Kind.UNKNOWN}
        ]
    return words


def _method(tool: Tool, words: Sequence[Deed]) -> list[Deed]:
    """What an HTTP method adds: it fills a silence, and may raise what words say, not lower it."""
    method, spoken = tool.method, [deed for deed in words if deed.kind is not Kind.UNKNOWN]
    says = f"it is {method}"
    if method in {"GET", "HEAD", "OPTIONS"}:
        return [] if spoken else [Deed(Kind.READ, says)]
    if method in {"PUT", "DELETE"}:
        return [Deed(Kind.HARMLESS, f"{says}, which may be repeated by contract")]
    if method in {"POST", "PATCH"}:
        kinds = {deed.kind for deed in spoken}
        if not kinds and method == "POST":
            return [Deed(_of_path(tool), f"{says} {tool.path}")]
        if kinds <= {Kind.READ} or (kinds <= {Kind.HARMLESS, Kind.READ} and method == "POST"):
            return [Deed(Kind.UNKNOWN, f"{says}, which may not be repeated by contract")]
        return [Deed(_of_path(tool), f"{says} {tool.path}")] if Kind.RESOURCE in kinds else []
    return []


def _of_path(tool: Tool) -> Kind:
    """What a POST to this path makes: its last word that means something decides."""
    for part in reversed(tool.path.split("/")):
        words = split(part) if "{" not in part else []
        kind = noun_of(words)
        if kind is not None and kind is not Kind.WRITE:
            return kind
        if any(COMMANDED.get(word) is Verb.PAY for word in words):
            return Kind.MONEY
        if words and not any(word in NOUN or word in COMMANDED for word in words):
            return Kind.RESOURCE
    return Kind.RESOURCE


def _hints(tool: Tool, deeds: Sequence[Deed]) -> list[Deed]:
    """What a server's own word raises."""
    kinds = {deed.kind for deed in deeds}
    if kinds == {Kind.READ} and tool.read_only is False:
        return [Deed(Kind.UNKNOWN, "its server says that it does not only read")]
    if kinds == {Kind.HARMLESS} and tool.idempotent is False:
        return [Deed(Kind.UNKNOWN, "its server says that a repeat is not harmless")]
    return []


def _claims(tool: Tool) -> list[str]:
    """What a server says that is not enough to call an effect harmless."""
    claims = {"only reads": tool.read_only, "may be repeated": tool.idempotent}
    return [
        f"its server says that it {claim}, which is a hint and no proof"
        for claim, given in claims.items()
        if given
    ]
