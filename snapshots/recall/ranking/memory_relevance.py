"""How probably each memory of an index helps a question, by the readers of :mod:`snapshots.relevance`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from snapshots.embedding.index_row_packing import TEXT, Float32
from snapshots.recall.config import RankingPolicy
from snapshots.recall.memory_indexes.index_columns import Float64
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import Probe
from snapshots.recall.ranking.keyword_scores import holds_name
from snapshots.recall.ranking.memory_scores import MemoryScores
from snapshots.recall.ranking.score_factors import compute_factors
from snapshots.recall.values import MEMORY_KINDS
from snapshots.relevance.config import DIMENSIONS, ENCODER_SPACE, RELEVANCE
from snapshots.relevance.note_relevance_model import NoteAxes, QuestionNotePairs, load_note_reader
from snapshots.relevance.statement_relevance import score_statements

Mask = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]
PART_DIGITS = 4
NO_ROW = -1
_SEQ_BITS = 40
_LEAST_NEED = 1e-9


@dataclass(frozen=True, slots=True)
class JudgedMemories:
    """How probably each memory helps, ``near``, shape (n,), 0 where it is not held; and the parts of that number.

    ``near`` is ``need`` times a probability. For a statement its odds lie between those of ``as_note`` and of
    ``as_statement`` (from its score). For a note or a reply it is ``as_note``, raised by ``in_time`` and
    ``asks_reply``, or that of its message, ``as_message``, where this is better. For a slot it is ``as_note``, or
    ``as_tag`` (how well the question names it) where that is more.

    Recall ranks by ``standing``: for statements by their score alone, for a note that is as relevant as its message by
    the place of that message, else by ``near``.
    """

    near: Float64
    standing: Float64
    need: float
    is_named: bool = False
    as_note: Float64 | None = None
    as_statement: Float64 | None = None
    as_message: Float64 | None = None
    asks_reply: float | None = None
    in_time: Float64 | None = None
    as_tag: Float64 | None = None

    def list_parts(self, rows: Int64) -> Sequence[Sequence[float | None]]:
        """Return the parts for some rows as explanations hold them: eight lists, by part."""
        named = RELEVANCE.named_need if self.is_named else None
        return (
            [round(self.need, PART_DIGITS)] * len(rows),
            [named] * len(rows),
            _round_relevance_part(self.as_note, rows),
            _round_relevance_part(self.as_statement, rows),
            _round_relevance_part(self.as_message, rows, hides_none=True),
            [None if self.asks_reply is None else round(self.asks_reply, PART_DIGITS)] * len(rows),
            _round_relevance_part(self.in_time, rows, hides_none=True),
            _round_relevance_part(self.as_tag, rows, hides_none=True),
        )


def raise_need_for_known_name(probe: Probe, index: MemoryIndex) -> Probe:
    """Return the probe with a need of at least ``named_need`` where ``index`` holds a name that it says."""
    least = RELEVANCE.named_need
    if probe.needs >= least or not probe.names or not holds_name(index, probe.names):
        return probe
    return replace(probe, needs=least, is_named=True)


def judge_statements(index: MemoryIndex, valid_rows: Mask, scores: MemoryScores, probe: Probe) -> JudgedMemories:
    """Return how probably each held statement helps, by its score and by the reader of notes."""
    by_score = estimate_statement_relevance(scores.fused, valid_rows)
    as_note = shift_log_odds(score_notes(index, valid_rows, scores, probe), -RELEVANCE.note_ahead)
    near = probe.needs * _blend_odds(by_score, as_note, RELEVANCE.statement_as_note)
    return JudgedMemories(near, probe.needs * by_score, probe.needs, probe.is_named, as_note, as_statement=by_score)


def estimate_statement_relevance(fused: Float32, valid_rows: Mask) -> Float64:
    """Return how probably each held statement helps, by its ``fused`` score among all of them."""
    standing = np.zeros(len(fused))
    standing[valid_rows] = score_statements(fused[valid_rows])
    return standing


def judge_notes(
    index: MemoryIndex,
    valid_rows: Mask,
    scores: MemoryScores,
    probe: Probe,
    in_time: Float32,
    *,
    asks_reply: float | None = None,
) -> JudgedMemories:
    """Return the probability that each held note, or reply, helps. ``in_time`` is their bonus by time; ``asks_reply``:
    how probably the question asks for a reply."""
    as_note = score_notes(index, valid_rows, scores, probe)
    raised = in_time + RELEVANCE.asked_reply * (asks_reply or 0.0)
    near = probe.needs * shift_log_odds(as_note, raised)
    gained = in_time.astype(np.float64)
    return JudgedMemories(near, near, probe.needs, probe.is_named, as_note, asks_reply=asks_reply, in_time=gained)


def raise_notes_to_message_relevance(
    judged: JudgedMemories,
    index: MemoryIndex,
    statement_index: MemoryIndex,
    statements: JudgedMemories,
    at: datetime,
    policy: RankingPolicy,
) -> JudgedMemories:
    """Return notes at least as relevant as their messages in ``statement_index``: a message is left out for its notes.
    They rank no higher than the message itself would, whose factors are its own."""
    rows = find_message_rows(index, statement_index)
    more = np.flatnonzero((rows != NO_ROW) & (np.append(statements.near, 0.0)[rows] > judged.near))
    rows, near, standing, as_message = rows[more], judged.near.copy(), judged.standing.copy(), np.zeros(len(index.ids))
    near[more] = statements.near[rows]
    as_message[more] = near[more] / max(judged.need, _LEAST_NEED)
    theirs, own = (
        compute_factors(*held, at, policy).prod(axis=0)
        for held in ((statement_index.columns, rows), (index.columns, more))
    )
    standing[more] = np.maximum(standing[more], near[more] * theirs / own)
    return replace(judged, near=near, standing=standing, as_message=as_message)


def find_message_rows(index: MemoryIndex, statement_index: MemoryIndex) -> Int64:
    """Return which row of ``statement_index`` is the message of each note of ``index``, shape (n,), NO_ROW for none."""
    if "places" not in statement_index.cache:
        own = _encode_message_positions(statement_index.columns.conversation.codes, statement_index.columns.seq)
        rows = np.flatnonzero((own >= 0) & (statement_index.columns.kind == MEMORY_KINDS.index("statement")))
        order = rows[np.argsort(own[rows], kind="stable")]
        statement_index.cache["places"] = own[order], order
    places, rows = cast(tuple[Int64, Int64], statement_index.cache["places"])
    codes = {text: code for code, text in enumerate(statement_index.columns.conversation.texts)}
    there = np.array([*(codes.get(text, -1) for text in index.columns.conversation.texts), -1], np.int64)
    wanted = _encode_message_positions(there[index.columns.conversation.codes], index.columns.seq)
    if not len(places):
        return np.full(len(index.ids), NO_ROW)
    found = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
    return np.where(places[found] == wanted, rows[found], NO_ROW)


def score_notes(index: MemoryIndex, alive: Mask, scores: MemoryScores, probe: Probe) -> Float64:
    """Return how probably each ``alive`` note helps a question that needs memory, shape (n,); 0 for others."""
    near, asked = np.zeros(len(index.ids)), probe.vectors.get(ENCODER_SPACE)
    pairs = QuestionNotePairs(
        words=scores.keyword[0][alive],
        lengths=index.lengths[TEXT][alive],
        cosines=scores.dense.max(axis=0)[alive],
        is_chinese=probe.is_chinese,
        question=asked,
    )
    seen = compute_note_axes(index).select_rows(alive) if asked is not None and len(asked) == DIMENSIONS else None
    near[alive] = load_note_reader().probabilities(pairs, seen)
    return near


def _encode_message_positions(conversations: npt.NDArray[Any], seq: Int64) -> Int64:
    """Return one number for each place in a conversation, -1 for none."""
    return np.where((conversations >= 0) & (seq >= 0), (conversations.astype(np.int64) << _SEQ_BITS) | seq, -1)


def _round_relevance_part(part: Float64 | None, rows: Int64, *, hides_none: bool = False) -> Sequence[float | None]:
    if part is None:
        return [None] * len(rows)
    shown: list[float] = part[rows].round(PART_DIGITS).tolist()
    return [one or None for one in shown] if hides_none else shown


def compute_note_axes(index: MemoryIndex) -> NoteAxes:
    """Return the notes' vectors along the reader's axes; cached in the index."""
    seen = index.cache.get("seen")
    if seen is None:
        rows = next((one.rows for one in index.spaces if one.name == ENCODER_SPACE), np.zeros(0, np.int32))
        seen = index.cache["seen"] = load_note_reader().project_notes(join_encoder_vectors(index), rows)
    return cast(NoteAxes, seen)


def join_encoder_vectors(index: MemoryIndex) -> Float32:
    """Return the sentence encoder's unit vectors, shape (n, d): the mean of both views; zero for none."""
    space = next((one for one in index.spaces if one.name == ENCODER_SPACE), None)
    if space is None:
        return np.zeros((len(index.ids), DIMENSIONS), np.float32)
    views = zip((space.dated, space.continued), space.scales, strict=True)
    both = np.sum([scales[:, None] * matrix.astype(np.float32) for matrix, scales in views], axis=0)
    vectors = np.zeros((len(index.ids), both.shape[1]), np.float32)
    vectors[space.rows] = both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), np.float32(1e-9))
    return vectors


def shift_log_odds(probabilities: Float64, by: float | Float32) -> Float64:
    """Return probabilities with ``by`` added to the logarithm of their odds."""
    raised = probabilities * np.exp(by)
    return np.asarray(raised / (1 - probabilities + raised), np.float64)


def _blend_odds(one: Float64, other: Float64, share: float) -> Float64:
    """Return probabilities whose odds lie between those of two, 0 where one of them is."""
    least = np.minimum(one, other) > 0
    odds = [np.log(np.where(least, each, 0.5) / np.where(least, 1 - each, 0.5)) for each in (one, other)]
    mean = (1 - share) * odds[0] + share * odds[1]
    return np.asarray(np.where(least, 1 / (1 + np.exp(-mean)), 0), np.float64)
