"""Other names of memories as marks of an index. Rows: X11, R2."""

import pytest

from snapshots.embedding.name_marks import list_possible_name_marks, make_alias_marks


def names(question: str, *aliases: str) -> bool:
    return not list_possible_name_marks(question).isdisjoint(make_alias_marks(aliases))


@pytest.mark.parametrize(
    ("question", "alias"),
    [
        ("what's my k8s deploy story?", "K8s"),
        ("GHA secrets config", "gha"),
        ("does the point of view change?", "point_of_view"),
        ("REDIS eviction", "Redis"),
        ("Reedis eviction", "Redis"),
        ("eror handling patterns", "error handling"),
        ("typsecript config", "TypeScript"),
        ("two session token kinds", "session tokens"),
        ("我们公司在哪里?", "公司"),
        ("what about 张三's number", "张三"),
    ],
)
def test_a_question_names_a_memory_by_an_alias(question: str, alias: str) -> None:
    assert names(question, alias)


@pytest.mark.parametrize(
    ("question", "alias"),
    [
        ("mango pooling", "Mongo"),  # a slip in its first letters is another word
        ("k9s pods", "k8s"),  # a short name has no slips
        ("a classic car", "class"),
        ("point of interest", "point of view"),
        ("我们公园在哪里?", "公司"),
        ("", "Redis"),
        ("anything", ""),
    ],
)
def test_another_word_names_nothing(question: str, alias: str) -> None:
    assert not names(question, alias)


def test_marks_are_bounded_for_any_text() -> None:
    assert len(list_possible_name_marks("字" * 100_000)) < 20
    assert len(list_possible_name_marks(" ".join(map(str, range(10_000))))) < 20_000
