"""Every action of the reference application passes the check of its own library."""

from facturas_tries import TRIES, world

import counts
from semel.testing import SmtpOutside, check_action
from semel_facturas.actions import actions
from semel_facturas.post import ServerPost


def test_every_bundled_action_is_clean():
    with SmtpOutside() as far:
        names = [action.name for action in actions(ServerPost(far.url))]
        assert sorted(TRIES) == sorted(names)
        wrong = {name: check_action(*world(name, far, far.url)) for name in names}
    assert wrong == {name: [] for name in names}
    counts.ran("R24.bundled", len(wrong))
    assert len(wrong) >= counts.of("R24.bundled")
