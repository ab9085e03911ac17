"""The reference application: an invoicing assistant on semel's public names.

It is a demonstration and no certified invoicing system.
"""

from semel_facturas.application import ask, locale, may, open, seed
from semel_facturas.serving import serve
from semel_facturas.story import story

__all__ = ["ask", "locale", "may", "open", "seed", "serve", "story"]
