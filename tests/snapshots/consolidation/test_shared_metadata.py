"""A joined memory keeps the metadata that all its members share. Rows: E3."""

from snapshots.consolidation.consolidation_store import find_shared_metadata


def test_what_all_members_have_stays_and_nothing_else() -> None:
    agent, other = {"agent": "a", "n": 1, "x": None}, {"agent": "a", "n": 2}
    assert find_shared_metadata([agent, other]) == {"agent": "a"}
    assert find_shared_metadata([agent]) == agent
    assert find_shared_metadata([{}, agent]) == {}
