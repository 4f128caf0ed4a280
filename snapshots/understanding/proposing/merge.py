"""Proposed slots beside what the rows of a message gave: what both found is what the rows found."""

from collections.abc import Sequence
from dataclasses import replace

from snapshots.understanding.believing.extract import sort_out
from snapshots.understanding.believing.gate import judge
from snapshots.understanding.believing.lessons import Lesson
from snapshots.understanding.believing.message_lessons import candidates_of, is_forgotten_message, join_extractions
from snapshots.understanding.proposing.counting import count_proposal
from snapshots.understanding.proposing.slots import JudgedSlot, is_known
from snapshots.understanding.statements.statements import utterance_of
from snapshots.understanding.values import Candidate, Rejection


def with_proposed_slots(lesson: Lesson, judged: Sequence[JudgedSlot], own_names: frozenset[str]) -> Lesson:
    """Return a lesson with the proposed slots that stand and those that are refused, in the open scope.

    What the subject had forgotten teaches nothing.
    """
    if not judged or is_forgotten_message(lesson.message):
        return lesson
    extraction, said = lesson.extraction, utterance_of(lesson.message)
    known, fresh = list(candidates_of(extraction)), list[Candidate]()
    for one in (one for each in judged for one in each.candidates):
        if is_known(one, [*known, *fresh]):
            count_proposal("slot", "known")
        else:
            fresh.append(one)
    verdicts = judge(fresh, cited={said.message_key: said}, own_names=own_names)
    for _ in verdicts.accepted:
        count_proposal("slot", "accepted")
    refused = [Rejection(one.reason, one.as_proposed.evidence, one.as_proposed) for one in judged if one.reason]
    for rejection in verdicts.rejected:
        count_proposal("slot", rejection.reason)
    more = sort_out(verdicts.accepted, (*refused, *verdicts.rejected))
    return replace(lesson, extraction=join_extractions(extraction, more))
