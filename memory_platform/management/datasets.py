"""A data set of conversations on disk: read, checked as strictly as the API checks, before anything is written.

``{"name", "subjects": [{"subject_id", "conversations": [{"conversation_id", "messages": [{"message_id", "role", "name",
"content", "said_at"}]}]}]}``; further fields, such as questions, are left alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from rest_framework.exceptions import ValidationError

from memory_platform.api.faults import faults_of
from memory_platform.api.fields import ProductIdField
from memory_platform.api.v1.message_inputs import MessageInput
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.intake.values import IncomingMessage

PRODUCT_ID = ProductIdField()
MESSAGE = MessageInput()


@dataclass(frozen=True, slots=True)
class DatasetConversation:
    """One conversation of one subject, its messages in order."""

    subject_id: str
    conversation_id: str
    messages: tuple[IncomingMessage, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Everything in one file."""

    name: str
    conversations: tuple[DatasetConversation, ...]

    @property
    def subjects(self) -> int:
        """How many subjects speak."""
        return len({conversation.subject_id for conversation in self.conversations})

    @property
    def messages(self) -> int:
        """How many messages there are."""
        return sum(len(conversation.messages) for conversation in self.conversations)


def read_dataset(path: Path, *, subject_suffix: str = "") -> Dataset:
    """Return the data set in ``path``; the suffix is added to each subject's id.

    Raises OSError, and InvalidInput whose faults name every bad record, or the line and column of what is not JSON.
    """
    content = _parsed(path.read_bytes())
    faults: list[FieldFault] = []
    conversations = tuple(_conversations(content, subject_suffix, faults))
    if faults:
        raise InvalidInput(faults=faults)
    return Dataset(str(content.get("name") or path.stem), conversations)


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(content.decode())
    except UnicodeDecodeError as error:
        message = "Is not JSON in UTF-8: a byte that no character has."
        raise InvalidInput(faults=[FieldFault(f"byte {error.start + 1}", "malformed_json", message)]) from None
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput(faults=[FieldFault(place, "malformed_json", f"Is not JSON in UTF-8: {error.msg}")]) from None
    if not isinstance(value, dict):
        raise InvalidInput(faults=[FieldFault("the file", "not_an_object", 'Is one JSON object with "subjects".')])
    return value


def _conversations(content: dict[str, Any], suffix: str, faults: list[FieldFault]) -> Iterator[DatasetConversation]:
    for path, subject in _objects(content, "subjects", "", faults):
        subject_id = _id(subject, "subject_id", path, faults, suffix)
        for place, conversation in _objects(subject, "conversations", path, faults):
            conversation_id = _id(conversation, "conversation_id", place, faults)
            found = _objects(conversation, "messages", place, faults)
            messages = tuple(_message(message, at, faults) for at, message in found)
            yield DatasetConversation(subject_id, conversation_id, messages)


def _objects(
    parent: dict[str, Any], key: str, path: str, faults: list[FieldFault]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ``(path, object)`` of a list of objects, noting what is none."""
    items = parent.get(key)
    place = f"{path}.{key}" if path else key
    if not isinstance(items, list):
        faults.append(FieldFault(place, "not_a_list", "Is a list of objects."))
        return
    for index, item in enumerate(items):
        if isinstance(item, dict):
            yield f"{place}.{index}", item
        else:
            faults.append(FieldFault(f"{place}.{index}", "not_an_object", "Is a JSON object."))


def _id(item: dict[str, Any], key: str, path: str, faults: list[FieldFault], suffix: str = "") -> str:
    value = item.get(key)
    try:
        return PRODUCT_ID.to_internal_value(value + suffix if isinstance(value, str) and value else value)
    except ValidationError as error:
        faults.extend(faults_of(error.detail, f"{path}.{key}"))
        return ""


def _message(item: dict[str, Any], path: str, faults: list[FieldFault]) -> IncomingMessage:
    known = {key: value for key, value in item.items() if key in MESSAGE.fields}
    try:
        return IncomingMessage(**MESSAGE.run_validation(known))
    except ValidationError as error:
        faults.extend(faults_of(error.detail, path))
        return IncomingMessage(role="")
