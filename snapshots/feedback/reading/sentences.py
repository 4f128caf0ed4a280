"""The vectors of a turn's sentences, from the encoder that this process holds anyway; made outside any transaction."""

from collections.abc import Iterable, Mapping

from django.conf import settings

from memory_platform.kernel.linear_model import Float32
from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from memory_platform.providers.registry import embedders
from snapshots.feedback.policy import SIGNALS
from snapshots.feedback.values import Turn

ENCODER = "use-multilingual-v3"
"""The space in which the reader of senses was taught. Its model knows English, too, though English memories are not
embedded with it."""

Sentences = Mapping[str, Float32]
"""Vectors by the text that was embedded."""
NO_SENTENCES: Sentences = {}


def parts_of(turn: Turn) -> tuple[str, str, str]:
    """Return question, reply and next turn as far as they are embedded."""
    query, reply, said = (text or "" for text in (turn.query, turn.reply, turn.next))
    return query[: SIGNALS.sentence_chars], reply[: SIGNALS.sentence_chars], said[: SIGNALS.sentence_chars]


def sentences_of(turns: Iterable[Turn]) -> Sentences:
    """Return the vectors of all that ``turns`` say; nothing where the encoder is not configured or not there.

    Raises ModelCallInTransaction inside a transaction.
    """
    wanted = sorted({part for turn in turns if turn.next for part in parts_of(turn) if part.strip()})
    encoder = next((one for one in embedders(settings.EMBEDDER) if one.name == ENCODER), None)
    if not wanted or encoder is None:
        return NO_SENTENCES
    try:
        return dict(zip(wanted, encoder.embed_questions(wanted), strict=True))
    except EmbeddingUnavailable as missing:
        log(Event.FEEDBACK_DEGRADED, error=type(missing).__name__)
        return NO_SENTENCES
