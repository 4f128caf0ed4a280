"""Whom a clause speaks of: the label and the relation that its words offer. Rows: P10."""

import pytest

from snapshots.understanding.reading.people import Person, find_person


@pytest.mark.parametrize(
    ("text", "language", "person"),
    [
        ("my son Theo is allergic to cashews", "en", Person("Theo", "son")),
        ("my husband hates sushi", "en", Person("husband", "husband")),
        ("Our oldest daughter swims on Saturdays", "en", Person("daughter", "daughter")),
        ("Darnell's on nights at the plant", "en", Person("Darnell")),
        ("my dog Biscuit can't have chicken", "en", Person("Biscuit", "dog", is_thing=True)),
        ("I hate Mondays", "en", None),
        ("我女儿对花粉过敏", "zh", Person("女儿", "女儿")),
        ("我老公叫小陈,在医院上班", "zh", Person("小陈", "老公")),
        ("我们家猫不吃鱼", "zh", Person("猫", "猫", is_thing=True)),
        ("我不吃香菜", "zh", None),
    ],
)
def test_the_first_person_that_is_named(text: str, language: str, person: Person | None) -> None:
    assert find_person(text, language) == person
