"""Score corrections: are they detected, does the value that they name as wrong end, is the right one held?

``python -m lab.measuring.corrections [FILE] [--misses]`` (settings needed) prints figures only, so that a file may
be scored before anyone has read it; ``--misses`` prints the lines that were not detected, or whose wrong side stayed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from lab.measuring.blind_utterances import FoundEntry, choose_said_name, fold_text, read_entries
from lab.measuring.golden_sets import GOLDEN, Score, load_file, render_score
from lab.measuring.single_message_reading import embed_ahead, make_notes
from lab.standalone import list_named_files, run_program
from snapshots.understanding.correcting.correction_classifier import is_correction
from snapshots.understanding.values import CurrentValue

LANGUAGES = (None, "en", "zh")
# Other values that are held beside the one that a correction names.
BESIDE = 12


@dataclass(frozen=True, slots=True)
class CorrectionOutcome:
    """The outcome of a correction whose wrong side is held among others, those that ``near`` lines name. ``wrong`` is
    None where the line does not say it; then nothing is held."""

    row: dict[str, Any]
    wrong: str | None
    near: tuple[str, ...]
    entries: tuple[FoundEntry, ...]

    @property
    def ended_values(self) -> set[str]:
        """The values that end, folded."""
        return {fold_text(entry.replaces or "") for entry in self.entries if entry.sort == "change"}

    @property
    def ends_wrong(self) -> bool:
        return self.wrong is not None and fold_text(self.wrong) in self.ended_values

    @property
    def ends_another(self) -> bool:
        return any(fold_text(one) in self.ended_values for one in self.near)

    @property
    def right(self) -> list[str]:
        """The values that hold instead, under their several names; [] where the line does not say it."""
        names = self.row["right"] or []
        return [names] if isinstance(names, str) else list(names)

    def holds_right(self, notes: Iterable[str]) -> bool:
        said = [*(value for entry in self.entries for value in entry.values), *notes]
        return any(fold_text(one) in fold_text(text) for one in self.right for text in said)


def read_outcomes(rows: Iterable[dict[str, Any]]) -> Iterator[CorrectionOutcome]:
    lines = [row for row in rows if row["is_correction"]]
    embed_ahead(lines)
    named = [choose_said_name(row["wrong"], row["text"]) for row in lines if row["wrong"]]
    place = 0
    for row in lines:
        wrong = choose_said_name(row["wrong"], row["text"]) if row["wrong"] else None
        place += wrong is not None
        if wrong is None or fold_text(wrong) not in fold_text(row["text"]):
            yield CorrectionOutcome(row, None, (), tuple(read_entries(row["text"])))
            continue
        near = tuple(one for one in named[place : place + BESIDE] if fold_text(one) not in fold_text(row["text"]))
        held = [CurrentValue("likes", one, is_others=True) for one in (wrong, *near)]
        yield CorrectionOutcome(row, wrong, near, tuple(read_entries(row["text"], held)))


def score_corrections(rows: Iterable[dict[str, Any]]) -> dict[str, Score]:
    """Return two scores: ``detected``, corrections told from contrasts while the wrong value is held; ``ended``,
    corrections that end it among other values."""
    told: Counter[tuple[bool, bool]] = Counter()
    lines = list(rows)
    embed_ahead(lines)
    for row in lines:
        told[row["is_correction"], _is_detected(row)] += 1
    ends = [one for one in read_outcomes(lines) if one.wrong is not None]
    hits = sum(one.ends_wrong for one in ends)
    return {
        "detected": Score(told[True, True], told[False, True], told[True, False]),
        "ended": Score(hits, sum(one.ends_another for one in ends), len(ends) - hits),
    }


def score_outcomes(rows: Iterable[dict[str, Any]]) -> dict[str, Score]:
    """Return two scores: ``held``, corrections whose right value is held afterwards, in a slot or the words of a note;
    ``put right``, those whose wrong value, if named, ends and whose right value, if named, is held."""
    lines = [one for one in read_outcomes(rows) if one.wrong is not None or one.right]
    notes = make_notes([one.row["text"] for one in lines])
    held = [one.holds_right(said) for one, said in zip(lines, notes, strict=True)]
    right = [is_held for one, is_held in zip(lines, held, strict=True) if one.right]
    done = [
        (one.ends_wrong or one.wrong is None) and (is_held or not one.right)
        for one, is_held in zip(lines, held, strict=True)
    ]
    return {"held": Score(sum(right), 0, right.count(False)), "put right": Score(sum(done), 0, done.count(False))}


def _is_detected(row: dict[str, Any]) -> bool:
    held = [CurrentValue("likes", choose_said_name(row["wrong"], row["text"]), is_others=True)] if row["wrong"] else []
    return is_correction(row["text"]) or any(entry.sort == "change" for entry in read_entries(row["text"], held))


def render_figures(rows: list[dict[str, Any]]) -> Iterator[str]:
    for language in LANGUAGES:
        some = [row for row in rows if language in (None, row["language"])]
        for name, score in {**score_corrections(some), **score_outcomes(some)}.items():
            yield render_score(f"{language or 'both'} corrections {name}", score)


def render_misses(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        if _is_detected(row) != row["is_correction"]:
            yield f"{'missed' if row['is_correction'] else 'extra '} {row['text']} [{row['wrong']} > {row['right']}]"
    for one in read_outcomes(rows):
        if one.wrong is not None and not one.ends_wrong:
            yield f"stays  {one.row['text']} [{one.wrong} > {one.row['right']}]"


if __name__ == "__main__":
    files = [load_file(Path(name)) for name in list_named_files(f"{GOLDEN}/corrections_blind.jsonl")]
    run_program(
        lambda: chain.from_iterable(map(render_figures, files)),
        misses=lambda: chain.from_iterable(map(render_misses, files)),
    )
