"""Text from outside for a page of the application's own: what it holds is seen, and does nothing.

What hides or reorders letters is shown as its code point, as on the cards, so that a name reads the
same wherever it stands; marks are left as they are, since a template escapes them.
"""

from semel.words.neutral import visible

__all__ = ["visible"]
