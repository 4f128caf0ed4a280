"""Prepares models and caches when a process has started and forked, so that no first message waits."""

import gc
from collections.abc import Callable, Iterator
from functools import partial
from threading import Thread

from django.conf import settings
from django.urls import get_resolver

from memory_platform.providers import warm_up as models
from memory_platform.providers.registry import embedders
from snapshots.context.turn.intent_reader import SPACES, WORDS, reader_of
from snapshots.feedback.reading.reader import sense_reader
from snapshots.relevance.notes import note_reader
from snapshots.relevance.questions import question_reader
from snapshots.understanding.changes.judge import change_reader
from snapshots.understanding.correcting.reader import correction_reader
from snapshots.understanding.grading.reader import clause_reader
from snapshots.understanding.heard.order_reader import order_reader
from snapshots.understanding.slots.lexicon import load_language

# New objects before Python looks for garbage cycles. With Python's default of 700, a context of 100 memories is
# interrupted 1.1 times, which costs 0.27 of its 15 ms of CPU; with this number, 0.05.
YOUNGEST = 10_000


def warm_up(*, answering: bool) -> Thread:
    """Prepare models and classifiers in a thread, which is returned.

    A process that is ``answering`` questions has its addresses when this returns: without them it can answer nothing.
    """
    if answering:
        get_resolver().url_patterns  # noqa: B018 -- the first look reads them all, 0.7 s
    return models.warm_up(answering=answering, then=list(_readers(answering=answering)))


def _readers(*, answering: bool) -> Iterator[Callable[[], object]]:
    yield from (sense_reader, correction_reader, clause_reader, change_reader, order_reader)
    # Patterns: the first message waits 0.7 s otherwise, at the door.
    yield from (partial(load_language, language) for language in ("en", "zh"))
    if answering:
        listed = {embedder.name for embedder in embedders(settings.EMBEDDER)}
        for space in SPACES:
            if space in {WORDS, *listed}:
                yield from (partial(reader_of, what, space) for what in ("intents", "phases"))
        yield from (question_reader, note_reader)
    yield spare_what_stays


def spare_what_stays() -> None:
    """Exclude the current objects from garbage collection.

    Code and models are 225,000 objects that stay. A full collection would stop the process for a quarter of a second,
    once in 300 contexts.
    """
    gc.freeze()
    gc.set_threshold(YOUNGEST)
