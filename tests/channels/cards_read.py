"""A card's HTML as a program reads it: its tree, its texts and its forms."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"input", "br", "meta", "link", "use", "path", "circle", "rect"}
EMPTY = {"use", "path", "circle", "rect"}


@dataclass
class Read(HTMLParser):
    """What is wrong with some HTML, and what is in it."""

    faults: list[str] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    forms: list[dict[str, list[str]]] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []

    @classmethod
    def of(cls, html: str) -> "Read":
        read = cls()
        read.feed(html)
        read.close()
        if read.open:
            read.faults.append(f"never closed: {read.open}")
        return read

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if len(given) != len(attrs):
            self.faults.append(f"an attribute twice: {tag} {attrs}")
        self.tags.append((tag, given))
        if tag == "form":
            self.forms.append({})
            self.actions.append(given["action"])
        if tag in {"input", "button"} and self.forms and "form" in self.open and "name" in given:
            self.forms[-1].setdefault(given["name"], []).append(given.get("value", ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in EMPTY:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if text := " ".join(data.split()):
            self.texts.append(text)

    @property
    def shape(self) -> list[tuple[str, str, str]]:
        """The tags in their order, with what a style or a program goes by."""
        return [(tag, at.get("class", ""), at.get("data-step", "")) for tag, at in self.tags]

    def ids(self) -> list[str]:
        return [at["id"] for _, at in self.tags if "id" in at]
