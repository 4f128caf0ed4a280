"""Draft replies: recommendations, promises, figures and names that the assistant gave, in its own words.

They are never believed of the user: no profile, preference, tag or note is made of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.terms import terms
from profiles.values import Provenance
from snapshots.embedding.drafts import SnapshotDraft
from snapshots.embedding.stored_drafts import masked_name
from snapshots.models import MessageRole, SnapshotKind
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.config import REPLYING, ReplyingPolicy
from snapshots.understanding.drafting.draft import turn_of
from snapshots.understanding.grading.features import Spoken, asked_in
from snapshots.understanding.grading.replies import Given, grade_replies
from snapshots.understanding.reading.clauses import Clause, split_reply
from snapshots.understanding.reading.forms import matching_form, rough_tokens
from snapshots.understanding.reading.instructions import is_instruction
from snapshots.understanding.reading.vital import sends_to_link
from snapshots.understanding.statements.statements import Heard, message_draft, messages_at
from snapshots.understanding.statements.topics import importance_of, topics_of

# Sorts that are nothing new when the user has just said the same. A promise is one in anybody's words.
GIVEN_ANYWAY = frozenset({"figure", "name"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A message of the assistant, and the user's turns before it."""

    heard: Heard
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """Characters ``start`` to ``end`` of a message that are kept, and the grade that speaks for them."""

    start: int
    end: int
    sentence: int
    given: Given


def answers_in(said: Iterable[Heard], policy: ReplyingPolicy = REPLYING) -> list[Answer]:
    """Return the assistant's messages among these, with the users' turns before them, in the open scope."""
    answers = [one for one in said if one.message.role == MessageRole.ASSISTANT and one.message.remember]
    around = {(one.message.id, back): _back(one, back) for one in answers for back in range(1, policy.echo_turns + 1)}
    before = messages_at(set(around.values()), {one.message.subject_id for one in answers}) if answers else {}
    return [
        Answer(
            one,
            tuple(
                before[place].content
                for back in range(1, policy.echo_turns + 1)
                if (place := around[one.message.id, back]) in before and before[place].role == MessageRole.USER
            ),
        )
        for one in answers
    ]


def draft_replies(answers: Sequence[Answer], policy: ReplyingPolicy = REPLYING) -> list[SnapshotDraft]:
    """Return the kept parts of the assistant's messages, in order. Embeds: no transaction may be open.

    Raises EmbeddingUnavailable without the encoder's files.
    """
    spoken = [_spoken(answer, policy) for answer in answers]
    return [
        _draft(answer.heard, part, policy)
        for answer, said, given in zip(answers, spoken, grade_replies(spoken), strict=True)
        for part in reply_parts(said, given, answer.told, policy)
    ]


def reply_parts(
    spoken: Spoken, given: Sequence[Given], told: Sequence[str], policy: ReplyingPolicy = REPLYING
) -> list[ReplyPart]:
    """Return the parts of a message that are kept, in order, from the grades of its clauses.

    A sentence is kept whole when one of its clauses is worth it; neighbours are one part; of many the likeliest stay.
    """
    known = {term for text in told for term in terms(text)}
    worth = defaultdict[int, float](float)
    for clause, found in zip(spoken.clauses, given, strict=True):
        if not _is_echo(clause, found, known, policy):
            worth[clause.sentence] = max(worth[clause.sentence], found.worth)
    kept = [
        ReplyPart(clause.start, clause.end, clause.sentence, found)
        for clause, found in zip(spoken.clauses, given, strict=True)
        if worth[clause.sentence] >= policy.kept_from
    ]
    joined = _join(kept, spoken.text, policy)
    best = sorted(joined, key=lambda part: -part.given.worth)[: policy.replies]
    return sorted(best, key=lambda part: part.start)


def _spoken(answer: Answer, policy: ReplyingPolicy) -> Spoken:
    message, previous = answer.heard.message, answer.heard.previous
    asked = asked_in(previous.content) if previous and previous.role == MessageRole.USER else ""
    clauses = split_reply(message.content)[: policy.graded_clauses]
    return Spoken(message.content, tuple(one for one in clauses if not _instructs(one)), asked)


def _instructs(clause: Clause) -> bool:
    form = matching_form(clause.text)
    return is_instruction(form) or sends_to_link(form)


def _is_echo(clause: Clause, given: Given, known: set[str], policy: ReplyingPolicy) -> bool:
    own = set(terms(clause.text))
    return given.sort in GIVEN_ANYWAY and bool(own) and len(own & known) >= policy.echoed * len(own)


def _join(parts: Iterable[ReplyPart], text: str, policy: ReplyingPolicy) -> Iterator[ReplyPart]:
    held: ReplyPart | None = None
    for part in parts:
        if held is None:
            held = part
        elif part.sentence - held.sentence <= 1 and rough_tokens(text[held.start : part.end]) <= policy.tokens:
            surer = max(held.given, part.given, key=lambda one: one.worth)
            held = replace(held, end=part.end, sentence=part.sentence, given=surer)
        else:
            yield held
            held = part
    if held:
        yield held


def _draft(heard: Heard, part: ReplyPart, policy: ReplyingPolicy) -> SnapshotDraft:
    message, previous = heard.message, heard.previous
    text, masked = mask_sensitive(message.content[part.start : part.end])
    name = masked_name(message.name, mask_sensitive)
    return message_draft(
        message,
        SnapshotKind.REPLY,
        text,
        id=stable_id("reply", message.id, part.start),
        name=name,
        previous=turn_of(previous) if previous else None,
        previous_is_memory=False,  # an image of replies holds no turn of the user's
        category=part.given.sort,
        topics=topics_of(text),
        importance=importance_of(text),
        confidence=policy.confidence,
        provenance=Provenance.OBSERVATION,
        masked=bool(masked) or name != message.name,
        span=(part.start, part.end),
    )


def _back(heard: Heard, turns: int) -> tuple[UUID, int]:
    return heard.message.conversation_id, heard.message.seq - turns
