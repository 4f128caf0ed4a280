"""What a tenant may set: every default lies within its bounds, and every field has a provenance. Rows: T4."""

from typing import Any

import pytest

from memory_platform.kernel.errors import InvalidInput
from snapshots.policies.policy_sections import SECTIONS
from tenants.policies.policy_documents import check_document, check_together, effective_values

FIELDS = [(name, field) for name, section in SECTIONS.items() for field in section.kinds]


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_default_may_be_said_and_changes_nothing(name: str, field: str) -> None:
    section = SECTIONS[name]
    said = section.to_json(section.default)[field]
    assert section.to_json(section.apply_values({field: said})) == section.to_json(section.default)
    assert check_document({name: {field: said}}, SECTIONS) == {name: {field: said}}
    assert section.provenance(field).kind in {"measured", "assumed", "promised"}


def test_the_defaults_go_together() -> None:
    assert check_together({}, SECTIONS) == {}
    assert effective_values({}, SECTIONS).keys() == {
        "retention",
        "purge",
        "context",
        "recall",
        "scoring",
        "ranking",
        "notes",
        "fields",
    }


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"context": {"state_from": 0.4}}, "context.tentative_from"),
        ({"scoring": dict.fromkeys(("keyword_own", "keyword_window", "keyword_sitting"), 0)}, "scoring.keyword_own"),
        ({"ranking": {"episode_shares": [0, 0, 0]}}, "ranking.episode_shares"),
        ({"ranking": {"frequency_liked": 0.2}}, "ranking.frequency_disliked"),
    ],
)
def test_what_does_not_go_together_is_refused(document: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_together(check_document(document, SECTIONS), SECTIONS)
    assert [fault.field for fault in refused.value.faults] == [field]
