"""Find which of many patterns may match a text, by substrings that each match must hold.

Hundreds of rows are tried on every clause and hardly any matches. "i live in ..." cannot match a text without "live":
such pieces are derived from the patterns once, and looked up in a text all together. Patterns that pass are still
tried.
"""

import re
from collections.abc import Hashable, Iterable
from re import _compiler, _parser  # type: ignore[attr-defined]  # what re.Scanner is made of, too
from re import _constants as ops  # type: ignore[attr-defined]
from typing import Any, Generic, TypeAlias, TypeVar

Row = TypeVar("Row", bound=Hashable)
# Lower-case pieces of which every match of a pattern holds one; None if a match need hold no piece.
Pieces: TypeAlias = frozenset[str] | None

# As a number: the compiler asks for it hundreds of thousands of times, and asking an enumeration takes longer.
_IGNORE_CASE = re.IGNORECASE.value
# Only the first characters of a piece are looked up; fewer of Chinese ones.
LONGEST, LONGEST_ZH = 4, 2
# A character set such as [吃喝] counts as pieces up to this size; a larger one is not selective.
MOST_CHARACTERS = 12
# Letters that match another one when case is ignored, and are not its other case.
_SAME = {0x130: "i", 0x131: "i", 0x17F: "s", 0x212A: "k"}
_ZERO_WIDTH = frozenset({ops.AT, ops.ASSERT, ops.ASSERT_NOT})
_REPEATS = frozenset({ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT})
_MOST_HEARD = "i my me is am are was the to in and of a it that have has for on with be do not i'm"
# Nearly every text holds these words: a piece made of them alone is the last choice.
_COMMON = frozenset(_MOST_HEARD.split())


class PatternFilter(Generic[Row]):
    """Rows by the required pieces of their patterns."""

    def __init__(self, rows: Iterable[tuple[Pieces, Row]]) -> None:
        self._always: list[Row] = []
        self._holding: dict[int, dict[str, list[Row]]] = {}
        for pieces, row in rows:
            if pieces is None:
                self._always.append(row)
            for piece in {one[: LONGEST if one.isascii() else LONGEST_ZH] for one in pieces or ()}:
                self._holding.setdefault(len(piece), {}).setdefault(piece, []).append(row)

    def list_possible_rows(self, text: str) -> set[Row]:
        """Return the rows whose pattern may match somewhere in ``text``; the others do not."""
        folded, found = text.translate(_SAME).lower(), set(self._always)
        for size, holding in self._holding.items():
            held = {folded[at : at + size] for at in range(len(folded) - size + 1)}
            for piece in held & holding.keys():
                found.update(holding[piece])
        return found


def compile_with_pieces(pattern: str) -> tuple[re.Pattern[str], Pieces]:
    """Return a pattern compiled to ignore case, which does not know its source, and its required pieces.

    Parsing takes most of compiling, and hundreds of patterns hold long lists of words: each is parsed once for both.
    Raises re.error.
    """
    parsed = _parser.parse(pattern, _IGNORE_CASE)
    return _compiler.compile(parsed, _IGNORE_CASE), _find_required_in_sequence(parsed)


def _find_required_in_sequence(parsed: Iterable[tuple[Any, Any]]) -> Pieces:
    found: list[frozenset[str]] = []
    run = ""
    for op, value in parsed:
        if op is ops.LITERAL and _has_simple_case(value):
            run += chr(value).lower()
        elif op not in _ZERO_WIDTH:
            found += [frozenset({run})] if run else []
            run, pieces = "", _find_required_in_element(op, value)
            found += [pieces] if pieces else []
    found += [frozenset({run})] if run else []
    return max(found, key=lambda pieces: (min(map(_measure_selectivity, pieces)), -len(pieces)), default=None)


def _find_required_in_element(op: Any, value: Any) -> Pieces:
    if op is ops.SUBPATTERN:
        return _find_required_in_sequence(value[3])
    if op is ops.ATOMIC_GROUP:
        return _find_required_in_sequence(value)
    if op in _REPEATS and value[0]:
        return _find_required_in_sequence(value[2])
    if op is ops.BRANCH:
        ways = [_find_required_in_sequence(way) for way in value[1]]
        return None if None in ways else frozenset[str]().union(*filter(None, ways))
    if (
        op is ops.IN
        and len(value) <= MOST_CHARACTERS
        and all(one is ops.LITERAL and _has_simple_case(c) for one, c in value)
    ):
        return frozenset(chr(c).lower() for _, c in value)
    return None


def _has_simple_case(code: int) -> bool:
    """Return whether a character matches only itself and its other case, and is as long in both."""
    return code < 0x80 or 0x2E80 <= code < 0xF900 or 0xFF00 <= code < 0xFF20  # noqa: PLR2004


def _measure_selectivity(piece: str) -> float:
    """Return how selective a piece is: its letters; a Chinese character counts as three."""
    if not piece.isascii():
        return 3.0 * sum(not one.isascii() for one in piece)
    letters = sum(map(str.isalnum, piece))
    return letters / 10 if all(word in _COMMON for word in piece.split()) else float(min(letters, LONGEST))
