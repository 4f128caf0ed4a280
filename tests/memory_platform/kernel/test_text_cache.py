"""What is computed of a text once, and kept without the text. Rows: X1, E8."""

import weakref

from memory_platform.kernel.caches import TextCache


def test_a_text_is_looked_at_once_while_it_is_among_the_last() -> None:
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    known = TextCache(length, most=2)
    assert [known(text) for text in ("tea", "tea", "茶", "\ud800", "茶", "tea")] == [3, 3, 1, 1, 1, 3]
    assert asked == ["tea", "茶", "\ud800", "tea"]


def test_nothing_computed_is_computed_once_too() -> None:
    asked: list[str] = []
    known = TextCache(asked.append, most=2)
    assert (known("x"), known("x"), asked) == (None, None, ["x"])


def test_no_text_is_kept() -> None:
    class TrackedText(str):  # a plain str has no weak references
        pass

    known, text = TextCache(len, most=10), TrackedText("a secret")
    kept = weakref.ref(text)
    known(text)
    del text
    assert kept() is None
    assert "secret" not in repr(vars(known))
