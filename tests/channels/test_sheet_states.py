"""Each state of a card, from what really happened, in both languages."""

import pytest
from sheet_flows import FLOWS, office

from semel.channels.cards import sheet
from semel.words.voice import Voice

LANGUAGES = ("es", "en")


@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_comes_to_its_state(name, tmp_path):
    state, flow = FLOWS[name]
    with office(tmp_path) as desk:
        outcome = flow(desk)
        for language in LANGUAGES:
            shown = sheet(outcome, Voice.of(language, "Europe/Madrid"))
            assert shown.state == state, shown.title
