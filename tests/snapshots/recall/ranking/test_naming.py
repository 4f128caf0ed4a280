"""Which names a question says. Row: R3."""

import pytest

from snapshots.embedding.index_row_packing import hash_term
from snapshots.recall.question import parse_names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is Ruth?", ["ruth"]),
        ("What country is Caroline's grandma from?", ["carolin"]),
        ("did Mel and O'Brien come", ["mel", "o'brien"]),
        ("Who came? Nobody said so", []),
        ("Shall I go on Friday or in March?", []),
        ("what I'm asked is what I'd like", []),
        ("WHO ON EARTH IS RUTH", []),
        ("我姐姐是谁？", []),
    ],
)
def test_names_are_words_with_a_capital_inside_a_sentence(question: str, names: list[str]) -> None:
    assert parse_names(question) >= {hash_term(name) for name in names if "'" not in name}
    assert bool(parse_names(question)) is bool(names)
