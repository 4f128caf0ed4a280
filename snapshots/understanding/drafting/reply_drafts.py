"""Draft replies: recommendations, promises, figures and names that the assistant gave, in its own words.

They are never believed of the user: no profile, preference, tag or note is made of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.keyword_terms import split_terms
from profiles.provenance_and_verdict import Provenance
from snapshots.embedding.snapshot_drafts import SnapshotToStore, mask_name
from snapshots.models import MessageRole, SnapshotKind
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.config import REPLYING, ReplyingConfig
from snapshots.understanding.drafting.note_drafts import mask_turn
from snapshots.understanding.grading.assistant_reply_classifier import ReplyGrade, grade_replies
from snapshots.understanding.grading.clause_features import SpokenMessage, find_question
from snapshots.understanding.reading.clauses import Clause, split_reply_clauses
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import estimate_tokens, fold_for_matching
from snapshots.understanding.reading.vital_words import sends_to_link
from snapshots.understanding.statements.statements import HeardMessage, draft_from_message, load_messages_at
from snapshots.understanding.statements.topics import find_topics, score_importance

# Sorts that are not kept if the user has just said the same. A promise is kept, whoever said its words first.
REPEATABLE_SORTS = frozenset({"figure", "name"})


@dataclass(frozen=True, slots=True)
class AssistantAnswer:
    """A message of the assistant, and the user's turns before it."""

    heard: HeardMessage
    user_turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """Characters ``start`` to ``end`` of a message that are kept, and the grade that speaks for them."""

    start: int
    end: int
    sentence: int
    grade: ReplyGrade


def load_assistant_answers(messages: Iterable[HeardMessage]) -> list[AssistantAnswer]:
    """Return the assistant's messages among these, with the users' turns before them, in the open scope."""
    answers = [one for one in messages if one.message.role == MessageRole.ASSISTANT and one.message.remember]
    around = {
        (one.message.id, back): (one.message.conversation_id, one.message.seq - back)
        for one in answers
        for back in range(1, REPLYING.echo_turns + 1)
    }
    before = load_messages_at(set(around.values()), {one.message.subject_id for one in answers}) if answers else {}
    return [
        AssistantAnswer(
            one,
            tuple(
                before[place].content
                for back in range(1, REPLYING.echo_turns + 1)
                if (place := around[one.message.id, back]) in before and before[place].role == MessageRole.USER
            ),
        )
        for one in answers
    ]


def draft_replies(answers: Sequence[AssistantAnswer]) -> list[SnapshotToStore]:
    """Return the kept parts of the assistant's messages, in order. Embeds: no transaction may be open. Raises
    EmbeddingUnavailable without the encoder's files."""
    spoken = [_read_answer(answer) for answer in answers]
    return [
        _draft_reply(answer.heard, part)
        for answer, said, given in zip(answers, spoken, grade_replies(spoken), strict=True)
        for part in choose_reply_parts(said, given, answer.user_turns)
    ]


def choose_reply_parts(
    message: SpokenMessage, grades: Sequence[ReplyGrade], user_turns: Sequence[str]
) -> list[ReplyPart]:
    """Return the parts of a message that are kept, in order, from the grades of its clauses. A sentence is kept whole
    when one of its clauses is worth it; neighbours are one part; of many the likeliest stay."""
    known = {term for text in user_turns for term in split_terms(text)}
    worth = defaultdict[int, float](float)
    for clause, found in zip(message.clauses, grades, strict=True):
        if not _repeats_user(clause, found, known):
            worth[clause.sentence] = max(worth[clause.sentence], found.worth)
    kept = [
        ReplyPart(clause.start, clause.end, clause.sentence, found)
        for clause, found in zip(message.clauses, grades, strict=True)
        if worth[clause.sentence] >= REPLYING.kept_from
    ]
    joined = _join_parts(kept, message.text, REPLYING)
    best = sorted(joined, key=lambda part: -part.grade.worth)[: REPLYING.replies]
    return sorted(best, key=lambda part: part.start)


def _read_answer(answer: AssistantAnswer) -> SpokenMessage:
    message, previous = answer.heard.message, answer.heard.previous
    asked = find_question(previous.content) if previous and previous.role == MessageRole.USER else ""
    clauses = split_reply_clauses(message.content)[: REPLYING.graded_clauses]
    return SpokenMessage(message.content, tuple(one for one in clauses if not _is_instruction_clause(one)), asked)


def _is_instruction_clause(clause: Clause) -> bool:
    form = fold_for_matching(clause.text)
    return is_instruction(form) or sends_to_link(form)


def _repeats_user(clause: Clause, grade: ReplyGrade, known_terms: set[str]) -> bool:
    own = set(split_terms(clause.text))
    return grade.sort in REPEATABLE_SORTS and bool(own) and len(own & known_terms) >= REPLYING.echoed * len(own)


def _join_parts(parts: Iterable[ReplyPart], text: str, config: ReplyingConfig) -> Iterator[ReplyPart]:
    held: ReplyPart | None = None
    for part in parts:
        if held is None:
            held = part
        elif part.sentence - held.sentence <= 1 and estimate_tokens(text[held.start : part.end]) <= config.tokens:
            surer = max(held.grade, part.grade, key=lambda one: one.worth)
            held = replace(held, end=part.end, sentence=part.sentence, grade=surer)
        else:
            yield held
            held = part
    if held:
        yield held


def _draft_reply(heard: HeardMessage, part: ReplyPart) -> SnapshotToStore:
    message, previous = heard.message, heard.previous
    text, masked = mask_sensitive(message.content[part.start : part.end])
    name = mask_name(message.name, mask_sensitive)
    return draft_from_message(
        message,
        SnapshotKind.REPLY,
        text,
        id=stable_id("reply", message.id, part.start),
        name=name,
        previous=mask_turn(previous) if previous else None,
        previous_is_memory=False,  # an index of replies holds no turn of the user's
        category=part.grade.sort,
        topics=find_topics(text),
        importance=score_importance(text),
        confidence=REPLYING.confidence,
        provenance=Provenance.OBSERVATION,
        masked=bool(masked) or name != message.name,
        span=(part.start, part.end),
    )
