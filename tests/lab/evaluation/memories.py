"""Subjects as an evaluation holds them once everything is loaded, built without a database."""

from datetime import timedelta

from lab.evaluation.datasets.questions import DatasetQuestion, SubjectQuestions
from lab.evaluation.ranking.evidence_overlap import estimate_tokens
from lab.evaluation.ranking.inputs import LoadedMemory, LoadedSubject, map_questions
from tests.snapshots.recall.world import EMBEDDER, NOW, id_of, index_of, memory


def subject(
    subject_id: str,
    turns: list[str],
    questions: dict[str, list[int]],
    *,
    dense: bool = True,
    answer: str | None = None,
) -> LoadedSubject:
    """Return a subject who said ``turns`` in one conversation, the last an hour before now.

    ``questions`` are asked now; each has the numbers of its evidence turns.
    """
    rows = [
        memory(text, conversation_id="c1", seq=i, said_at=NOW - timedelta(hours=len(turns) - i))
        for i, text in enumerate(turns)
    ]
    index = index_of(rows)
    asked = SubjectQuestions(
        subject_id,
        tuple(
            DatasetQuestion(
                id=f"q{i}",
                query=query,
                asked_at=NOW,
                evidence=tuple(map(str, evidence)),
                category=str(i % 2),
                answer=answer,
            )
            for i, (query, evidence) in enumerate(questions.items())
        ),
        {str(i): text for i, text in enumerate(turns)},
    )
    memories = [
        LoadedMemory(id_of(text), text, estimate_tokens(text), frozenset({str(i)}), rows[i].said_at)
        for i, text in enumerate(turns)
    ]
    embedded = [{EMBEDDER.name: EMBEDDER.embed([question.query])[0]} if dense else {} for question in asked.questions]
    loaded = tuple(map_questions(asked, embedded, memories))
    return LoadedSubject(subject_id, index, None, {held.id: held for held in memories}, loaded)
