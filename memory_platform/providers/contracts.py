"""What the platform asks of a model, one Protocol each. Vendors stand behind them, one file each."""

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
    """The embedding model does not answer; recall goes on with keywords alone (R6)."""

    code = "embedding_unavailable"


class EmbeddingRefused(EmbeddingUnavailable):
    """The model answers, but not for these texts: one among them may be at fault, and the others may pass alone."""

    code = "embedding_refused"


class RerankUnavailable(Unavailable):
    """The reranker does not answer in time; the order before it stands (R4)."""

    code = "rerank_unavailable"


@dataclass(frozen=True, slots=True)
class Usage:
    """What one question cost, in tokens as the endpoint counts them, else as we estimate; a repair is counted in."""

    requests: int = 0
    """Requests that the model read, an answer that came late among them."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Of ``input_tokens``: those that the vendor had kept and charges less for."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )


class ChatUnavailable(Unavailable):
    """The chat model gave no valid answer in time; what it was asked for goes on without it.

    ``failure`` is one word for what went wrong, ``usage`` what was spent all the same.
    """

    code = "chat_unavailable"

    def __init__(self, detail: str = "", *, failure: str = "", usage: Usage | None = None) -> None:
        super().__init__(detail)
        self.failure = failure
        self.usage = usage or Usage()


class InvalidOutput(ChatUnavailable):
    """The chat model answers, but not what it was asked for, not even when told what was wrong."""

    code = "invalid_output"


def unit_rows(rows: Vectors) -> Vectors:
    """Return ``rows`` scaled to unit length; a zero or non-finite row becomes zero, so that no score is ever NaN."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    return np.where(usable, rows / np.where(usable, lengths, 1), 0).astype(np.float32)


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors. ``languages`` are the ones it knows: for others its vectors make results worse."""

    @property
    def name(self) -> str:
        """Stable name of model and version: vectors of two names are never compared."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of :func:`memory_platform.kernel.text.detect_language` that the model knows."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, shape (len(texts), dimensions); a text without a meaning to the model is a zero row.

        Raises EmbeddingUnavailable when the model does not answer, ModelCallInTransaction inside a transaction.
        """

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return rows as :meth:`embed` does, of questions to its texts, which some models read in another way.

        Somebody waits for them: within a time box. Raises as :meth:`embed` does.
        """


@runtime_checkable
class Preparable(Protocol):
    """A model whose first use costs seconds."""

    @property
    def ready(self) -> bool:
        """Whether the next call finds it prepared and answering."""

    def prepare(self) -> None:
        """Do what the first use would do. Raises Unavailable."""


@runtime_checkable
class WordRelations(Protocol):
    """Which words mean nearly the same, from static word vectors."""

    def related_words(self, word: str) -> Sequence[tuple[str, float]]:
        """Return words near ``word`` with their cosines, best first. Never ``word`` itself; empty when it is no word.

        Raises EmbeddingUnavailable when the model is not there, ModelCallInTransaction inside a transaction.
        """


@runtime_checkable
class Reranker(Protocol):
    """A cross-encoder: reads the query together with each text."""

    @property
    def name(self) -> str:
        """Stable name of model and version."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one relevance in [0, 1] per text, in the order given, within a time box.

        Raises RerankUnavailable when the model does not answer, ModelCallInTransaction inside a transaction.
        """


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """One question: ``instructions`` are ours, ``content`` is what they are about, fenced where others wrote it."""

    instructions: str
    content: str


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[Answer]):
    """A valid answer and what it cost."""

    value: Answer
    usage: Usage


class JsonForm(StrEnum):
    """How an endpoint is held to a JSON schema, the surest first. The schema always stands in the instructions too."""

    SCHEMA = "schema"
    """The endpoint is given the schema, and most servers let the model write nothing else."""
    OBJECT = "object"
    """The endpoint is asked for JSON of any shape."""
    PROMPTED = "prompted"
    """Only the instructions say so."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model for one purpose, which bounds its time; it answers once, in a shape or as a bounded text.

    Each call raises ChatUnavailable (InvalidOutput where only the answer is at fault), and ModelCallInTransaction
    inside a transaction.
    """

    @property
    def name(self) -> str:
        """Stable name of model and version."""

    def ask_structured(self, prompt: ChatPrompt, shape: type[Shape]) -> ModelAnswer[Shape]:
        """Return the model's answer as a valid ``shape``; an invalid answer is repaired at most once."""

    def text(self, prompt: ChatPrompt) -> ModelAnswer[str]:
        """Return the model's answer as it is, without blanks around it and without its thoughts; never empty."""

    def answer(self, instructions: str, content: str, shape: type[Shape]) -> Shape:
        """Return the value alone of :meth:`ask_structured`."""


@runtime_checkable
class JsonForms(Protocol):
    """A chat model that can be tried in one form of JSON."""

    def ask_structured_as(self, prompt: ChatPrompt, shape: type[Shape], form: JsonForm) -> ModelAnswer[Shape]:
        """Return the model's first answer in one form, without a repair. Raises ChatUnavailable."""


@runtime_checkable
class TokenCounter(Protocol):
    """How many tokens a model would make of a text."""

    @property
    def name(self) -> str:
        """Stable name of the counter; receipts record it."""

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``, at least 0."""


@dataclass(frozen=True, slots=True)
class KeptPrompt:
    """What a vendor keeps: its name for it, when it ends by the vendor's clock, and its tokens (0: not told)."""

    name: str
    expires_at: datetime
    tokens: int


class PromptKeeper(Protocol):
    """A vendor that keeps beginnings of prompts on request and reads them cheaply (X9)."""

    @property
    def model(self) -> str:
        """The only model that may read what is kept here."""

    @property
    def identity(self) -> str:
        """A keyed hash (64 hex digits) of where and as whom: what was kept under another is out of reach."""

    @property
    def least_tokens(self) -> int:
        """What is shorter the vendor refuses."""

    def make(self, text: str) -> KeptPrompt:
        """Have ``text`` kept as a system instruction. Raises CallFailed, ModelCallInTransaction."""

    def extend(self, name: str) -> KeptPrompt:
        """Have it kept from now on as long as a new one. Raises CallFailed, ``Failure.GONE`` where it is no more."""

    def delete(self, name: str) -> None:
        """Have it deleted; what is not there any more is. Raises CallFailed, ModelCallInTransaction."""
