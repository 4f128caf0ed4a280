"""The golden sets: one JSON object a line, with the expected results as short labels.

``profile FIELD=VALUE`` (``+=`` for lists), ``explicit|implicit|constraint CATEGORY.KEY=VALUE`` (``+=`` for entries),
``place LABEL @ ADDRESS``, ``contact LABEL # PHONE ~ ALIAS``, ``change WHERE: OLD=>NEW`` (``?`` where the object was not
named; ``+=`` and ``-=`` for entries), ``rejected REASON``.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snapshots.understanding.values import CandidateValue, Extraction, FactCandidate, PreferenceCandidate, TagCandidate

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"


def load_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of one golden set, such as ``"extraction"`` or ``"orders/meant_en"``."""
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def load_file(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file of labelled sentences. Raises SystemExit, with a sentence, where it cannot be read."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as fault:
        raise SystemExit(f"{path} is no file of labelled lines of JSON: {fault}") from None


def load_lives(name: str) -> list[dict[str, Any]]:
    """Return the people of a set of lives, such as ``"en_2"``."""
    people: list[dict[str, Any]] = json.loads((GOLDEN / "lives" / f"{name}.json").read_text("utf-8"))["subjects"]
    return people


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of one class of labels, 0..1; 1 where nothing was found or expected."""

    hits: int
    extra: int
    missed: int

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.extra) if self.hits + self.extra else 1.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0

    @property
    def figures(self) -> list[float]:
        """Precision and recall, as weights keep them."""
        return [round(self.precision, 3), round(self.recall, 3)]

    def __str__(self) -> str:
        return f"precision {self.precision:.3f} recall {self.recall:.3f}"


def render_score(name: str, score: Score) -> str:
    counts = f"({score.hits} hits, {score.extra} extra, {score.missed} missed)"
    return f"{name:28} P {score.precision:.3f} R {score.recall:.3f} {counts}"


# Categories of facts about others: labels speak of the user, lives judge the rest.
OTHERS = ("people", "pets")


def score_classes(pairs: Iterable[tuple[set[str], set[str]]]) -> dict[str, Score]:
    """Return the score of each class (a label's first word) over pairs of (found, expected)."""
    hits: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for found, expected in pairs:
        hits.update(label.split()[0] for label in found & expected)
        extra.update(label.split()[0] for label in found - expected)
        missed.update(label.split()[0] for label in expected - found)
    return {name: Score(hits[name], extra[name], missed[name]) for name in sorted({*hits, *extra, *missed})}


def render_labels(extraction: Extraction) -> Iterator[str]:
    for fact in extraction.facts:
        yield f"profile {fact.field}{'+' if fact.mode == 'append' else ''}={fact.value}"
    for preference in extraction.preferences:
        yield from _label_preference(preference)
    for tag in extraction.tags:
        yield _label_tag(tag)
    for change in extraction.corrections:
        if isinstance(change, FactCandidate):
            yield f"change {change.field}: {change.replaces}=>{change.value}"
        else:
            yield from _change(change)
    for rejection in extraction.rejections:
        yield f"rejected {rejection.reason}"


def _label_preference(candidate: PreferenceCandidate) -> Iterator[str]:
    if candidate.category in OTHERS:
        return
    where = f"{candidate.sort} {candidate.category}.{candidate.key}"
    if isinstance(candidate.value, tuple):
        yield from (f"{where}+={entry}" for entry in candidate.value)
    else:
        yield f"{where}={_render_value(candidate.value)}"


def _label_tag(tag: TagCandidate) -> str:
    if tag.kind == "place":
        return f"place {tag.label} @ {tag.address}"
    phone = f" # {tag.phone}" if tag.phone else ""
    return f"contact {tag.label}{phone}" + "".join(f" ~ {alias}" for alias in tag.aliases)


def _change(candidate: PreferenceCandidate) -> Iterator[str]:
    where = f"{candidate.category}.{candidate.key}" if candidate.key else "?"
    if candidate.mode in {"replace", "set"}:
        yield f"change {where}: {candidate.replaces or ''}=>{_render_value(candidate.value)}"
        return
    entries = candidate.value if isinstance(candidate.value, tuple) else (_render_value(candidate.value),)
    yield from (f"change {where}{'+' if candidate.mode == 'add' else '-'}={entry}" for entry in entries)


def _render_value(value: CandidateValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
