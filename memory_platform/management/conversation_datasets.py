"""Data sets of conversations: read from a file, checked as strictly as the API checks, and loaded into a tenant.

``SAMPLE`` shows the format. Unknown fields are ignored, except names that other formats use for one of our fields:
a file with its dates in ``timestamp`` would silently lose them all. A message without an id gets one made of its
content and place, so that a second load finds it again.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
from django.core.management.base import CommandError
from rest_framework.exceptions import ValidationError

from memory_platform.api.requests.fields import ProductIdField, flatten_faults
from memory_platform.api.v1.conversations.message_inputs import MessageInput
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.ids import stable_id
from profiles.services.subjects import ensure_subject
from snapshots.intake.conversation_rows import end_conversation_on_request
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from tenants.isolation import tenant_tx

FAULTS_SHOWN = 10
# The smallest useful file; ``message_id``, ``name`` and ``said_at`` are optional.
SAMPLE = """\
{"subjects": [{
  "subject_id": "user_1",
  "conversations": [{
    "conversation_id": "2026-03-01",
    "messages": [
      {"message_id": "1", "role": "user", "content": "I moved to Lisbon.", "said_at": "2026-03-01T10:00:00Z"},
      {"message_id": "2", "role": "assistant", "content": "Well done!", "said_at": "2026-03-01T10:00:05Z"}]}]}]}"""

# The names that other formats use for our fields.
OUR_NAMES = {
    **dict.fromkeys(("timestamp", "time", "date", "datetime", "sent_at", "created_at"), "said_at"),
    **dict.fromkeys(("text", "message", "body"), "content"),
    **dict.fromkeys(("speaker", "author"), "name"),
    "id": "message_id",
}

# Messages in one transaction: a stop loses at most these, and a repeat stores them.
BATCH = 200
PRODUCT_ID = ProductIdField()
MESSAGE = MessageInput()


@contextmanager
def explain_faults(path: Path, refusal: str) -> Iterator[None]:
    """Turn an unreadable file, or one that is refused inside the block, into a CommandError with its faults."""
    try:
        yield
    except OSError as fault:
        raise CommandError(f"Cannot read {path}: {fault.strerror}. Name a JSON file that you may read.") from None
    except InvalidInput as fault:
        shown = [f"  {one.field}: {one.message}" for one in fault.faults[:FAULTS_SHOWN]]
        if len(fault.faults) > FAULTS_SHOWN:
            shown.append(f"  ... and {len(fault.faults) - FAULTS_SHOWN:,} more")
        raise CommandError("\n".join([f"{path} {refusal}; nothing was loaded. Correct:", *shown])) from None


@dataclass(frozen=True, slots=True)
class DatasetConversation:
    """One conversation of one subject, its messages in order."""

    subject_id: str
    conversation_id: str
    messages: tuple[IncomingMessage, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """The content of one file."""

    name: str
    conversations: tuple[DatasetConversation, ...]

    @property
    def subjects(self) -> int:
        return len({conversation.subject_id for conversation in self.conversations})

    @property
    def messages(self) -> int:
        return sum(len(conversation.messages) for conversation in self.conversations)


def read_dataset(path: Path, *, subject_suffix: str = "") -> Dataset:
    """Return the data set in ``path``; the suffix is added to each subject's id. Raises OSError, and InvalidInput whose
    faults name every bad record, or the line and column of invalid JSON."""
    content = _parse_json(path.read_bytes())
    faults: list[FieldFault] = []
    conversations = tuple(_list_conversations(content, subject_suffix, faults))
    if faults:
        raise InvalidInput(faults=faults)
    return Dataset(str(content.get("name") or path.stem), conversations)


def import_dataset(
    dataset: Dataset, tenant_id: UUID, counts: "Counter[str]", *, advance: Callable[[int], object]
) -> None:
    """Load ``dataset`` into a tenant and end each conversation; ``advance`` gets the size of each stored batch.

    ``counts`` grows meanwhile, so that a caller that is stopped knows how far it came: ``messages``, and of them
    ``stored``, ``duplicate`` and ``content_differs``.
    """
    for conversation in dataset.conversations:
        for start in range(0, len(conversation.messages), BATCH):
            batch = conversation.messages[start : start + BATCH]
            with tenant_tx(tenant_id):
                subject = ensure_subject(conversation.subject_id)
                accepted = accept_messages(subject, conversation.conversation_id, batch)
            counts["messages"] += len(batch)
            counts.update(fate.verdict for fate in accepted.messages)
            counts.update(fate.reason for fate in accepted.messages if fate.reason)
            advance(len(batch))
        if conversation.messages:
            with tenant_tx(tenant_id):
                end_conversation_on_request(conversation.subject_id, conversation.conversation_id)


def _parse_json(content: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(content.decode())
    except UnicodeDecodeError as error:
        message = "Is not JSON in UTF-8: a byte that no character has."
        raise InvalidInput(faults=[FieldFault(f"byte {error.start + 1}", "malformed_json", message)]) from None
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput(faults=[FieldFault(place, "malformed_json", f"Is not JSON in UTF-8: {error.msg}")]) from None
    if not isinstance(value, dict):
        raise InvalidInput(faults=[FieldFault("the file", "not_an_object", 'Must be one JSON object with "subjects".')])
    return value


def _list_conversations(
    content: dict[str, Any], suffix: str, faults: list[FieldFault]
) -> Iterator[DatasetConversation]:
    for path, subject in _list_objects(content, "subjects", "", faults):
        subject_id = _read_id(subject, "subject_id", path, faults, suffix)
        for place, conversation in _list_objects(subject, "conversations", path, faults):
            conversation_id = _read_id(conversation, "conversation_id", place, faults)
            found = _list_objects(conversation, "messages", place, faults)
            messages = [_read_message(message, at, faults) for at, message in found]
            yield DatasetConversation(subject_id, conversation_id, tuple(_add_message_ids(messages, conversation_id)))


def _list_objects(
    parent: dict[str, Any], key: str, path: str, faults: list[FieldFault]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ``(path, object)`` for a list of objects, and note each item that is not an object."""
    items = parent.get(key)
    place = f"{path}.{key}" if path else key
    if not isinstance(items, list):
        faults.append(FieldFault(place, "not_a_list", "Must be a list of objects."))
        return
    for index, item in enumerate(items):
        if isinstance(item, dict):
            yield f"{place}.{index}", item
        else:
            faults.append(FieldFault(f"{place}.{index}", "not_an_object", "Must be a JSON object."))


def _read_id(item: dict[str, Any], key: str, path: str, faults: list[FieldFault], suffix: str = "") -> str:
    value = item.get(key)
    if value is None:
        faults.append(FieldFault(f"{path}.{key}", "required", "This field is required."))
        return ""
    try:
        return PRODUCT_ID.to_internal_value(value + suffix if isinstance(value, str) and value else value)
    except ValidationError as error:
        faults.extend(flatten_faults(error.detail, f"{path}.{key}"))
        return ""


def _add_message_ids(messages: list[IncomingMessage], conversation_id: str) -> Iterator[IncomingMessage]:
    said: Counter[tuple[object, ...]] = Counter()
    for message in messages:
        what = (message.role, message.name, message.text, message.said_at)
        said[what] += 1
        made = message.message_id or str(stable_id("import", conversation_id, *what, said[what]))
        yield replace(message, message_id=made)


def _read_message(item: dict[str, Any], path: str, faults: list[FieldFault]) -> IncomingMessage:
    for key in item.keys() & OUR_NAMES.keys():
        faults.append(FieldFault(f"{path}.{key}", "unknown", f"Is called {OUR_NAMES[key]} here."))
    known = {key: value for key, value in item.items() if key in MESSAGE.fields}
    try:
        return IncomingMessage(**MESSAGE.run_validation(known))
    except ValidationError as error:
        faults.extend(flatten_faults(error.detail, path))
        return IncomingMessage(role="")
