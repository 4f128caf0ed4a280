"""How a memory in an answer was received, in words."""

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

SIGNAL_LABELS = {
    "corrected": _("corrected"),
    "negative": _("negative"),
    "positive": _("positive"),
    "neutral": _("neutral"),
}
SIGNAL_REASON_LABELS = {
    "confirm": _("the next message confirmed the reply"),
    "follow_up": _("the next message asked a follow-up question"),
    "restate": _("the next message repeated the question"),
    "confirm_said_again": _("the next message said it again"),
    "correct": _("the next message corrected the reply"),
    "correct_named": _("the next message said that this memory is wrong"),
    "topic_change": _("the next message changed the topic"),
    "unclear": _("the next message is unclear"),
    "verdict": _("reported by the product"),
}


def label_signal(signal: str) -> Any:
    """Return how an answer was received, in a word."""
    return SIGNAL_LABELS.get(signal, signal)


def render_signal(signal: str, reason: str) -> str:
    """Return the feedback on a memory and its evidence; "" without feedback."""
    if not signal:
        return ""
    kind, _colon, words = reason.partition(": ")
    why = gettext(": ").join(filter(None, [str(SIGNAL_REASON_LABELS.get(kind, kind)), words]))
    told = str(label_signal(signal))
    return gettext("%(signal)s (%(why)s)") % {"signal": told, "why": why} if why else told
