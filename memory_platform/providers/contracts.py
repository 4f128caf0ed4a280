"""The interfaces to models, one Protocol each. Vendors implement them, one file each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from memory_platform.kernel.errors import Unavailable

Vectors = npt.NDArray[np.float32]
Shape = TypeVar("Shape", bound=BaseModel)
Answer = TypeVar("Answer")


class EmbeddingUnavailable(Unavailable):
    """The embedding model does not answer; recall continues with keywords alone."""

    code = "embedding_unavailable"


class EmbeddingRefused(EmbeddingUnavailable):
    """The model refuses these texts: one of them may be at fault, and the others may pass alone."""

    code = "embedding_refused"


class RerankUnavailable(Unavailable):
    """The reranker does not answer in time; the earlier order is kept."""

    code = "rerank_unavailable"


@dataclass(frozen=True, slots=True)
class Usage:
    # Requests that the model read, including those whose answer came late.
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    # The part of `input_tokens` that the vendor had cached and charges less for.
    cached_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )


class ChatUnavailable(Unavailable):
    """The chat model gave no valid answer in time; the caller continues without it. ``failure`` is one word for the
    cause, ``usage`` the tokens spent all the same."""

    code = "chat_unavailable"

    def __init__(self, detail: str = "", *, failure: str = "", usage: Usage | None = None) -> None:
        super().__init__(detail)
        self.failure = failure
        self.usage = usage or Usage()


class InvalidOutput(ChatUnavailable):
    """The chat model answers, but not in the requested form, not even after a repair."""

    code = "invalid_output"


def normalise_rows(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    return np.where(usable, rows / np.where(usable, lengths, 1), 0).astype(np.float32)


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors. ``languages`` are the supported ones: for others the vectors make results worse."""

    @property
    def name(self) -> str:
        """Stable name of model and version: vectors of two names are never compared."""

    @property
    def dimensions(self) -> int:
        pass

    @property
    def languages(self) -> tuple[str, ...]:
        """Supported languages, as :func:`memory_platform.kernel.text.detect_language` names them."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, shape (len(texts), dimensions); a text without a meaning to the model is a zero row.
        Raises EmbeddingUnavailable when the model does not answer, ModelCallInTransaction inside a transaction."""
        pass

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return rows as :meth:`embed` does, for questions, which some models embed differently. Has a timeout, because
        somebody waits. Raises as :meth:`embed` does."""


@runtime_checkable
class Preparable(Protocol):
    """A model whose first use takes seconds."""

    @property
    def ready(self) -> bool:
        pass

    def prepare(self) -> None:
        """Do the work of the first use. Raises Unavailable."""


@runtime_checkable
class WordRelations(Protocol):
    """Finds words of nearly the same meaning, from static word vectors."""

    def related_words(self, word: str) -> Sequence[tuple[str, float]]:
        """Return words near ``word`` with their cosines, best first; never ``word`` itself, empty if it is no word.
        Raises EmbeddingUnavailable when the model is not there, ModelCallInTransaction inside a transaction."""


@runtime_checkable
class Reranker(Protocol):
    """A cross-encoder: reads the query together with each text."""

    @property
    def name(self) -> str:
        pass

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one relevance in [0, 1] per text, in the order given, within a time box. Raises RerankUnavailable when
        the model does not answer, ModelCallInTransaction inside a transaction."""
        pass


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    instructions: str
    content: str


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[Answer]):
    value: Answer
    usage: Usage


class JsonForm(StrEnum):
    SCHEMA = "schema"
    OBJECT = "object"
    PROMPTED = "prompted"


@runtime_checkable
class ChatModel(Protocol):
    """A language model for one purpose, with a timeout; it returns one answer, structured or as text.

    Each call raises ChatUnavailable (InvalidOutput where only the answer is at fault), and ModelCallInTransaction
    inside a transaction.
    """

    @property
    def name(self) -> str:
        pass

    def ask_structured(self, prompt: ChatPrompt, shape: type[Shape]) -> ModelAnswer[Shape]:
        """Return the model's answer as a valid ``shape``; an invalid answer is repaired at most once."""
        pass

    def text(self, prompt: ChatPrompt) -> ModelAnswer[str]:
        """Return the model's answer as text, trimmed, without its thoughts; never empty."""
        pass

    def answer(self, instructions: str, content: str, shape: type[Shape]) -> Shape:
        pass


@runtime_checkable
class JsonForms(Protocol):
    """A chat model that can be tried in one form of JSON."""

    def ask_structured_as(self, prompt: ChatPrompt, shape: type[Shape], form: JsonForm) -> ModelAnswer[Shape]:
        """Return the model's first answer in one form, without a repair. Raises ChatUnavailable."""


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        pass

    def count(self, text: str) -> int:
        pass


@dataclass(frozen=True, slots=True)
class KeptPrompt:
    """A prompt cached at a vendor: its name there, its expiry by the vendor's clock, its tokens (0: unknown)."""

    name: str
    expires_at: datetime
    tokens: int


class PromptKeeper(Protocol):
    """A vendor that caches prompt prefixes on request and reads them cheaply."""

    @property
    def model(self) -> str:
        """The only model that may read the cached content."""

    @property
    def identity(self) -> str:
        pass

    @property
    def least_tokens(self) -> int:
        pass

    def make(self, text: str) -> KeptPrompt:
        """Cache ``text`` as a system instruction. Raises CallFailed, ModelCallInTransaction."""
        pass

    def extend(self, name: str) -> KeptPrompt:
        """Prolong it to the life of a new one. Raises CallFailed, ``Failure.GONE`` if it is gone."""
        pass

    def delete(self, name: str) -> None:
        """Delete it at the vendor, also if it is gone already. Raises CallFailed, ModelCallInTransaction."""
