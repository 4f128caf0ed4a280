"""Models made ready in the background, once a process has started and forked: nobody's first question waits for them.

Without it the first text of each process waits for every model that it needs: 1.5 s for English, 2 s more for Chinese.
"""

from threading import Thread

from django.conf import settings

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import Embedder, EmbeddingUnavailable, Preparable
from memory_platform.providers.registry import embedders


def warm_up() -> Thread:
    """Prepare the listed embedders one after the other in a thread of their own, which is returned."""
    thread = Thread(target=_prepare_all, args=(settings.EMBEDDER,), name="warm-up", daemon=True)
    thread.start()
    return thread


def is_ready(model: Embedder) -> bool:
    """Return whether the next text finds the model prepared; one that needs no preparing always is."""
    return not isinstance(model, Preparable) or model.ready


def _prepare_all(setting: str) -> None:
    for model in embedders(setting):
        if isinstance(model, Preparable):
            try:
                model.prepare()
            except EmbeddingUnavailable:
                log(Event.PROVIDER_FAILED, provider=model.name, error=EmbeddingUnavailable.code)
