"""The questions of a data set: checked as strictly as its conversations, and tied to the turns that answer them."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.management.conversation_datasets import Dataset, DatasetConversation, read_dataset
from snapshots.intake.values import IncomingMessage

# A question without a time is asked a day after the last turn.
AFTERWARDS = timedelta(days=1)


class DatasetQuestion(BaseModel):
    """One question. ``evidence`` names the messages that answer it; ``answer`` is a reference answer."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: str
    query: str = Field(min_length=1)
    asked_at: AwareDatetime | None = None
    evidence: tuple[str, ...] = ()
    category: str = ""
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class SubjectQuestions:
    """The questions to one subject's memory: each has a time, and only evidence said before it."""

    subject_id: str
    questions: tuple[DatasetQuestion, ...]
    # The words of each message by its id.
    turns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A data set with its questions. ``sha256`` is the file's, ``left_out`` counts the questions not asked, by why."""

    dataset: Dataset
    sha256: str
    subjects: tuple[SubjectQuestions, ...]
    left_out: Mapping[str, int]

    @property
    def questions(self) -> int:
        return sum(len(subject.questions) for subject in self.subjects)


def read_evaluation_set(
    path: Path,
    *,
    categories: frozenset[str] = frozenset(),
    skipped: frozenset[str] = frozenset(),
    afterwards: bool = False,
) -> EvaluationSet:
    """Return the data set in ``path`` with the questions of ``categories`` (empty: of all) but not of ``skipped``.

    With ``afterwards`` every question is asked a day after its subject's last turn, whatever time it has. Evidence that
    was not said by then is no evidence; a question without any cannot be judged: it is left out and counted. Raises
    OSError, and InvalidInput, which names every bad record.
    """
    dataset = read_dataset(path)
    content = path.read_bytes()
    asked = _read_questions(orjson.loads(content))
    left_out: Counter[str] = Counter()
    subjects = []
    for subject_id, questions in asked.items():
        spoken = [conversation for conversation in dataset.conversations if conversation.subject_id == subject_id]
        turns = {str(message.message_id): message.text for message in _list_messages(spoken)}
        said = [message.said_at for message in _list_messages(spoken) if message.said_at]
        at = max(said) + AFTERWARDS if said else utc_now()
        timed = [
            question if question.asked_at and not afterwards else question.model_copy(update={"asked_at": at})
            for question in questions
        ]
        kept = [_drop_later_evidence(question, spoken) for question in timed]
        chosen = [question for question in kept if _is_chosen(question, categories, skipped, left_out)]
        _refuse_ambiguous(subject_id, chosen, spoken)
        subjects.append(SubjectQuestions(subject_id, tuple(chosen), turns))
    return EvaluationSet(dataset, hashlib.sha256(content).hexdigest(), tuple(subjects), dict(left_out))


def _read_questions(content: Mapping[str, Any]) -> Mapping[str, list[DatasetQuestion]]:
    """Return the questions by subject. Raises InvalidInput for faults, and for a file without any question."""
    faults: list[FieldFault] = []
    found: dict[str, list[DatasetQuestion]] = {}
    for number, subject in enumerate(content["subjects"]):
        held = found.setdefault(subject["subject_id"], [])
        held += _parse_questions(subject.get("questions") or [], f"subjects.{number}.questions", faults)
    if not faults and not any(found.values()):
        faults.append(FieldFault("subjects", "no_questions", "No subject has questions: there is nothing to evaluate."))
    if faults:
        raise InvalidInput(faults=faults)
    return found


def _parse_questions(items: Any, path: str, faults: list[FieldFault]) -> Iterator[DatasetQuestion]:
    if not isinstance(items, list):
        faults.append(FieldFault(path, "not_a_list", "Must be a list of objects."))
        return
    for number, item in enumerate(items):
        named = {"id": str(number), **item} if isinstance(item, dict) else item
        try:
            yield DatasetQuestion.model_validate(named)
        except ValidationError as invalid:
            for fault in invalid.errors(include_input=False, include_url=False):
                place = ".".join([path, str(number), *map(str, fault["loc"])])
                faults.append(FieldFault(place, fault["type"], fault["msg"]))


def _list_messages(conversations: list[DatasetConversation]) -> Iterator[IncomingMessage]:
    for conversation in conversations:
        yield from conversation.messages


def _drop_later_evidence(question: DatasetQuestion, conversations: list[DatasetConversation]) -> DatasetQuestion:
    """Return the question without evidence that nobody had said when it was asked."""
    at = question.asked_at
    held = {
        str(one.message_id) for one in _list_messages(conversations) if not one.said_at or not at or one.said_at <= at
    }
    said = tuple(dict.fromkeys(message_id for message_id in question.evidence if message_id in held))
    return question.model_copy(update={"evidence": said})


def _is_chosen(
    question: DatasetQuestion, categories: frozenset[str], skipped: frozenset[str], left_out: "Counter[str]"
) -> bool:
    reason = ""
    if question.category in skipped or (categories and question.category not in categories):
        reason = "category"
    elif not question.evidence:
        reason = "no_evidence"
    left_out.update([reason] if reason else [])
    return not reason


def _refuse_ambiguous(
    subject_id: str, questions: list[DatasetQuestion], conversations: list[DatasetConversation]
) -> None:
    """Evidence is named by message id alone. Raises InvalidInput when two conversations of a subject share one."""
    told = Counter(str(message.message_id) for message in _list_messages(conversations))
    twice = sorted({message_id for question in questions for message_id in question.evidence if told[message_id] > 1})
    if twice:
        message = f"Of {subject_id} two conversations hold messages that evidence names: {', '.join(twice[:3])}."
        raise InvalidInput(faults=[FieldFault("questions.evidence", "ambiguous", message)])
