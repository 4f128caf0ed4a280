"""How well sentences are read that were written apart from the rules, scored as the README of this folder says.

`python -m lab.measuring.blind_utterances [FILE ...]` prints the figures of `utterances`, or of the files
named (a set of this folder, or a path) together; `--read` those of all utterances that rules were mended by;
`--misses` prints the lines that were misread instead. A sealed set is scored without `--misses` until its figures are
published.
"""

import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from lab.measuring.golden_sets import OTHERS, Score, load_file, load_rows, render_score
from lab.measuring.single_message_reading import build_graded_context, embed_ahead
from lab.standalone import list_named_files, run_program
from memory_platform.kernel.text import simplify
from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.values import (
    Candidate,
    CurrentValue,
    FactCandidate,
    PreferenceCandidate,
    TagCandidate,
)
from tests.snapshots.understanding.utterances import utter

# The sets of utterances that rules were mended by: 766 lines of four writers.
READ = ("utterances", "utterances_2", "utterances_3", "utterances_4")
CLASSES = ("explicit", "implicit", "change", "constraint")
Level = Literal["said", "placed"]
# ``said``: the right value as the right kind of memory; ``placed``: and under a category and key the label allows.
LEVELS: tuple[Level, ...] = ("said", "placed")


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """One entry that was extracted; ``place`` is (category, key), (field,) or () where the object was not named."""

    kind: str
    sort: str
    place: tuple[str, ...]
    values: tuple[str, ...]
    replaces: str | None = None


def read_entries(text: str, current_values: Iterable[CurrentValue] = ()) -> list[FoundEntry]:
    """Return every entry that slots take from ``text`` as a worker reads it, where these values are believed."""
    return list(_read_slots(text, tuple(current_values)))


@cache
def _read_slots(text: str, current_values: tuple[CurrentValue, ...]) -> tuple[FoundEntry, ...]:
    got = extract_candidates(utter(text), context=replace(build_graded_context(text), current_values=current_values))
    candidates: Iterable[Candidate] = (*got.corrections, *got.facts, *got.preferences, *got.tags)
    return tuple(list_entries(candidates))


def list_entries(candidates: Iterable[Candidate]) -> list[FoundEntry]:
    return [entry for candidate in candidates for entry in _list_candidate_entries(candidate)]


def list_replaced_values(row: dict[str, Any]) -> list[CurrentValue]:
    """Return the values that a line's labels replace, as they may be held: of several names the one that it says."""
    labels = [label for label in row.get("expected", ()) if label.get("replaces")]
    keys = [(_to_list(label.get("key")) or _to_list(label.get("field")) or ["address"])[0] for label in labels]
    said = [choose_said_name(label["replaces"], row["text"]) for label in labels]
    return [CurrentValue(str(key), name) for key, name in zip(keys, said, strict=True)]


def choose_said_name(names: Any, text: str) -> str:
    """Return which of several names a text says, else the first."""
    several = [str(one) for one in _to_list(names)]
    return next((one for one in several if fold_text(one) in fold_text(text)), several[0])


def score_utterances(rows: Sequence[dict[str, Any]], level: Level) -> dict[str, Score]:
    embed_ahead(rows)
    hits: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for row in rows:
        right, wrong, lost = compare_line(row, level)
        hits[row["class"]] += len(right)
        missed[row["class"]] += len(lost)
        extra.update(entry.sort if row["class"] == "nothing" else row["class"] for entry in wrong)
    return {name: Score(hits[name], extra[name], missed[name]) for name in CLASSES}


def compare_line(
    row: dict[str, Any], level: Level, entries: list[FoundEntry] | None = None
) -> tuple[list[FoundEntry], list[FoundEntry], list[dict[str, Any]]]:
    """Return (right entries, wrong entries, labels that were not found) of one line.

    ``entries`` holds the entries of another reader; by default the rules read the line.
    """
    left = read_entries(row["text"], list_replaced_values(row)) if entries is None else list(entries)
    right: list[FoundEntry] = []
    lost: list[dict[str, Any]] = []
    for label in row["expected"]:
        # An entry at the right place first: of "ski" as a like and as an interest, the label may mean either.
        for at in ("placed", level):
            match = next((entry for entry in left if _matches_label(entry, label, at)), None)
            if match:
                break
        if match:
            left.remove(match)
            right.append(match)
        elif not label.get("optional"):
            lost.append(label)
    left = [entry for entry in left if not any(_matches_label(entry, label, level) for label in row.get("also", ()))]
    said_again = {value for entry in right for value in entry.values}
    over = {fold_text(one.text) for one in list_replaced_values(row)}
    left = [entry for entry in left if entry.values or fold_text(entry.replaces or "") not in over]
    wrong = [entry for entry in left if not said_again & set(entry.values) and entry.place != ("age_range",)]
    return right, wrong, lost


def score_lasting_wishes(rows: Sequence[dict[str, Any]]) -> Score:
    """Return how well lasting wishes (``lasting`` true) are told from those of the moment (false)."""
    embed_ahead(rows)
    told = Counter(
        (row["lasting"], bool(read_entries(row["text"], list_replaced_values(row)))) for row in rows if "lasting" in row
    )
    return Score(told[True, True], told[False, True], told[True, False])


def _list_candidate_entries(candidate: Candidate) -> Iterator[FoundEntry]:
    match candidate:
        case FactCandidate():
            sort = "change" if candidate.replaces else "explicit"
            yield FoundEntry("profile", sort, (candidate.field,), (fold_text(candidate.value),), candidate.replaces)
        case TagCandidate():
            values = [candidate.address, candidate.phone, *candidate.aliases]
            yield FoundEntry("tag", "explicit", (fold_text(candidate.label),), tuple(fold_text(v) for v in values if v))
        case PreferenceCandidate() if candidate.category in OTHERS:
            return
        case PreferenceCandidate():
            yield from _list_preference_entries(candidate)


def _list_preference_entries(candidate: PreferenceCandidate) -> Iterator[FoundEntry]:
    place = (candidate.category, candidate.key) if candidate.category and candidate.key else ()
    values = candidate.value if isinstance(candidate.value, tuple) else (candidate.value,)
    for value in values:
        text = fold_text(str(value))
        if candidate.mode == "remove":
            yield FoundEntry("preference", candidate.sort, place, (), text)
        else:
            yield FoundEntry("preference", candidate.sort, place, (text,), candidate.replaces)


def _matches_label(entry: FoundEntry, label: dict[str, Any], level: str) -> bool:
    return any(_matches_reading(entry, reading, level) for reading in (label, *label.get("or", ())))


def _matches_reading(entry: FoundEntry, label: dict[str, Any], level: str) -> bool:
    if entry.kind != label["kind"] and (level == "placed" or (entry.place and not _may_stand_in_profile(entry, label))):
        return False
    if not _has_value(entry, label):
        return False
    return level == "said" or _has_place(entry, label)


def _may_stand_in_profile(entry: FoundEntry, label: dict[str, Any]) -> bool:
    """Return whether both name a like or interest, which may be in the profile or a preference, or an illness, which no
    preference key holds here."""
    place, named = entry.place[-1] if entry.place else "", {*_to_list(label.get("key")), *_to_list(label.get("field"))}
    is_illness = place == "conditions" and any(name.endswith("condition") for name in named)
    return is_illness or named | {place} >= {"likes", "interests"}


def _has_value(entry: FoundEntry, label: dict[str, Any]) -> bool:
    if label["kind"] == "tag":
        said = [fold_text(text) for name in ("address", "phone") for text in _to_list(label.get(name))]
        named = [*said, *(fold_text(text) for name in ("label", "name") for text in _to_list(label.get(name)))]
        return any(_contain_each_other(a, b) for a in (*entry.values, *entry.place) for b in named) and (
            not said or any(_contain_each_other(a, b) for a in entry.values for b in said)
        )
    wanted = _to_list(label.get("value"))
    # What a line replaces has ended; what holds instead may be left to its note.
    if not wanted or (entry.sort == "change" and not entry.values):
        return not entry.values and (
            label.get("replaces") is None
            or any(
                _contain_each_other(fold_text(entry.replaces or ""), fold_text(r)) for r in _to_list(label["replaces"])
            )
        )
    return any(_contain_each_other(value, fold_text(str(one))) for value in entry.values for one in wanted)


def _has_place(entry: FoundEntry, label: dict[str, Any]) -> bool:
    if not entry.place:
        return entry.kind == "preference"  # the writer finds the place by the old value
    if label["kind"] == "preference":
        wanted = (_to_list(label.get("category")), _to_list(label["key"]))
        return all(
            not names or _normalise_name(at) in map(_normalise_name, names)
            for at, names in zip(entry.place, wanted, strict=True)
        )
    names = label.get("field") if label["kind"] == "profile" else label.get("label")
    return any(
        _contain_each_other(_normalise_name(entry.place[0]), _normalise_name(str(name))) for name in _to_list(names)
    )


def _to_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _normalise_name(text: str) -> str:
    # Our key names its category again (food/avoid_food): the labels' "avoid".
    text = "avoid" if text in {"avoid_food", "avoid_road", "avoid_music", "avoid_thing"} else text
    return "_".join(word.removesuffix("s") for word in fold_text(text).split("_"))


def _contain_each_other(one: str, other: str) -> bool:
    return bool(one and other) and (one in other or other in one)


def fold_text(text: str) -> str:
    """Return ``text`` with case, width and traditional characters folded."""
    return simplify(unicodedata.normalize("NFKC", text)).casefold().strip()


def render_report(rows: list[dict[str, Any]]) -> Iterator[str]:
    utterances = [row for row in rows if "class" in row]
    for language in (None, "en", "zh"):
        name = language or "both"
        some = [row for row in utterances if language in (None, row["language"])]
        if some:
            yield from _render_utterance_scores(name, some)


def _render_utterance_scores(name: str, some: list[dict[str, Any]]) -> Iterator[str]:
    for level in LEVELS:
        scores = score_utterances(some, level)
        yield from (render_score(f"{name} {level} {part}", score) for part, score in scores.items())
    nothing = [row for row in some if row["class"] == "nothing"]
    silent = sum(not read_entries(row["text"]) for row in nothing)
    yield f"{name} nothing: silent on {silent} of {len(nothing)}"
    yield render_score(f"{name} lasting", score_lasting_wishes(some))


def render_misread(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        _, wrong, lost = compare_line(row, "placed")
        if wrong or lost:
            yield f"{row['id']} {row['class']} {row['text']}\n   wrong {wrong}\n   lost {lost}"


def read_lines(name: str) -> list[dict[str, Any]]:
    return load_file(Path(name)) if name.endswith(".jsonl") else load_rows(name)


if __name__ == "__main__":
    files = [*list_named_files(), *(READ if "--read" in sys.argv else ())] or ["utterances"]
    lines = [row for name in files for row in read_lines(name)]
    run_program(lambda: render_report(lines), misses=lambda: render_misread(lines))
