"""Files of models live with their person: export, import, join and its undo, erasure, what was forgotten. Rows: D9."""

import pytest

from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import record_tombstones
from snapshots.joins.join import join_subjects
from snapshots.joins.undo_join import undo_join
from snapshots.models import MemoryFile
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.compat.anthropic.test_memory_door import call, run
from tests.snapshots.portability.exporting import export, take_back

TEXT = "- She drinks tea. 绿茶\n- Her boat is blue\n"


@pytest.fixture
def acme(world: World) -> Caller:
    return Caller(world.acme)


def list_files(world: World, subject: str) -> dict[str, str]:
    with tenant_tx(world.acme.tenant.id):
        rows = MemoryFile.objects.filter(subject_id=ensure_subject(subject).id)
        return dict(rows.values_list("path", "text"))


def test_files_are_exported_erased_and_brought_back(world: World, acme: Caller) -> None:
    run(world.acme, "create", path="/memories/茶/a.md", file_text=TEXT)
    lines = export(acme)
    assert [line["text"] for line in lines if line["type"] == "memory_file"] == [TEXT]
    acme("DELETE", "/v1/subjects/ada")
    with tenant_tx(world.acme.tenant.id):
        assert not MemoryFile.objects.exists()
    assert "does not exist" in run(world.acme, "view", path="/memories/茶/a.md")
    assert take_back(acme, lines)["status"] == "succeeded"
    assert list_files(world, "ada") == {"/memories/茶/a.md": TEXT}


def test_a_reply_of_an_erased_person_is_not_repeated(world: World, acme: Caller) -> None:
    arguments = {"path": "/memories/a.md", "key": "k-1"}
    run(world.acme, "create", path="/memories/a.md", file_text=TEXT)
    edit = {"old_str": "blue", "new_str": "red"}
    assert b"boat is red" in call(world.acme.token, "ada", "str_replace", **arguments, **edit).content
    acme("DELETE", "/v1/subjects/ada")
    assert b"boat" not in call(world.acme.token, "ada", "str_replace", **arguments, **edit).content


def test_what_was_forgotten_comes_back_into_no_file(world: World, acme: Caller) -> None:
    run(world.acme, "create", path="/memories/a.md", file_text=TEXT)
    lines = export(acme)
    run(world.acme, "delete", path="/memories/a.md")
    with tenant_tx(world.acme.tenant.id):
        record_tombstones(world.acme.subject.id, texts=["Her boat is blue"])
    assert "had something of it forgotten" in run(world.acme, "create", path="/memories/a.md", file_text=TEXT)
    told = run(world.acme, "insert", path="/memories/notes.md", insert_line=0, insert_text="Her boat is blue")
    assert "had something of it forgotten" in told
    take_back(acme, lines)
    assert list_files(world, "ada") == {"/memories/a.md": "- She drinks tea. 绿茶\n"}


def test_a_secret_in_an_import_is_left_out(world: World, acme: Caller) -> None:
    run(world.acme, "create", path="/memories/a.md", file_text=TEXT)
    lines = export(acme)
    run(world.acme, "delete", path="/memories/a.md")
    spoilt = [{**one, "text": "card 4111 1111 1111 1111"} if one["type"] == "memory_file" else one for one in lines]
    assert take_back(acme, spoilt)["status"] == "succeeded"
    assert list_files(world, "ada") == {}


def test_joined_people_keep_both_files_of_one_path(world: World) -> None:
    tenant = world.acme.tenant.id
    for subject, text in (("ada", "a"), ("visitor-7", "b")):
        run(world.acme, "create", subject, path="/memories/a.md", file_text=text)
    with tenant_tx(tenant):
        ids = [ensure_subject(one).id for one in ("ada", "visitor-7")]
    join = join_subjects(tenant, ids[0], ids[1], by=COMMAND_LINE, reason="logged in")
    assert list_files(world, "ada") == {"/memories/a.md": "a", "/memories/a.md (visitor-7)": "b"}
    assert "     1\tb" in run(world.acme, "view", "visitor-7", path="/memories/a.md (visitor-7)")
    undo_join(tenant, join.id, by=COMMAND_LINE, reason="a mistake")
    assert list_files(world, "ada") == {"/memories/a.md": "a"}
    assert list_files(world, "visitor-7") == {"/memories/a.md": "b"}
