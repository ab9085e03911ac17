"""Hosts: an existing application lends its transaction, and semel's rows commit with its own."""

from semel.storage.hosts.lending import Lender
from semel.storage.hosts.store import HostStore

__all__ = ["HostStore", "Lender"]
