"""Pages of notes in the console, and acts through their forms."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from snapshots.models import Note
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.memory_platform.console.memory_actions.test_memory_admin import REASON
from tests.snapshots.notes.world import rows

LIST = "/console/snapshots/note/"

HOSTILE = "<script>alert(1)</script>"


@dataclass(frozen=True, slots=True)
class NoteIds:
    """Notes of Ada at acme, by the ids of their snapshots."""

    allergy: UUID
    tea: UUID
    sister: UUID
    moved: UUID
    wrong: UUID


def note_address(note_id: UUID) -> str:
    return f"{LIST}{note_id}/change/"


def action_address(note_id: UUID, verb: str) -> str:
    return f"{LIST}{note_id}/act/{verb}/"


def run_action(client: Any, house: House, note_id: UUID, verb: str, **fields: Any) -> str:
    """Do an act through its form; return the page that follows."""
    address, body = action_address(note_id, verb), {"reason": REASON, **fields}
    snapshot, _note = rows(house, note_id)
    page: str = client.post(address, {"version": f"{note_id}.{snapshot.version}", **body}, follow=True).content.decode()
    return page


def find_listed_notes(client: Any, notes: NoteIds, house: House, **query: Any) -> set[str]:
    """Return which notes a list shows."""
    page = client.get(LIST, query).content.decode()
    names = {name: getattr(notes, name) for name in NoteIds.__slots__}
    with tenant_tx(house.tenant.id):
        own = dict(Note.objects.values_list("snapshot_id", "id"))
    return {name for name, one in names.items() if f"{own[one]}/change/" in page}
