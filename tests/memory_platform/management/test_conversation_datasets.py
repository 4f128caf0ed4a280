"""A data set is checked whole before anything is written. Rows: C1. Matrix: 46, 48."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from memory_platform.kernel.errors import InvalidInput
from memory_platform.management.conversation_datasets import SAMPLE, read_dataset

MESSAGE: dict[str, Any] = {
    "message_id": "D1:1",
    "role": "user",
    "name": "Caroline",
    "content": "Hey Mel!",
    "said_at": "2023-05-08T13:56:00+00:00",
}


def dataset(**message: Any) -> dict[str, Any]:
    conversation = {"conversation_id": "c1", "messages": [MESSAGE | message]}
    return {"name": "tiny", "language": "en", "subjects": [{"subject_id": "s1", "conversations": [conversation]}]}


def write(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "tiny.json"
    path.write_bytes(content if isinstance(content, bytes) else orjson.dumps(content))
    return path


def faults_of(path: Path) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refused:
        read_dataset(path)
    return {fault.field: fault.code for fault in refused.value.faults}


def test_a_data_set_becomes_conversations_of_subjects(tmp_path: Path) -> None:
    found = read_dataset(write(tmp_path, dataset(content="我喜欢爬山", name=None)), subject_suffix="-run1")

    (conversation,) = found.conversations
    assert (found.name, found.subjects, found.messages) == ("tiny", 1, 1)
    assert (conversation.subject_id, conversation.conversation_id) == ("s1-run1", "c1")
    assert (conversation.messages[0].text, conversation.messages[0].name) == ("我喜欢爬山", None)


def test_what_else_stands_in_the_file_is_left_alone(tmp_path: Path) -> None:
    content = dataset(image_url="x")
    content["subjects"][0]["questions"] = [{"id": "q1"}]

    assert read_dataset(write(tmp_path, content)).messages == 1


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"role": "narrator"}, "role"),
        ({"content": 5}, "content"),
        ({"content": ""}, "content"),
        ({"content": "a\x00b"}, "content"),
        ({"content": "x" * 70_000}, "content"),
        ({"message_id": "a/b"}, "message_id"),
        ({"said_at": "2023-05-08"}, "said_at"),
        ({"name": ["Mel"]}, "name"),
    ],
)
def test_a_bad_message_is_named(tmp_path: Path, message: dict[str, Any], field: str) -> None:
    assert list(faults_of(write(tmp_path, dataset(**message)))) == [f"subjects.0.conversations.0.messages.0.{field}"]


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({}, "subjects"),
        ({"subjects": {}}, "subjects"),
        ({"subjects": [7]}, "subjects.0"),
        ({"subjects": [{"subject_id": "s"}]}, "subjects.0.conversations"),
        ({"subjects": [{"conversations": []}]}, "subjects.0.subject_id"),
        ({"subjects": [{"subject_id": "x" * 201, "conversations": []}]}, "subjects.0.subject_id"),
        (
            {"subjects": [{"subject_id": "s", "conversations": [{"conversation_id": "c"}]}]},
            "subjects.0.conversations.0.messages",
        ),
        (
            {"subjects": [{"subject_id": "s", "conversations": [{"conversation_id": 5, "messages": []}]}]},
            "subjects.0.conversations.0.conversation_id",
        ),
        ([], "the file"),
        (b'{"subjects": [\n  {"subject_id": }', "line 2, column 18"),
        (b'{"subjects": "\xff"}', "byte 15"),
        (b"", "line 1, column 1"),
    ],
)
def test_a_bad_file_is_named_by_its_place(tmp_path: Path, content: Any, field: str) -> None:
    assert list(faults_of(write(tmp_path, content))) == [field]


def test_every_fault_is_reported_at_once(tmp_path: Path) -> None:
    content = dataset(role="narrator", content=5)
    content["subjects"].append({"subject_id": ""})

    assert len(faults_of(write(tmp_path, content))) == 4


def test_the_sample_that_help_shows_is_a_data_set(tmp_path: Path) -> None:
    assert read_dataset(write(tmp_path, SAMPLE.encode())).messages == 2


def test_messages_without_ids_get_the_same_ones_at_each_load(tmp_path: Path) -> None:
    unnamed = {"role": "user", "content": "好的"}
    conversation = {"conversation_id": "c1", "messages": [unnamed, MESSAGE, unnamed]}
    path = write(tmp_path, {"subjects": [{"subject_id": "s1", "conversations": [conversation]}]})
    first, second = ([m.message_id for m in read_dataset(path).conversations[0].messages] for _ in range(2))
    assert first == second
    assert len(set(first)) == 3


def test_a_field_that_other_formats_use_for_ours_is_refused_by_name(tmp_path: Path) -> None:
    faults = faults_of(write(tmp_path, dataset(timestamp="2026-03-01T10:00:00Z")))
    assert list(faults) == ["subjects.0.conversations.0.messages.0.timestamp"]


def test_a_missing_id_is_required_not_of_another_type(tmp_path: Path) -> None:
    faults = faults_of(write(tmp_path, {"subjects": [{"conversations": []}]}))
    assert faults == {"subjects.0.subject_id": "required"}
