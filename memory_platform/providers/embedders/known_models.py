"""Known properties of embedding models by name, so that a name is all the configuration they need."""

import re
from dataclasses import dataclass

# By the last part of the name, in lower case; from the model cards.
DIMENSIONS = {
    "all-minilm-l6-v2": 384,
    "bge-base-en-v1.5": 768,
    "bge-base-zh-v1.5": 768,
    "bge-large-en-v1.5": 1_024,
    "bge-large-zh-v1.5": 1_024,
    "bge-m3": 1_024,
    "bge-small-en-v1.5": 384,
    "bge-small-zh-v1.5": 512,
    "gte-qwen2-1.5b-instruct": 1_536,
    "gte-qwen2-7b-instruct": 3_584,
    "multilingual-e5-base": 768,
    "multilingual-e5-large": 1_024,
    "multilingual-e5-large-instruct": 1_024,
    "multilingual-e5-small": 384,
    "paraphrase-multilingual-minilm-l12-v2": 384,
    "qwen3-embedding-0.6b": 1_024,
    "text-embedding-3-large": 3_072,
    "text-embedding-3-small": 1_536,
    "text-embedding-ada-002": 1_536,
    "text2vec-base-chinese": 768,
    "text2vec-large-chinese": 1_024,
}


@dataclass(frozen=True, slots=True)
class InputPrefixes:
    """The prefixes that a model was trained with, before a question and before a passage."""

    question: str = ""
    passage: str = ""


AS_IT_IS = InputPrefixes()

_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

_READINGS = (
    (re.compile(r"\b(gte-qwen|e5)[-_.\w]*instruct"), InputPrefixes(question=f"{_TASK} ")),
    (re.compile(r"\bqwen3-embedding"), InputPrefixes(question=_TASK)),
    (re.compile(r"(^|[-_/])e5[-_](small|base|large)"), InputPrefixes(question="query: ", passage="passage: ")),
    (re.compile(r"\bbge-(small|base|large)-zh"), InputPrefixes(question="为这个句子生成表示以用于检索相关文章：")),
    (
        re.compile(r"\bbge-(small|base|large)-en"),
        InputPrefixes(question="Represent this sentence for searching relevant passages: "),
    ),
)


def known_dimensions(model: str) -> int:
    """Return the length of the model's vectors; 0 if unknown."""
    return DIMENSIONS.get(model.rpartition("/")[2].lower(), 0)


def input_prefixes(model: str) -> InputPrefixes | None:
    return next((reading for pattern, reading in _READINGS if pattern.search(model.lower())), None)


def space_name(model: str, dimensions: int, reading: InputPrefixes) -> str:
    """Return the name of the embedding space of ``model`` (with its kind). Passages with something before them lie
    elsewhere than bare ones: vectors of the two are never compared."""
    return f"{model}@{dimensions}{'+passage' if reading.passage else ''}"
