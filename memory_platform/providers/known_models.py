"""What is known of embedding models by name, so that a name is all the configuration they need (L2)."""

import re

DIMENSIONS = {
    "all-minilm-l6-v2": 384,
    "bge-base-zh-v1.5": 768,
    "bge-large-zh-v1.5": 1_024,
    "bge-m3": 1_024,
    "bge-small-zh-v1.5": 512,
    "multilingual-e5-base": 768,
    "multilingual-e5-large": 1_024,
    "multilingual-e5-small": 384,
    "paraphrase-multilingual-minilm-l12-v2": 384,
    "text-embedding-3-large": 3_072,
    "text-embedding-3-small": 1_536,
    "text-embedding-ada-002": 1_536,
    "text2vec-base-chinese": 768,
    "text2vec-large-chinese": 1_024,
}
"""By the last part of the name, in lower case; from the models' own cards."""

_E5 = re.compile(r"(^|[-_/])e5[-_]", re.IGNORECASE)


def known_dimensions(model: str) -> int:
    """Return the length of the model's vectors; 0 for a model that is not known."""
    return DIMENSIONS.get(model.rpartition("/")[2].lower(), 0)


def instructed(model: str, text: str) -> str:
    """Return ``text`` as the model was trained to read it: E5 wants "query: " where both sides are alike."""
    return f"query: {text}" if _E5.search(model) else text
