"""Teach which held notes a sentence ends: ``make evaluation``, then ``python -m lab.teaching.ended_notes``, env set.

Writes ``snapshots/understanding/changes/data/changes.json`` and prints the cross-validated figures of each share.
``--measure`` prints the figures of the set that teaches nothing, as the platform would decide.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.measuring.clause_labels import GRADES, SELF
from lab.measuring.golden_sets import GOLDEN, load_lives, load_rows
from lab.measuring.single_message_reading import split_message
from lab.standalone import run_program
from lab.teaching.training import Flags, Strings, embed_texts, fit_regression, hash_sets, read_weights
from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.changes.change_words import has_change_cue
from snapshots.understanding.changes.ending_classifier import (
    DOUBTS,
    ENDS,
    HOLDS,
    WEIGHTS,
    EndingEffect,
    classify_effects,
    find_meant_notes,
)
from snapshots.understanding.changes.note_ending_sentences import find_changing_sentences
from snapshots.understanding.changes.sentence_note_features import (
    NoteText,
    SaidSentence,
    compute_features,
    list_pair_texts,
)
from snapshots.understanding.drafting.clause_joining import assemble_parts
from snapshots.understanding.grading.clause_classifier import LASTING, grade_messages
from snapshots.understanding.grading.clause_features import find_question
from snapshots.understanding.grading.sentence_vectors import ENCODER, Vectors
from snapshots.understanding.reading.text_folding import fold_for_matching

TEACH = ("changes_teach", "changes_teach_2", "changes_teach_3")
# Turns of talks in which no clause is labelled a change, beside what was lasting before: nothing of it ends.
TALKS = ("talk_en_1", "talk_en_2", "talk_zh_1", "talk_zh_2")
TALKS_WEIGH, TALK_CHARS = 0.3, 220
LIFE = "life"
# Lives: each sentence that may change something, beside all that its person told before. They teach what people say in
# the midst of other things; those that came later measure it.
TEACHING_LIVES = ("en", "en_2", "en_3", "en_4", "zh", "zh_2", "zh_3", "zh_4")
MEASURING_LIVES = ("en_5", "en_6", "en_7", "zh_5", "zh_6", "zh_7")
MEASURE = ("changes_measure",)
CLASSES = (DOUBTS, ENDS, HOLDS)
# Inverse strength of the regularisation (scikit-learn's C): of .05, .1, .3 and 1 the best at precision .9.
STRICTNESS = 0.3
FOLDS, ROUNDS = 10, 3
SURE, DOUBTED, KEPT = "sure", "doubted", "kept"
BECOMES: Mapping[EndingEffect | None, str] = {
    EndingEffect.ENDS: SURE,
    EndingEffect.ENDS_PART: SURE,
    EndingEffect.DOUBTS: DOUBTED,
}


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One labelled line: a sentence, the held notes, and the places of those it ends or doubts."""

    sentence: SaidSentence
    notes: tuple[NoteText, ...]
    ends: frozenset[int]
    doubts: frozenset[int]
    language: str
    # Lines of one topic are read together; a set without topics is cut line by line.
    topic: str
    # Whether the platform looks at the sentence at all: it hints at a change, or lasts.
    is_read: bool

    def label(self, place: int) -> str:
        return ENDS if place in self.ends else DOUBTS if place in self.doubts else HOLDS


def load_lines(name: str) -> list[ChangeLine]:
    """Return the lines of a set, their clauses graded as the platform grades them."""
    wanted: Sequence[dict[str, Any]] = list(_list_talk_rows(name)) if name in TALKS else load_rows(name)
    spoken = [split_message(row["said"], row["previous"]) for row in wanted]
    graded = grade_messages(spoken)
    changes = [max((grade.change for grade in grades), default=0.0) for grades in graded]
    return [
        ChangeLine(
            SaidSentence(row["said"], row["previous"] or "", change),
            tuple(NoteText(one["text"], one["about"].split(":")[-1], one["vital"] or "") for one in row["held"]),
            frozenset(row["ends"]),
            frozenset(row["doubts"]),
            row["language"],
            f"{name} {row.get('topic', row['id'])}",
            bool(find_changing_sentences(one, grades, lasting=True)),
        )
        for row, one, grades, change in zip(wanted, spoken, graded, changes, strict=True)
    ]


def _list_talk_rows(name: str) -> Iterator[dict[str, Any]]:
    """Yield turns of talks that change nothing, each as a line beside all that its speaker had told before."""
    told: dict[str, list[dict[str, Any]]] = {}
    for row in load_rows(f"grades/{name}"):
        held = told.setdefault(row["id"].rsplit("-", 2)[0], [])
        lasting = [one for one in row["clauses"] if one["grade"] in LASTING]
        changes = any(one.get("change") or one["grade"] == "change" for one in row["clauses"])
        is_read = lasting or has_change_cue(fold_for_matching(row["text"]))
        if held and is_read and not changes and len(row["text"]) <= TALK_CHARS:
            asked = {"said": row["text"], "previous": find_question(row["previous"] or ""), "ends": (), "doubts": ()}
            yield {**asked, "id": row["id"], "language": row["language"], "held": list(held)}
        held += [{"text": one["text"], "about": one.get("about", SELF), "vital": one.get("vital")} for one in lasting]


def load_lines_of_lives(name: str) -> Iterator[ChangeLine]:
    """Yield each sentence of a set of lives that may change something, with the earlier notes that still hold. Each
    sentence of a message ends all notes that the message ends."""
    for person in load_lives(name):
        texts, over = list_told_and_ended(person)
        spoken = [split_message(text) for text in texts]
        held: list[tuple[NoteText, int | None]] = []
        for turn, (one, grades) in enumerate(zip(spoken, grade_messages(spoken), strict=True)):
            current = [(note, ends) for note, ends in held if ends is None or ends >= turn]
            ends = frozenset(place for place, (_, ends) in enumerate(current) if ends == turn)
            notes = tuple(note for note, _ in current)
            for changing in find_changing_sentences(one, grades, lasting=True) if notes else ():
                yield ChangeLine(
                    changing.sentence, notes, ends, frozenset(), name[:2], f"{LIFE} {name} {turn}", is_read=True
                )
            for part in assemble_parts(one, grades):
                said = one.text[part.start : part.end]
                ended = [ends for told, ends, values in over if told == turn and any(one in said for one in values)]
                held.append((NoteText(said, SELF, part.vital_class), min(ended, default=None)))


def list_told_and_ended(person: Mapping[str, Any]) -> tuple[list[str], list[tuple[int, int, Sequence[str]]]]:
    """Return a person's messages by turn, and for each ended fact the turn that told it, the turn that ended it, and
    its values."""
    turns = [turn for talk in person["sessions"] for turn in talk["turns"]]
    own = {place: turn for turn, place in enumerate(at for at, one in enumerate(turns) if one["role"] == "user")}
    texts = [turns[place]["content"] for place in own]
    told = [(one["turn"], one["values"]) for one in person["facts"] if one["turn"] < len(texts)]
    # Some files count the user's turns, others all.
    is_own = all(any(value.lower() in texts[turn].lower() for value in values) for turn, values in told)
    ended = [one for one in person["facts"] if one.get("ends_turn") is not None]
    if is_own:
        return texts, [(one["turn"], one["ends_turn"], one["values"]) for one in ended]
    return texts, [(own[one["turn"]], own[one["ends_turn"]], one["values"]) for one in ended if one["ends_turn"] in own]


def embed_lines(lines: Sequence[ChangeLine]) -> Vectors:
    return embed_texts(text for line in lines for text in list_pair_texts(line.sentence, line.notes))


@dataclass(frozen=True, slots=True)
class ChangePairs:
    """The numbers of many pairs (n, features), their labels, the line of each and the names of the numbers."""

    numbers: Float32
    labels: Strings
    lines: npt.NDArray[np.int64]
    names: tuple[str, ...]
    weights: Float32


def build_pairs(lines: Sequence[ChangeLine], vectors: Vectors) -> ChangePairs:
    found: list[tuple[list[float], str, int]] = []
    names: tuple[str, ...] = ()
    for number, line in enumerate(lines):
        among = find_meant_notes(line.sentence, line.notes)
        if not among:
            continue
        for place, row in zip(
            among, compute_features(line.sentence, [line.notes[one] for one in among], vectors), strict=True
        ):
            names = tuple(row)
            found.append((list(map(float, row.values())), line.label(place), number))
    return ChangePairs(
        np.array([row for row, _, _ in found], np.float32),
        np.array([label for _, label, _ in found]),
        np.array([number for _, _, number in found]),
        names,
        np.array([TALKS_WEIGH if lines[number].topic.startswith(TALKS) else 1.0 for *_, number in found], np.float32),
    )


def fit_pairs(pairs: ChangePairs, mask: Flags) -> Any:
    given = pairs.numbers[mask], pairs.labels[mask], pairs.weights[mask]
    return fit_regression(*given, strictness=STRICTNESS, max_iter=5_000)


def cross_validate(pairs: ChangePairs, lines: Sequence[ChangeLine]) -> Iterator[str]:
    """Yield how well each tenth is read by a reader that the other nine taught, by share."""
    chance = np.random.default_rng(0)
    shares = np.zeros((len(pairs.labels), len(CLASSES)))
    topics = np.unique([line.topic for line in lines], return_inverse=True)[1]
    for _ in range(ROUNDS):
        fold = chance.integers(0, FOLDS, topics.max() + 1)[topics][pairs.lines]
        for one in range(FOLDS):
            held = fold == one
            shares[held] += fit_pairs(pairs, ~held).predict_proba(pairs.numbers[held]) / ROUNDS
    ends, doubts = shares[:, CLASSES.index(ENDS)], shares[:, CLASSES.index(DOUBTS)]
    stranger, is_said = (pairs.numbers[:, pairs.names.index(name)] > 0 for name in ("stranger", "is_said"))
    sure = ends * (is_said & ~stranger)
    asked = (ends + doubts) * ~stranger
    sets = np.array([line.topic.split()[0] for line in lines])
    for name in TEACH:
        chosen = sets[pairs.lines] == name
        some = [line for line in lines if line.topic.split()[0] == name]
        total = sum(len(line.ends) for line in some)
        for least in (0.75, 0.8, 0.85):
            kept = chosen & (sure >= least)
            yield _render_figure(
                f"{name}: ends from {least}", int((pairs.labels[kept] == ENDS).sum()), int(kept.sum()), total
            )
        right = chosen & (pairs.labels != HOLDS)
        for least in (0.3, 0.4, 0.5, 0.65):
            kept = chosen & (asked >= least)
            hits = int((right & kept).sum())
            yield _render_figure(f"{name}: ends or doubts from {least}", hits, int(kept.sum()), int(right.sum()))
    talk = np.isin(sets, TALKS)[pairs.lines]
    for least in (0.2, 0.3, 0.4):
        yield f"talks: of {int(talk.sum())} pairs {int((talk & (asked >= least)).sum())} are doubted from {least}"


def _render_figure(name: str, hits: int, predicted_count: int, label_count: int) -> str:
    precision, found_share = hits / max(1, predicted_count), hits / max(1, label_count)
    return f"{name}: precision {precision:.3f} recall {found_share:.3f} of {label_count}"


def render_figures(lines: Sequence[ChangeLine], title: str) -> Iterator[str]:
    vectors = embed_lines(lines)
    told: Counter[tuple[str, str]] = Counter()
    for line in lines:
        among = find_meant_notes(line.sentence, line.notes)
        judged = {
            one.place: one.effect for one in classify_effects(line.sentence, line.notes, among, vectors) if line.is_read
        }
        for place in range(len(line.notes)):
            one = judged.get(place)
            told[line.label(place), BECOMES.get(one, KEPT)] += 1
    became = {label: sum(told[label, each] for each in (SURE, DOUBTED, KEPT)) for label in CLASSES}
    sure, asked = (sum(told[label, each] for label in CLASSES) for each in (SURE, DOUBTED))
    yield _render_figure(f"{title}: sure endings", told[ENDS, SURE], sure, became[ENDS])
    right = told[ENDS, DOUBTED] + told[DOUBTS, DOUBTED]
    yield _render_figure(
        f"{title}: asked about, of what ends or is doubtful", right, asked, became[ENDS] + became[DOUBTS]
    )
    yield (
        f"{title}: ended notes that are left as they are {told[ENDS, KEPT] / max(1, became[ENDS]):.3f}; "
        f"notes that hold and are touched {1 - told[HOLDS, KEPT] / max(1, became[HOLDS]):.3f}"
    )


def measure() -> Iterator[str]:
    for name in MEASURE:
        lines = load_lines(name)
        for language in (None, "en", "zh"):
            yield from render_figures(
                [one for one in lines if language in (None, one.language)], f"{name} {language or 'both'}"
            )
    for name in MEASURING_LIVES:
        yield from render_figures(list(load_lines_of_lives(name)), f"{LIFE} {name}")


def teach() -> Iterator[str]:
    lines = [line for name in (*TEACH, *TALKS) for line in load_lines(name)]
    lines += [line for name in TEACHING_LIVES for line in load_lines_of_lives(name)]
    pairs = build_pairs(lines, embed_lines(lines))
    taught = {
        "by": hash_sets(GOLDEN, TEACH) | hash_sets(GRADES, TALKS),
        "lives": TEACHING_LIVES,
        "pairs": len(pairs.labels),
        "numbers": list(pairs.names),
    }
    model = fit_pairs(pairs, np.ones(len(pairs.labels), np.bool_))
    LinearClassifier(*read_weights(model), {}, ENCODER, taught).write(WEIGHTS)
    yield from cross_validate(pairs, lines)


if __name__ == "__main__":
    run_program(teach, measure=measure)
