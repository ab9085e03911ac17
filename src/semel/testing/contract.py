"""The contract of a store, as tests: whoever writes a store subclasses and runs them.

    class TestMyStore(StoreContract):
        def open_store(self, tmp_path, clock):
            return MyStore(tmp_path / "books", clock=clock, app=THINGS)

The store that is opened has, beside semel's own statements, three of an application:

- ``things.put``: add a row *id*, *value* (text, or NULL); ``Conflict`` when the id is taken;
- ``things.get``: the row *id* and *value* with this *id*, or none;
- ``things.count``: one row *n*, how many there are.

A store that several handles can open on the same data overrides ``second`` too; those tests that
ask what another process sees use it. The tests need a ``tmp_path`` and nothing else of pytest.
"""

from semel.testing._contract.apart import Apart
from semel.testing._contract.base import StillClock
from semel.testing._contract.calls import Calls
from semel.testing._contract.endings import Endings
from semel.testing._contract.figures import Figures
from semel.testing._contract.later import Waiting
from semel.testing._contract.offers import Doubts, Offers
from semel.testing._contract.others import Keys, Questions, Records
from semel.testing._contract.owners import Owners
from semel.testing._contract.parts import Readers, Savepoints
from semel.testing._contract.plans import Plans
from semel.testing._contract.refused import Refused
from semel.testing._contract.rows import PARAMS
from semel.testing._contract.steps import Attempts, Steps
from semel.testing._contract.transactions import Transactions
from semel.testing._contract.world import everything

__all__ = ["PARAMS", "StillClock", "StoreContract", "everything"]


class StoreContract(
    Transactions,
    Endings,
    Savepoints,
    Readers,
    Refused,
    Plans,
    Figures,
    Owners,
    Doubts,
    Offers,
    Waiting,
    Apart,
    Steps,
    Attempts,
    Questions,
    Keys,
    Records,
    Calls,
):
    """What every store promises; see the module for how to run it."""
