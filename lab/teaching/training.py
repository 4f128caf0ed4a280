"""The skeleton of the modules that teach: vectors of texts, the fit, its weights, and the origin that weights name."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.registry import embedders
from snapshots.understanding.grading.sentence_vectors import ENCODER, Vectors

Flags = npt.NDArray[np.bool_]
Strings = npt.NDArray[np.str_]


def embed_texts(texts: Iterable[str]) -> Vectors:
    """Return the vector of each text by the sentence encoder, computed in batches and never cached."""
    (encoder,) = embedders(ENCODER)
    wanted = list(dict.fromkeys(texts))
    parts = [encoder.embed(wanted[start : start + 256]) for start in range(0, len(wanted), 256)]
    return dict(zip(wanted, np.concatenate(parts), strict=True))


def fit_regression(
    numbers: Any, labels: Any, weights: Any = None, *, strictness: float, max_iter: int, **how: Any
) -> Any:
    """Return scikit-learn's LogisticRegression fitted to ``numbers`` (n, features), each row weighed by ``weights``.

    ``strictness`` is its C, the inverse strength of the regularisation.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - of the group `evaluation`

    return LogisticRegression(C=strictness, max_iter=max_iter, **how).fit(numbers, labels, sample_weight=weights)


def read_weights(model: Any) -> tuple[tuple[str, ...], Float32, Float32]:
    """Return the classes of a fit, its weights (classes, features) and intercepts; of two classes each takes half."""
    weights, intercepts = (np.asarray(found, np.float32) for found in (model.coef_, model.intercept_))
    if len(model.classes_) == 2:
        weights, intercepts = (np.concatenate([-one / 2, one / 2]) for one in (weights, intercepts))
    return tuple(map(str, model.classes_)), weights, intercepts


def hash_sets(folder: Path, names: Iterable[str], kind: str = "jsonl", *, digits: int = 16) -> dict[str, str]:
    """Return the SHA-256 of each set in ``folder``, by name: weights name the data that taught them."""
    files = {name: folder / f"{name}.{kind}" for name in names}
    return {name: hashlib.sha256(file.read_bytes()).hexdigest()[:digits] for name, file in files.items()}


def name_version(reader: str, hashes: dict[str, str]) -> dict[str, Any]:
    """Return the description of the sets that taught weights: ``version``, which changes with any of them, and
    ``by``."""
    return {"version": f"{reader}-{hashlib.sha256(''.join(hashes.values()).encode()).hexdigest()[:8]}", "by": hashes}


def render_shares(predictions: Flags, labels: Flags) -> str:
    """Return the precision and recall of what was told, 1 where there is nothing to tell."""
    precision, found_share = compute_mean_share(labels[predictions]), compute_mean_share(predictions[labels])
    return f"precision {precision:.3f} recall {found_share:.3f} of {labels.sum()}"


def compute_mean_share(flags: Flags) -> float:
    return float(flags.mean()) if flags.size else 1.0


def select_places(rows: Sequence[Any], mask: Flags) -> list[Any]:
    return [row for row, is_chosen in zip(rows, mask, strict=True) if is_chosen]
