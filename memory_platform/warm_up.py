"""Prepares models and caches when a process has started and forked, so that no first message waits."""

import gc
from collections.abc import Callable, Iterator
from functools import partial
from threading import Thread

from django.conf import settings
from django.urls import get_resolver

from memory_platform.providers import warm_up as models
from memory_platform.providers.endpoints.endpoint_health import start_recording
from memory_platform.providers.registry import embedders
from snapshots.context.turn.turn_classifiers import SPACES, WORDS, load_classifier
from snapshots.feedback.reading.sense_classifier import load_sense_classifier
from snapshots.relevance.note_relevance_model import load_note_reader
from snapshots.relevance.question_needs_model import load_question_reader
from snapshots.understanding.changes.ending_classifier import load_ending_classifier
from snapshots.understanding.correcting.correction_classifier import load_correction_classifier
from snapshots.understanding.grading.clause_classifier import load_clause_classifier
from snapshots.understanding.heard.forget_order_classifier import load_order_classifier
from snapshots.understanding.slots.slot_patterns import load_languages

# New objects before Python looks for garbage cycles. With Python's default of 700, a context of 100 memories is
# interrupted 1.1 times, which costs 0.27 of its 15 ms of CPU; with this number, 0.05.
YOUNGEST = 10_000


def warm_up(*, answering: bool) -> Thread:
    """Prepare models and classifiers in a thread, which is returned; record calls of models from now on.

    A process that is ``answering`` questions has its addresses when this returns: without them it can answer nothing.
    """
    start_recording()
    if answering:
        get_resolver().url_patterns  # noqa: B018 -- the first look reads them all, 0.7 s
    return models.warm_up(answering=answering, then=list(_list_loaders(answering=answering)))


def _list_loaders(*, answering: bool) -> Iterator[Callable[[], object]]:
    yield from (
        load_sense_classifier,
        load_correction_classifier,
        load_clause_classifier,
        load_ending_classifier,
        load_order_classifier,
    )
    # Patterns: the first message waits 0.7 s otherwise, at the door.
    yield load_languages
    if answering:
        listed = {embedder.name for embedder in embedders(settings.EMBEDDER)}
        for space in SPACES:
            if space in {WORDS, *listed}:
                yield from (partial(load_classifier, what, space) for what in ("intents", "phases"))
        yield from (load_question_reader, load_note_reader)
    yield freeze_loaded_objects


def freeze_loaded_objects() -> None:
    """Exclude the current objects from garbage collection. Code and models are 225,000 objects that stay. A full
    collection would stop the process for a quarter of a second, once in 300 contexts."""
    gc.freeze()
    gc.set_threshold(YOUNGEST)
