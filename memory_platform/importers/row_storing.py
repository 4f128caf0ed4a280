"""Store imported rows, a batch at a time, with a verdict for each.

Memories go through the import of our own export lines, messages through the intake, preferences through the beliefs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any
from uuid import UUID

from rest_framework.exceptions import ValidationError

from memory_platform.api.requests.fields import flatten_faults
from memory_platform.api.v1.conversations.message_inputs import MessageInput
from memory_platform.api.v1.profiles.preference_serializers import refuse_sensitive_preference
from memory_platform.importers.config import IMPORTERS
from memory_platform.importers.foreign_rows import (
    REFUSED,
    STORED,
    UNCHANGED,
    ForeignMemory,
    ForeignMessage,
    ForeignPreference,
    ForeignRow,
    RowFault,
    RowVerdict,
    UnusableRow,
)
from memory_platform.importers.own_export_lines import build_line, make_origin
from memory_platform.kernel.errors import Refused
from profiles.models import Preference, Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.selectors import build_subject_key, find_subject
from profiles.services.beliefs import list_said_times
from profiles.services.preferences import build_preference_place, record_preference
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import REASON as FORGOTTEN
from profiles.services.tombstones import find_forgotten_texts, has_tombstones
from profiles.services.value_claims import OLDER, have_same_value, make_learned_claim
from snapshots.intake.conversation_rows import end_conversation_on_request
from snapshots.intake.pipeline import accept_messages, prepare_messages
from snapshots.intake.values import CONTENT_DIFFERS, IncomingMessage
from snapshots.models import Message
from snapshots.notes.notes_of_ended_slots import end_notes_of_ended_values
from snapshots.policies.effective_policies import load_effective_notes_policy
from snapshots.portability.import_job import find_stored_lines, import_snapshots, refresh_search_text_and_indexes
from snapshots.portability.line_kinds import IdMapping
from tenants.isolation import tenant_tx
from tenants.models import Tenant

_MESSAGE = MessageInput()
_KINDS = {ForeignMemory: "memory", ForeignMessage: "message", ForeignPreference: "preference", RowFault: ""}
_REASONS = {
    FORGOTTEN: "The subject had this forgotten. Import it by hand if it may come back.",
    CONTENT_DIFFERS: "A message with this id and other words is there already; the first one stays.",
    "special_category": "The tenant's policy refuses what the message says.",
    "weaker_than_current": "The user or staff said otherwise. The value waits among the candidates.",
}


def split_batches(rows: Iterable[ForeignRow], size: int = IMPORTERS.batch_rows) -> Iterator[list[ForeignRow]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch


class RowStorage:
    """Stores rows of one system for one tenant; ``dry_run`` gives the verdicts and stores nothing.

    Rows of one subject and kind that follow each other share a transaction. :meth:`finish` has to follow the last.
    """

    def __init__(self, tenant: Tenant, system: str, *, dry_run: bool = False) -> None:
        self._tenant_id: UUID = tenant.id
        self._policy_epoch = tenant.policy_epoch
        self._system, self._origin = system, make_origin(system)
        self._dry_run = dry_run
        self._talk: tuple[str, str] | None = None
        self._remembering: set[str] = set()

    def store_batch(self, batch: Sequence[ForeignRow]) -> list[RowVerdict]:
        """Return the verdicts of the rows, in their order."""
        verdicts: list[RowVerdict] = []
        for (kind, _, _), group in groupby(batch, key=_find_group):
            rows: list[Any] = list(group)
            verdicts += self._find_storing(kind)(rows)
        return verdicts

    def finish(self) -> None:
        """End the last conversation, and refresh the search texts and images of the subjects."""
        self._end_talk(None)
        for subject_id in sorted(self._remembering):
            with tenant_tx(self._tenant_id):
                refresh_search_text_and_indexes(ensure_subject(subject_id).id)
        self._remembering.clear()

    def _find_storing(self, kind: type) -> Callable[[list[Any]], list[RowVerdict]]:
        by_kind: dict[type, Callable[[list[Any]], list[RowVerdict]]] = {
            ForeignMemory: self._store_memories,
            ForeignMessage: self._store_messages,
            ForeignPreference: self._store_preferences,
            RowFault: _refuse_faults,
        }
        return by_kind[kind]

    def _store_memories(self, rows: Sequence[ForeignMemory]) -> list[RowVerdict]:
        lines: dict[int, dict[str, Any]] = {}
        faults: dict[int, UnusableRow] = {}
        for number, row in enumerate(rows):
            try:
                lines[number] = build_line(self._system, row)
            except UnusableRow as fault:
                faults[number] = fault
        fates = self._import_lines(rows[0].subject_id, {line["id"]: line for line in lines.values()})
        verdicts, seen = [], set[str]()
        for number, row in enumerate(rows):
            if number in faults:
                verdicts.append(_refuse(row, faults[number].reason, faults[number].message))
                continue
            line_id = lines[number]["id"]
            fate = UNCHANGED if line_id in seen else fates[line_id]
            seen.add(line_id)
            verdicts.append(_give_verdict(row, fate))
        return verdicts

    def _import_lines(self, subject_id: str, lines: dict[str, dict[str, Any]]) -> dict[str, str]:
        if not lines:
            return {}
        if self._dry_run:
            with tenant_tx(self._tenant_id):
                subject, known = find_subject(subject_id), set[str]()
                if subject is not None:
                    known = find_stored_lines(IdMapping(self._origin, subject.id), list(lines.values()))
            return {one: UNCHANGED if one in known else STORED for one in lines}
        fates = import_snapshots(self._tenant_id, subject_id, self._origin, list(lines.values()))
        if STORED in fates.values():
            self._remembering.add(subject_id)
        return fates

    def _store_messages(self, rows: Sequence[ForeignMessage]) -> list[RowVerdict]:
        subject_id, conversation_id = rows[0].subject_id, rows[0].conversation_id
        self._end_talk((subject_id, conversation_id))
        checked: list[tuple[ForeignMessage, IncomingMessage | RowVerdict]] = [
            (row, _check_message(row)) for row in rows
        ]
        incoming = [one for _, one in checked if isinstance(one, IncomingMessage)]
        fates = iter(self._accept(subject_id, conversation_id, incoming))
        return [one if isinstance(one, RowVerdict) else _give_verdict(row, *next(fates)) for row, one in checked]

    def _accept(
        self, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]
    ) -> list[tuple[str, str]]:
        """Return the verdict and reason of each message."""
        if not incoming:
            return []
        if self._dry_run:
            return self._foresee_verdicts(subject_id, conversation_id, incoming)
        policy = load_effective_notes_policy(self._tenant_id, self._policy_epoch)
        prepared = prepare_messages(self._tenant_id, subject_id, conversation_id, incoming, policy)
        with tenant_tx(self._tenant_id):
            accepted = accept_messages(ensure_subject(subject_id), conversation_id, incoming, prepared)
        told = {"duplicate": UNCHANGED, "rejected": REFUSED}
        return [
            (REFUSED if one.reason else told.get(one.verdict, one.verdict), one.reason or "")
            for one in accepted.messages
        ]

    def _foresee_verdicts(
        self, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]
    ) -> list[tuple[str, str]]:
        with tenant_tx(self._tenant_id):
            held = Message.objects.filter(
                subject_id=build_subject_key(subject_id),
                conversation__external_id=conversation_id,
                external_id__in=[one.message_id for one in incoming],
            )
            known = set(held.values_list("external_id", flat=True))
        return [(UNCHANGED if one.message_id in known else STORED, "") for one in incoming]

    def _end_talk(self, following: tuple[str, str] | None) -> None:
        """End the conversation that was being stored, as soon as another one follows."""
        if self._talk == following:
            return
        if self._talk is not None and not self._dry_run:
            with tenant_tx(self._tenant_id):
                end_conversation_on_request(*self._talk)
        self._talk = following

    def _store_preferences(self, rows: Sequence[ForeignPreference]) -> list[RowVerdict]:
        with tenant_tx(self._tenant_id):
            find = find_subject if self._dry_run else ensure_subject
            subject = find(rows[0].subject_id)
            forgotten = set[str]()
            if subject is not None and has_tombstones(subject.id):
                forgotten = find_forgotten_texts(subject.id, [t for row in rows for t in (row.value, row.statement)])
            return [self._store_preference(subject, row, forgotten) for row in rows]

    def _store_preference(self, subject: Subject | None, row: ForeignPreference, forgotten: set[str]) -> RowVerdict:
        try:
            refuse_sensitive_preference(row.category, row.key, {"value": row.value, "statement": row.statement})
        except Refused as fault:
            return _refuse(row, fault.code, fault.detail)
        if row.value in forgotten:
            return _give_verdict(row, REFUSED, FORGOTTEN)
        if subject is not None and _is_known(subject, row):
            return _give_verdict(row, UNCHANGED)
        if subject is None or self._dry_run:
            return _give_verdict(row, STORED)
        claim = make_learned_claim(
            row.value,
            provenance=Provenance.IMPORTED,
            confidence=1.0,
            said_at=row.said_at,
            statement="" if row.statement in forgotten else row.statement,
        )
        outcome = record_preference(subject, row.category, row.key, claim)
        end_notes_of_ended_values(subject.id, Preference, [{"category": row.category, "key": row.key}])
        if outcome.verdict == Verdict.REJECTED:
            return _give_verdict(row, REFUSED, outcome.reason)
        return _give_verdict(row, STORED, outcome.reason if outcome.reason == OLDER else "")


def _refuse_faults(rows: Sequence[RowFault]) -> list[RowVerdict]:
    return [_refuse(row, row.reason, row.message) for row in rows]


def _refuse(row: ForeignRow, reason: str, message: str) -> RowVerdict:
    return RowVerdict(row.place, REFUSED, _KINDS[type(row)], reason, message)


def _find_group(row: ForeignRow) -> tuple[type, str, str]:
    return type(row), getattr(row, "subject_id", ""), getattr(row, "conversation_id", "")


def _give_verdict(row: ForeignRow, fate: str, reason: str = "") -> RowVerdict:
    """Return the verdict for the fate of a row; a fate that is no verdict is the reason of a refusal."""
    if fate in (STORED, UNCHANGED):
        return RowVerdict(row.place, STORED if fate == STORED else UNCHANGED, _KINDS[type(row)], reason)
    reason = reason or fate
    return _refuse(row, reason, _REASONS.get(reason, "The row does not fit beside what is there."))


def _check_message(row: ForeignMessage) -> IncomingMessage | RowVerdict:
    """Return the message as the API would accept it."""
    try:
        return IncomingMessage(**_MESSAGE.run_validation(dict(row.fields)))
    except ValidationError as error:
        fault = next(iter(flatten_faults(error.detail)))
        return _refuse(row, fault.code, f"{fault.field}: {fault.message}")


def _is_known(subject: Subject, row: ForeignPreference) -> bool:
    """Return whether the value is held as said at this time; then a repeat writes nothing."""
    held = build_preference_place(subject, row.category, row.key).row_at(row.said_at)
    return held is not None and have_same_value(held.value, row.value) and row.said_at in list_said_times(held)
