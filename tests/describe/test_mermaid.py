"""The diagrams follow Mermaid's grammar, and draw what the design says."""

import re

import pytest

from apps.campaigns.design import Campaigns
from apps.surveys.design import Surveys
from singletable import Store
from singletable.describe.description import description
from singletable.describe.mermaid import entity_diagram, mermaid, pattern_diagram
from tests.describe.designs import Shop
from tests.describe.golden import APPS

ENTITY_LINES = re.compile(
    r"    \w+ \{|    \}|        [a-z]+ \w+( PK| FK)?|    \w+ \|\|--o\{ \w+ : \"[^\"]+\""
)
FLOW_LINES = re.compile(
    r'    i\d+(\[\("[^"]*"\)\]|\[\["[^"]*"\]\])|    i\d+ -- \w+ --> p\d+\("[^"]*"\)'
)


@pytest.mark.parametrize("store", [*APPS.values(), Shop])
def test_every_line_is_one_that_mermaid_knows(store: type[Store]) -> None:
    first, *entities = entity_diagram(description(store)).splitlines()
    assert first == "erDiagram"
    assert [line for line in entities if not ENTITY_LINES.fullmatch(line)] == []
    first, *flow = pattern_diagram(description(store)).splitlines()
    assert first == "flowchart LR"
    assert [line for line in flow if not FLOW_LINES.fullmatch(line)] == []


def test_fields_of_keys_are_marked() -> None:
    text = entity_diagram(description(Campaigns))
    assert "string session_id PK" in text
    assert "string share_token FK" in text
    assert "string description\n" in text


def test_what_relates_two_entities_is_one_line() -> None:
    text = entity_diagram(description(Campaigns))
    assert '    Campaign ||--o{ Session : "key, session_count counts"' in text


def test_each_pattern_hangs_on_the_index_that_serves_it() -> None:
    text = pattern_diagram(description(Campaigns))
    assert 'i0[("rpg_sessions<br/>PK, SK")]' in text
    assert 'i1 -- Query --> p3("sessions<br/>Session")' in text


def test_a_pattern_of_many_entities_says_how_many() -> None:
    assert '("everything<br/>14 entities")' in pattern_diagram(description(Surveys))


def test_both_diagrams_are_written_one_after_the_other() -> None:
    described = description(Campaigns)
    assert mermaid(described).startswith(entity_diagram(described))
    assert mermaid(described).endswith(pattern_diagram(described))
