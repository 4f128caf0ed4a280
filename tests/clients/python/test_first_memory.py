"""The first lines that a developer writes, at the platform over HTTP while a worker works. Rows: D11, G1."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_platform_client import BudgetTooSmall, Forbidden, Memory, NotFound, Unauthenticated, VersionMismatch
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.clients.python.conftest import Asker
from tests.conftest import House
from tests.serving import working


@pytest.fixture(scope="module", autouse=True)
def worker(acme: House) -> Iterator[None]:
    with working(acme.tenant.id):
        yield


@pytest.fixture
def subject_id(request: pytest.FixtureRequest) -> str:
    """A subject of this test alone."""
    return str(request.node.name)


def test_three_lines_make_a_memory(address: str, acme: House, subject_id: str) -> None:
    memory = Memory(address, acme.token)
    ada = memory.subject(subject_id)
    ada.add("I moved to Zürich", conversation="c1")
    ada.wait()
    assert "Zürich" in ada.context("Where do I live?").text
    memory.close()


def test_a_turn_and_its_outcome(platform: Asker, subject_id: str) -> None:
    ada = platform.memory.subject(subject_id)
    said = ["I am allergic to peanuts.", {"role": "assistant", "content": "I will keep that in mind."}]
    accepted = platform(ada.add(said, conversation="c1"))
    assert [one.verdict for one in accepted.accepted] == ["stored", "stored"]
    platform(ada.wait())
    context = platform(ada.context("Any snack ideas?", system_prompt="Be kind.", budget={"total": 2000}))
    assert context.messages[0].role == "system"
    assert "peanuts" in context.text
    outcome = platform(platform.memory.receipts.outcome(context.receipt_id, reply="Crisps, without peanuts."))
    assert outcome.utilised
    assert platform(platform.memory.receipts.get(context.receipt_id)).query == "Any snack ideas?"
    notes = platform.collect(ada.notes.list(vital=True))
    assert [one.vital_class for one in notes] == ["allergy"]


def test_an_export_comes_back_under_another_id(platform: Asker, subject_id: str, tmp_path: Path) -> None:
    ada = platform.memory.subject(subject_id)
    platform(ada.preferences.set("travel", "seat", "aisle"))
    exported = platform(ada.export(tmp_path / "ada.jsonl"))
    assert exported.counts["preference"] == 1
    job = platform(platform.memory.import_file(exported.path, subject_id=f"{subject_id}-2"))
    platform(platform.memory.jobs.wait(job.job_id, timeout_s=20))
    again = platform.memory.subject(f"{subject_id}-2")
    assert platform(again.preferences.get("travel", "seat")).value == "aisle"
    certificate = platform(ada.delete()).certificate
    assert platform(platform.memory.erasure(certificate.id)).genuine
    with pytest.raises(NotFound):
        platform(ada.get())


def test_a_change_in_between_is_noticed(platform: Asker, subject_id: str) -> None:
    ada = platform.memory.subject(subject_id)
    etag = platform(ada.notes.add("Plays the cello")).meta.etag
    (note,) = platform.collect(ada.notes.list())
    etag = platform(ada.notes.get(note.id)).meta.etag
    platform(ada.notes.update(note.id, text="Plays the viola", if_match=etag))
    with pytest.raises(VersionMismatch):
        platform(ada.notes.update(note.id, text="Plays the violin", if_match=etag))


def test_the_same_write_with_the_same_key_is_replayed(platform: Asker, subject_id: str) -> None:
    notes = platform.memory.subject(subject_id).notes.using(idempotency_key=f"{subject_id}-note")
    first, again = platform(notes.add("Plays the cello")), platform(notes.add("Plays the cello"))
    assert first == again
    assert (first.meta.replayed, again.meta.replayed) == (False, True)


def test_refusals_have_the_server_s_sentence(platform: Asker, address: str, acme: House, subject_id: str) -> None:
    with pytest.raises(NotFound) as caught:
        platform(platform.memory.subject("nobody-9").get())
    assert caught.value.request_id
    with pytest.raises(BudgetTooSmall) as too_small:
        platform(platform.memory.subject("gil").context("Hello " * 50, budget={"total": 10}))
    assert too_small.value.needed and too_small.value.needed > 50
    with tenant_tx(acme.tenant.id):
        reader = create_key(name="reader", scopes=["memory:read"], by=COMMAND_LINE).token
    with Memory(address, reader) as memory, pytest.raises(Forbidden, match="memory:write"):
        memory.subject(subject_id).add("Hello", conversation="c1")
    with Memory(address, "mp_nonsense") as memory, pytest.raises(Unauthenticated):
        memory.tenant()


def test_threads_share_a_client(address: str, acme: House, subject_id: str) -> None:
    with Memory(address, acme.token) as memory, ThreadPoolExecutor(8) as pool:
        notes = memory.subject(subject_id).notes
        made = list(pool.map(lambda number: notes.add(f"Owns {number} books"), range(8)))
        assert len({one.id for one in made}) == 8
        assert len(list(notes.list(limit=3))) == 8
