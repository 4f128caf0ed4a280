"""Whose memory it is: mem0's four ids beside our subjects, conversations and metadata.

``user_id`` is a subject and ``run_id`` a conversation. A memory without a user belongs to a subject of its own, named
``agent:NAME``, ``app:NAME`` or ``run:NAME``. Ids without a place of their own are kept in the memory's metadata, under
the keys of :data:`MARKS`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.product_ids import find_product_id_fault
from snapshots.models import Snapshot

TYPES = ("user", "agent", "app", "run")
ID_OF_TYPE = {kind: f"{kind}_id" for kind in TYPES}
# How the subject of a memory without a user begins.
PREFIXES = {kind: f"{kind}:" for kind in TYPES if kind != "user"}
PREFIX_PATTERN = r"^(agent|app|run):"
MARKS = {
    name: f"mem0:{name}" for name in ("agent_id", "app_id", "run_id", "categories", "immutable", "role", "feedback")
}
FEEDBACK_MARK = MARKS["feedback"]
_NAME_OF_MARK = {mark: name for name, mark in MARKS.items()}
# The conversation of messages that name no run.
NO_RUN = "mem0"


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """The ids that a call names."""

    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None

    @property
    def subject_id(self) -> str:
        """The product's id of the subject whose memory it is."""
        if self.user_id:
            return self.user_id
        kind = next(kind for kind in PREFIXES if getattr(self, ID_OF_TYPE[kind]))
        return f"{PREFIXES[kind]}{getattr(self, ID_OF_TYPE[kind])}"

    @property
    def conversation_id(self) -> str:
        return self.run_id or NO_RUN

    def list_marks(self) -> dict[str, str]:
        """Return the part of it that the metadata keeps."""
        names = ("agent_id", "app_id", "run_id")
        return {MARKS[name]: value for name in names if (value := getattr(self, name))}


def read_scope(values: Mapping[str, Any], *, needed: bool = True) -> MemoryScope:
    """Return the ids among ``values``. Raises InvalidInput for a malformed one, and for none if one is ``needed``."""
    found: dict[str, str] = {}
    for name in ID_OF_TYPE.values():
        value = values.get(name)
        if value is not None and value != "":
            found[name] = _check_name(name, str(value) if isinstance(value, int) else value)
    if needed and not found:
        _refuse_value("user_id", "required", "Name at least one of user_id, agent_id, app_id and run_id.")
    scope = MemoryScope(**found)
    if needed:
        _check_name("user_id" if scope.user_id else "agent_id", scope.subject_id, is_subject=True)
    return scope


def split_subject_id(external_id: str) -> tuple[str, str]:
    """Return the type and the name of the entity that a subject stands for."""
    for kind, prefix in PREFIXES.items():
        if external_id.startswith(prefix):
            return kind, external_id.removeprefix(prefix)
    return "user", external_id


def build_subject_id(kind: str, name: str) -> str:
    return f"{PREFIXES.get(kind, '')}{name}"


def find_scope(snapshot: Snapshot) -> MemoryScope:
    """Return the ids of a stored memory; its subject and conversation are loaded."""
    kind, name = split_subject_id(snapshot.subject.external_id)
    found: dict[str, str] = {"run_id": _find_run_id(snapshot)} if _find_run_id(snapshot) else {}
    found |= {one: str(held) for one in ("agent_id", "app_id", "run_id") if (held := snapshot.metadata.get(MARKS[one]))}
    return MemoryScope(**{**found, ID_OF_TYPE[kind]: name})


def drop_marks(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the product's own part of a memory's metadata."""
    return {key: value for key, value in metadata.items() if key not in _NAME_OF_MARK}


def choose_marks(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key in _NAME_OF_MARK}


def refuse_marks(metadata: Mapping[str, Any]) -> None:
    """Raise InvalidInput for metadata of a product that has a key of ours."""
    taken = next((key for key in metadata if key in _NAME_OF_MARK), None)
    if taken:
        _refuse_value(
            f"metadata.{taken}", "reserved", f"This key is reserved: send {_NAME_OF_MARK[taken]} beside the metadata."
        )


def _find_run_id(snapshot: Snapshot) -> str:
    run = snapshot.conversation.external_id if snapshot.conversation else ""
    return "" if run == NO_RUN else run


def _check_name(field: str, value: object, *, is_subject: bool = False) -> str:
    if not isinstance(value, str):
        _refuse_value(field, "wrong_type", "Must be a text.")
    fault = ("reserved", "Must not be '*', which means any.") if value == "*" else find_product_id_fault(value)
    if fault:
        _refuse_value(field, *fault)
    if field == "user_id" and not is_subject and split_subject_id(value)[0] != "user":
        _refuse_value(
            field, "reserved", f"Must not begin with {', '.join(PREFIXES.values())}: these are agents, apps and runs."
        )
    return value


def _refuse_value(field: str, code: str, message: str) -> NoReturn:
    raise InvalidInput(faults=[FieldFault(field, code, message)])
