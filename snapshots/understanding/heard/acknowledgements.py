"""Whether the assistant's words say that it keeps nothing of what it was told: "Of course, I'll drop it", 好，不留。

An assistant hears requests in words that no reader here was taught; its answer is evidence beside them. Pure.
"""

import re

from snapshots.understanding.reading.forms import matching_form

# A line holds one way to say it; the test of this module has an example for each.
_WAYS_EN = (
    r"(?:won't|will not|\bnot|never|nothing|none of (?:it|that|this))(?: \w+){0,3}? (?:keep|kept|keeping|"
    r"stor(?:e|ed|ing)|sav(?:e|ed|ing)|retain(?:ed|ing)?|hold(?:ing)? on|hang(?:ing)? on|record(?:ed|ing)?|"
    r"log(?:ged|ging)?)\b",
    r"(?:i(?:'ll| will| have|'ve)|let me|consider (?:it|that)|(?:it|that)(?:'s| is| has been))"
    r"(?: (?:now|already|just|all|gladly|been))*"
    r" (?:(?:forget|delete|erase|wipe|drop|discard|strike|purge) (?:it|that|this|those|them|the|your|all)\b|"
    r"(?:forgotten|deleted|erased|wiped|dropped|discarded|struck|purged|gone)\b)",
    r"(?:^|[.!,;] ?)(?:forgotten|deleted|erased|wiped|dropped|discarded|scrubbed|struck(?: out)?|purged|gone)"
    r"(?=[.!,;]|$)",
)
_WAYS_ZH = (
    r"(?<![存记留])(?:不|没|没有)(?:会|再|做)?(?:被)?(?:存|记|留|保存|保留|留存|记录)(?!得)",
    r"(?:^|[,。!;]|已经?|都|就|这就|我)(?:忘了|忘掉|删了|删掉|删除了?|抹掉|抹去|清了|清掉|清除)了?(?=[,。!;啦哈]|$)",
    r"当(?:您|你)?没(?:说|讲|提)",
)
_ACKNOWLEDGES = re.compile("|".join((*_WAYS_EN, *_WAYS_ZH)), re.IGNORECASE)


def acknowledges_forgetting(text: str) -> bool:
    """Return whether an assistant's message says that what was told is not kept."""
    return _ACKNOWLEDGES.search(matching_form(text)) is not None
