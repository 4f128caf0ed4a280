"""What a process that has just started and forked reads before somebody asks: nobody's first message waits for it."""

from collections.abc import Callable, Iterator
from functools import partial
from threading import Thread

from django.conf import settings
from django.urls import get_resolver

from memory_platform.providers import warm_up as models
from memory_platform.providers.registry import embedders
from snapshots.context.turn.intent_reader import SPACES, WORDS, reader_of
from snapshots.feedback.reading.reader import sense_reader
from snapshots.understanding.correcting.reader import correction_reader


def warm_up(*, answering: bool) -> Thread:
    """Prepare models and taught readers in a thread, which is returned.

    A process that is ``answering`` questions has its addresses when this returns: without them it can answer nothing.
    """
    if answering:
        get_resolver().url_patterns  # noqa: B018 -- the first look reads them all, 0.7 s
    return models.warm_up(answering=answering, then=list(_readers(answering=answering)))


def _readers(*, answering: bool) -> Iterator[Callable[[], object]]:
    yield from (sense_reader, correction_reader)
    if answering:
        listed = {embedder.name for embedder in embedders(settings.EMBEDDER)}
        for space in SPACES:
            if space in {WORDS, *listed}:
                yield from (partial(reader_of, what, space) for what in ("intents", "phases"))
