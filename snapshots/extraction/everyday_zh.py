"""What in everyday Chinese only looks like a change: tales about others, pieces of words, advice.

People tell stories, judge books and hotels, and give advice; there the words that put something right teach nothing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from snapshots.extraction.marks import KIN_ZH
from snapshots.extraction.observe import matching_form
from snapshots.extraction.values import Candidate, PreferenceCandidate, ProfileFact, TagCandidate
from snapshots.extraction.words_zh import Word, begins_inside, cuts_a_turn, is_telling, words_at, words_of

_ME = re.compile(r"我|咱|俺|本人")
_TO_ME = re.compile(r"(?:让|给|对|跟|和|吸引|使|帮|令|为|向|把|被|叫|替|问|告诉|通知)我|我们?(?:酒店|宾馆|公司|店)")
"""The speaker as somebody's object, and a firm that speaks of itself."""
_ADDRESSED = re.compile(r"我|俺|咱|你|您|改|换|以后|记|不对|(?<!不)错(?!过)|说[的过错]|才对|本人|现在在")
"""Who says so speaks of himself or to the assistant, or puts something right."""
_CLAUSAL_WORDS = """
是 有 没有 没 让 把 被 使 觉得 感觉 可以 能 会 应该 就是 不是 还是 也是 才 就 都 也 却 已经 已 正在 能够 可 需要
必须 说 喜欢 跟 与 因为 所以 但 而且 很 太 非常 挺 比较 十分
"""
_CLAUSAL = frozenset(_CLAUSAL_WORDS.split())
"""Words that stand in clauses: a name holds none."""
_JOINING = ("p", "c", "ul", "uz", "ug", "ud", "uv", "y", "e", "o")
_PARTS = 2


@dataclass(frozen=True)
class _Told:
    """A candidate beside its words, in matching form: ``quote`` is the clause, ``message`` all that was written."""

    candidate: Candidate
    quote: str
    message: str
    values: tuple[str, ...]
    replaces: str

    @property
    def sides(self) -> tuple[str, ...]:
        """What is right and what is wrong."""
        return (*self.values, self.replaces)

    @cached_property
    def of_me(self) -> bool:
        """Does the speaker act in this clause?"""
        return _ME.search(_TO_ME.sub("", self.quote)) is not None

    @cached_property
    def names_me(self) -> bool:
        return _ME.search(self.quote) is not None

    @cached_property
    def telling(self) -> bool:
        return is_telling(self.message)

    @property
    def is_change(self) -> bool:
        found = self.candidate
        return found.sort == "change" if isinstance(found, PreferenceCandidate) else not isinstance(found, TagCandidate)


def is_the_speakers(candidate: Candidate, message: str) -> bool:
    """Return whether ``candidate``, which Chinese rules for changes found in ``message``, is the speaker's, lasts and
    is named."""
    told = _told_in(candidate, matching_form(message))
    if told.telling and any(begins_inside(told.quote, side) for side in told.sides):
        return False
    if _is_of_another(told):
        return False
    if not told.is_change:  # what is not to be eaten from now on, beside the change
        return told.of_me or not told.telling
    return not (_changes_nothing(told) or _names_no_object(told))


def _told_in(candidate: Candidate, message: str) -> _Told:
    match candidate:
        case TagCandidate():
            values = [*filter(None, (candidate.address, candidate.phone)), *candidate.aliases]
        case ProfileFact():
            values = [candidate.value]
        case PreferenceCandidate():
            values = list(candidate.value) if isinstance(candidate.value, tuple) else [str(candidate.value)]
    replaces = "" if isinstance(candidate, TagCandidate) else candidate.replaces or ""
    quote = matching_form(candidate.evidence.quote)
    return _Told(candidate, quote, message, tuple(map(matching_form, values)), matching_form(replaces))


def _is_of_another(told: _Told) -> bool:
    """Lisa转到新兴趣小组: a name that acts is not the speaker."""
    words = words_of(told.quote)
    acts = len(words) > 1 and words[1].kind.startswith(("p", "d", "c", "v"))
    foreign = re.match(r"[A-Z][a-z]+", told.quote) is not None and acts
    return foreign and not told.names_me and not re.search(r"帮|请|给|以后", told.quote)


def _changes_nothing(told: _Told) -> bool:
    """Neither side may be a piece of a clause, and in a story nobody is put right.

    Who speaks of himself, to the assistant or of what is wrong in a short turn is left to the readers of corrections.
    """
    sides = [side for side in told.sides if side and side in told.quote]
    advice = re.search(r"建议|希望|最好能", told.quote) and not told.of_me
    if advice or any(cuts_a_turn(told.quote, side) for side in sides):
        return True
    if not told.telling:
        made = re.search(r"[切分做拆当变]成|没有[^,]*,没有", told.quote) or _in_pieces(told, sides)
        return bool(made) and not _ADDRESSED.search(told.message)
    asked = re.search(r"你|记", told.quote) and told.names_me
    later = "以后" in told.quote and not re.search(r"[住来]", told.quote)
    return _in_pieces(told, sides) or not (asked or later)


def _in_pieces(told: _Told, sides: Iterable[str]) -> bool:
    spoken = told.of_me or not told.telling
    return any(_is_no_side(words_at(told.quote, side), side, spoken=spoken) for side in sides)


def _is_no_side(words: Sequence[Word], side: str, *, spoken: bool) -> bool:
    """Return whether ``side`` of a change is a piece of a clause: 所以活动, 十分的艳丽.

    ``spoken``: in a short turn, or of the speaker; then only its ends are looked at.
    """
    head, tail = words[0], words[-1]
    if head.kind == "c":
        return True
    if spoken:
        return False
    if head.kind in _JOINING or head.text in _CLAUSAL or tail.kind in {"c", "p"}:
        return True
    if re.search(r"\d|点|[一二三四五六七八九十]", side):
        return False
    described = len(words) > _PARTS and any(word.kind == "uj" for word in words)
    return described or any(word.kind in {"d", "c", "zg"} for word in words)


def _names_no_object(told: _Told) -> bool:
    """那个男生是我朋友; 现在是城市: nothing that could be held otherwise is named."""
    if re.fullmatch(rf"[这那].{{0,6}}是我们?的?{KIN_ZH}(?:和{KIN_ZH})?[了啊呀吧]*", told.quote):
        return True
    candidate = told.candidate
    if not isinstance(candidate, PreferenceCandidate) or candidate.category or candidate.replaces:
        return False
    return not _ADDRESSED.search(told.quote if told.telling else told.message)
