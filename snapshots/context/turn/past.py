"""Questions for what was so before: "Where did I live before?", 我以前住哪. What ended may stand beside what holds."""

import re

from snapshots.understanding.reading.forms import matching_form

# Characters of such a question.
LONGEST = 300
_EN = re.compile(
    r"\b(?:did|was|were|had)\b.*\b(?:before|previously|earlier|formerly|originally|prior|in the past|back then|old)\b"
    r"|\b(?:use|used) to\b|\b(?:previous|former)\b",
    re.IGNORECASE | re.DOTALL,
)
# Not for what the assistant said before (你之前推荐的), nor before doing something (出门之前要带什么).
_ZH = re.compile(
    r"(?<![你您])(?:以前|之前|从前|过去(?=[住在做是吃喝用上])|原来|原先|曾经|当初|先前|上一?[个家份任](?![月周星礼]))"
    r"(?!请?[你您]|.{0,4}(?:要|该|得|记得|需))"
)


def asks_about_past(query: str) -> bool:
    """Return whether a query asks for what was so before, and may be no more."""
    if len(query) > LONGEST:
        return False
    form = matching_form(query)
    return (_EN.search(form) or _ZH.search(form)) is not None
