"""The story: the product at work in scenes, each judged by a program that trusts nobody."""

from semel_facturas.story.director import story

__all__ = ["story"]
