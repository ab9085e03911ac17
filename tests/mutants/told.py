"""A pytest plugin for mutate.py: it writes down how each test ended, and lends it a server.

It stands for the controller of a session with workers, which starts no PostgreSQL server of its
own: the few mutants that need one share that of mutate.py, and the others need none.
"""

import json
import os
from pathlib import Path

import pytest

TOLD = "MUTANTS_TOLD"
"""The file in which mutate.py reads how each test ended."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    vars(config)["workerinput"] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    kinds = [kind.__name__ for kind in call.excinfo.type.__mro__] if call.excinfo else []
    line = {"test": item.nodeid, "when": call.when, "outcome": report.outcome, "kinds": kinds}
    with Path(os.environ[TOLD]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return report
