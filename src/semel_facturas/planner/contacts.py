"""Which contact a name means."""

from semel_facturas.grammar import Language, Token, fold, said

from .answers import Lookup, NotUnderstood


def called(words: list[Token], language: Language, lookup: Lookup) -> list[tuple[str, str]]:
    """The contacts that *words* may mean, also with an article before the name."""
    bare = words[words[0].fold in language.articles :]
    return lookup.contacts(said(words)) or lookup.contacts(said(bare))


def one_contact(
    words: list[Token], language: Language, lookup: Lookup
) -> tuple[str, str] | NotUnderstood:
    """The one contact of that name; a full name wins over the longer names that begin with it."""
    name, bare = said(words), said(words[words[0].fold in language.articles :])
    found = called(words, language, lookup)
    exact = [contact for contact in found if fold(contact[1]) in {fold(name), fold(bare)}]
    if len(exact) == 1 or len(found) == 1:
        return (exact or found)[0]
    if not found:
        return NotUnderstood("unknown_contact", name)
    return NotUnderstood("ambiguous_contact", name, tuple(full for _, full in found))
