"""Prepares models in the background after a process has started and forked, so that no first question waits.

Otherwise the first text of each process waits for every model that it needs: 1.5 s for English, 2 s more for Chinese.
"""

from collections.abc import Callable, Sequence
from threading import Thread

from django.conf import settings

from memory_platform.kernel.errors import Unavailable
from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import Embedder, Preparable
from memory_platform.providers.registry import chat_model, embedders, reranker


def warm_up(*, answering: bool, then: Sequence[Callable[[], object]] = ()) -> Thread:
    """Prepare the configured embedders in a new thread, which is returned; ``then`` is called after them. A process
    that is ``answering`` questions also prepares the reranker and the chat model; jobs need neither."""
    models: list[object] = [*embedders(settings.EMBEDDER)]
    if answering:
        models += [reranker(settings.RERANKER), chat_model("rewrite")]
    thread = Thread(target=_prepare_all, args=(models, then), name="warm-up", daemon=True)
    thread.start()
    return thread


def is_ready(model: Embedder) -> bool:
    """Return whether the next text finds the model prepared; one that needs no preparing always is."""
    return not isinstance(model, Preparable) or model.ready


def _prepare_all(models: Sequence[object], then: Sequence[Callable[[], object]]) -> None:
    for model in models:
        if isinstance(model, Preparable):
            try:
                model.prepare()
            except Unavailable as missing:
                log(Event.PROVIDER_FAILED, provider=type(model).__name__, error=missing.code)
    for read in then:
        read()
