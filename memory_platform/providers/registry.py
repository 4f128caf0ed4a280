"""Creates the providers that the configuration names. The only module that imports vendor files."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from django.conf import settings

from memory_platform.env.chat_endpoints import DEFAULT, ChatEndpoint
from memory_platform.env.environment import split_list
from memory_platform.env.model_names import EMBEDDERS, RERANKERS
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.providers.chat import Chat, Connection
from memory_platform.providers.config import CHAT
from memory_platform.providers.contracts import ChatModel, Embedder, PromptKeeper, Reranker, WordRelations
from memory_platform.providers.embedders.hashing import HashingEmbedder
from memory_platform.providers.embedders.openai import OpenAIEmbedder
from memory_platform.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from memory_platform.providers.embedders.universal_sentence_encoder import UseEmbedder
from memory_platform.providers.embedders.wordllama import WordLlamaEmbedder
from memory_platform.providers.endpoints.endpoint import Endpoint, JsonService
from memory_platform.providers.prompt_cache.gemini_cached_content import CachedContents
from memory_platform.providers.rerankers.cross_encoder import CrossEncoderReranker
from memory_platform.providers.rerankers.http import HttpReranker

_EMBEDDED: Mapping[str, Callable[[], Embedder]] = {
    "wordllama": WordLlamaEmbedder,
    "use": UseEmbedder,
    "hashing": HashingEmbedder,
}


class UnknownProvider(MemoryPlatformError):
    """The configuration names an unknown provider."""

    code = "unknown_provider"


def embedders(setting: str) -> tuple[Embedder, ...]:
    """Return this process's embedders of a list such as ``wordllama,use``, in its order; empty for ``none``. A text
    belongs to the first that knows its language (:func:`find_embedder_for`). Raises UnknownProvider."""
    return tuple(found for name in split_list(setting) if (found := embedder(name)) is not None)


def find_embedder_for(language: str, among: Iterable[Embedder]) -> Embedder | None:
    """Return the first embedder that knows ``language``; None leaves the text to keywords."""
    return next((one for one in among if language in one.languages), None)


def word_relations(among: Iterable[Embedder]) -> WordRelations | None:
    """Return the first embedder that also knows word relations, or None."""
    return next((one for one in among if isinstance(one, WordRelations)), None)


def embedder(name: str) -> Embedder | None:
    """Return this process's embedder called ``name``, created once and loaded at its first use; None for ``none``.
    Raises UnknownProvider."""
    kind, _, model = name.partition(":")
    languages = tuple(split_list(settings.EMBEDDING_LANGUAGES))
    if kind == "openai" and model:
        endpoint = Endpoint("embed", settings.EMBEDDING_BASE_URL, settings.EMBEDDING_API_KEY)
        return _remote_embedder(model, endpoint, settings.EMBEDDING_DIMENSIONS, languages)
    if kind == "openai-previous" and model:  # the same space as when it was ``openai:``: its vectors stay in use
        endpoint = Endpoint("embed", settings.EMBEDDING_PREVIOUS_BASE_URL, settings.EMBEDDING_PREVIOUS_API_KEY)
        return _remote_embedder(model, endpoint, settings.EMBEDDING_PREVIOUS_DIMENSIONS, languages)
    if kind == "sentence-transformers" and model:
        return _local(model, settings.MODELS_OFFLINE, languages)
    if kind == "hashing" and model.isascii() and model.isdigit() and int(model):
        return _hashing(int(model))
    if name == "none":
        return None
    if name in _EMBEDDED:
        return _make_embedder(name)
    raise UnknownProvider(f"EMBEDDER names {name!r}; allowed: {', '.join(EMBEDDERS)}")


def reranker(setting: str) -> Reranker | None:
    """Return this process's reranker, ``http`` or ``cross-encoder:PATH``; None for ``none``. Raises UnknownProvider."""
    kind, _, reference = setting.partition(":")
    if setting == "none":
        return None
    if setting == "http":
        return _http_reranker(settings.RERANK_MODEL, Endpoint("rerank", settings.RERANK_URL, settings.RERANK_API_KEY))
    if kind == "cross-encoder" and reference:
        return _cross_encoder(reference, settings.MODELS_OFFLINE)
    raise UnknownProvider(f"RERANKER is {setting!r}; allowed: {', '.join(RERANKERS)}")


def chat_endpoints() -> Mapping[str, ChatEndpoint]:
    """Return the configured chat endpoints by name; ``CHAT_MODEL`` defines ``default``."""
    if not settings.CHAT_MODEL:
        return dict(settings.CHAT_ENDPOINTS)
    plain = ChatEndpoint(
        kind="openai", model=settings.CHAT_MODEL, base_url=settings.CHAT_BASE_URL, api_key=settings.CHAT_API_KEY
    )
    return {DEFAULT: plain, **settings.CHAT_ENDPOINTS}


def chat_route(purpose: str) -> str:
    """Return the name of the endpoint that the operator routes ``purpose`` to; empty for none."""
    return str(settings.CHAT_ROUTES.get(purpose, DEFAULT))


def chat_model(purpose: str, endpoint: str | None = None) -> ChatModel | None:
    """Return this process's chat model for a purpose of :data:`memory_platform.env.chat_endpoints.PURPOSES`. At the
    ``endpoint`` of that name, by default the operator's; None if no endpoint has it."""
    found = chat_endpoints().get(chat_route(purpose) if endpoint is None else endpoint)
    return None if found is None else _chat(purpose, found)


def prompt_keeper() -> PromptKeeper | None:
    """Return the vendor that caches prompts for this process; None if ``PROMPT_CACHE_ENDPOINT`` is empty."""
    found = chat_endpoints().get(settings.PROMPT_CACHE_ENDPOINT)
    return None if found is None else _prompt_keeper(found)


def forget_providers() -> None:
    """Drop every provider that depends on settings, as a new process starts. The models that come with the platform
    stay: no setting shapes them, and they take seconds to load."""
    caches = (_remote_embedder, _local, _http_reranker, _cross_encoder, _chat, _prompt_keeper, _connection, _service)
    for cache in caches:
        cache.cache_clear()


@lru_cache(maxsize=8)
def _make_embedder(name: str) -> Embedder:
    return _EMBEDDED[name]()


@lru_cache(maxsize=16)
def _remote_embedder(model: str, endpoint: Endpoint, dimensions: int, languages: tuple[str, ...]) -> Embedder:
    return OpenAIEmbedder(model, _service(endpoint), dimensions=dimensions, languages=languages)


@lru_cache(maxsize=8)
def _local(reference: str, offline: bool, languages: tuple[str, ...]) -> Embedder:
    return SentenceTransformersEmbedder(reference, offline=offline, languages=languages)


@lru_cache(maxsize=8)
def _http_reranker(model: str, endpoint: Endpoint) -> Reranker:
    return HttpReranker(model, _service(endpoint))


@lru_cache(maxsize=2)
def _cross_encoder(reference: str, offline: bool) -> Reranker:
    return CrossEncoderReranker(reference, offline=offline)


@lru_cache(maxsize=64)
def _chat(purpose: str, endpoint: ChatEndpoint) -> ChatModel:
    return Chat(_connection(endpoint), seconds=CHAT.find_time_limit(purpose))


_hashing = lru_cache(maxsize=8)(HashingEmbedder)
_prompt_keeper = lru_cache(maxsize=4)(CachedContents)
_connection = lru_cache(maxsize=16)(Connection)
_service = lru_cache(maxsize=16)(JsonService)
