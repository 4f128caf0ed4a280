"""A linear classifier: one matrix over numeric features, numpy only."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinearClassifier:
    """``weights`` (classes, features) and ``intercepts`` (classes,) of a multinomial logistic regression.

    ``least`` holds the probability below which a class is not predicted, ``encoder`` the space of the vectors among the
    features, ``taught`` the origin of the weights.
    """

    classes: tuple[str, ...]
    weights: Float32
    intercepts: Float32
    least: Mapping[str, float]
    encoder: str
    taught: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> "LinearClassifier":
        held = json.loads(path.read_text(encoding="utf-8"))
        weights, intercepts = (np.array(held[name], np.float32) for name in ("weights", "intercepts"))
        return cls(tuple(held["classes"]), weights, intercepts, held["least"], held["encoder"], held["taught"])

    def write(self, path: Path) -> None:
        head = {"taught": self.taught, "encoder": self.encoder, "classes": self.classes, "least": self.least}
        rows = ",\n  ".join(json.dumps([round(float(number), 4) for number in row]) for row in self.weights)
        intercepts = json.dumps([round(float(number), 4) for number in self.intercepts])
        told = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
        path.write_text(f'{told},\n "intercepts": {intercepts},\n "weights": [\n  {rows}\n ]\n}}\n', encoding="utf-8")

    def class_shares(self, features: Sequence[float] | Float32) -> dict[str, float]:
        """Return the probability of each class. Raises ValueError for another number of features."""
        scores = self.weights @ np.asarray(features, np.float32) + self.intercepts
        raised = np.exp(scores - scores.max())
        return dict(zip(self.classes, (raised / raised.sum()).tolist(), strict=True))

    def predict(self, features: Sequence[float] | Float32) -> str | None:
        """Return the likeliest class, or None if its probability is below its threshold."""
        shares = self.class_shares(features)
        best = max(shares, key=shares.__getitem__)
        return best if shares[best] >= self.least.get(best, 0.0) else None
