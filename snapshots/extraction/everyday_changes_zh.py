"""What is no change of what the speaker said before, though Chinese rules for changes match it."""

import re
from collections.abc import Iterable

from snapshots.extraction import names_zh
from snapshots.extraction.marks import KIN_ZH
from snapshots.extraction.told_zh import ADDRESSED, Told
from snapshots.extraction.values import PreferenceCandidate
from snapshots.extraction.words_zh import cuts_a_turn, words_at


def changes_nothing(told: Told) -> bool:
    """Neither side may be a piece of a clause, and in a story nobody is put right.

    Who speaks of himself, to the assistant or of what is wrong in a short turn is left to the readers of corrections.
    """
    sides = [side for side in (*told.values, told.replaces) if side and side in told.quote]
    advice = re.search(r"建议|希望|最好能", told.quote) and not told.of_me
    if advice or any(cuts_a_turn(told.quote, side) for side in sides):
        return True
    if not told.telling:
        made = re.search(r"[切分做拆当变]成|没有[^,]*,没有", told.quote) or _in_pieces(told, sides)
        return bool(made) and not ADDRESSED.search(told.message)
    asked = re.search(r"你|记", told.quote) and told.names_me
    later = "以后" in told.quote and not re.search(r"[住来]", told.quote)
    return _in_pieces(told, sides) or not (asked or later)


def _in_pieces(told: Told, sides: Iterable[str]) -> bool:
    spoken = told.of_me or not told.telling
    return any(names_zh.is_no_side(words_at(told.quote, side), side, spoken=spoken) for side in sides)


def changes_no_object(told: Told) -> bool:
    """那个男生是我朋友; 现在是城市: nothing that could be held otherwise is named."""
    if re.fullmatch(rf"[这那].{{0,6}}是我们?的?{KIN_ZH}(?:和{KIN_ZH})?[了啊呀吧]*", told.quote):
        return True
    candidate = told.candidate
    if not isinstance(candidate, PreferenceCandidate) or candidate.category or candidate.replaces:
        return False
    return not ADDRESSED.search(told.quote if told.telling else told.message)
