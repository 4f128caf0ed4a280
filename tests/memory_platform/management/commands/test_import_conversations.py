"""Loading real conversations from a file, twice. Rows: C1, C3, C5."""

from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from snapshots.models import Conversation, ConversationStatus, Message, Work
from tenants.isolation import tenant_tx
from tests.conftest import World

LINES = {"mel": ["I love figs", "Really?", "Yes, and dates"], "丽丽": ["我喜欢爬山", "真的吗?"]}


def dataset() -> dict[str, Any]:
    subjects = []
    for subject_id, lines in LINES.items():
        messages = [
            {
                "message_id": f"{number}",
                "role": "user" if number % 2 else "assistant",
                "name": None,
                "content": line,
                "said_at": f"2023-05-08T13:{number:02d}:00+00:00",
            }
            for number, line in enumerate(lines, start=1)
        ]
        subjects.append({"subject_id": subject_id, "conversations": [{"conversation_id": "c1", "messages": messages}]})
    return {"name": "tiny", "subjects": subjects}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.json"
    path.write_bytes(orjson.dumps(dataset()))
    return path


def load(path: Path, *options: str, tenant: str = "acme") -> str:
    out = StringIO()
    call_command("import_conversations", str(path), "--tenant", tenant, *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def refusal(path: Path, tenant: str = "acme") -> str:
    with pytest.raises(CommandError) as refused:
        load(path, tenant=tenant)
    return str(refused.value)


def test_a_file_becomes_ended_conversations_with_their_work(world: World, tiny: Path) -> None:
    printed = load(tiny)

    assert "2 subjects, 2 conversations, 5 messages" in printed
    assert "5 stored, 0 were there already" in printed
    with tenant_tx(world.acme.tenant.id):
        assert set(Conversation.objects.values_list("status", flat=True)) == {ConversationStatus.ENDED}
        rows = Message.objects.filter(subject__external_id="丽丽").order_by("seq")
        assert [row.content for row in rows] == LINES["丽丽"]
        assert Work.objects.count() == 2 * 3 + 2 + 2  # of three user messages, two answers and two ends


def test_a_load_says_how_it_goes_and_logs_no_line_a_message(
    world: World, tiny: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "tiny: " in load(tiny).splitlines()[0]
    told = capfd.readouterr()
    assert "messages.accepted" not in told.err + told.out
    assert "conversation.ended" not in told.err + told.out


def test_a_second_run_changes_nothing_and_says_so(world: World, tiny: Path) -> None:
    load(tiny)
    with tenant_tx(world.acme.tenant.id):
        before = list(Conversation.objects.order_by("id").values())

    printed = load(tiny)

    assert "0 stored, 5 were there already" in printed
    assert "loaded before" in printed
    with tenant_tx(world.acme.tenant.id):
        assert list(Conversation.objects.order_by("id").values()) == before
        assert Work.objects.count() == 10


def test_a_stopped_run_is_taken_up_where_it_stopped(world: World, tiny: Path, tmp_path: Path) -> None:
    half = dataset()
    half["subjects"][0]["conversations"][0]["messages"].pop()
    path = tmp_path / "half.json"
    path.write_bytes(orjson.dumps(half))
    load(path)

    assert "1 stored, 4 were there already" in load(tiny)


def test_other_content_under_a_known_id_is_counted(world: World, tiny: Path, tmp_path: Path) -> None:
    load(tiny)
    changed = dataset()
    changed["subjects"][0]["conversations"][0]["messages"][0]["content"] = "I hate figs"
    path = tmp_path / "changed.json"
    path.write_bytes(orjson.dumps(changed))

    assert "1 of those have other content here" in load(path)


def test_a_suffix_makes_other_subjects(world: World, tiny: Path) -> None:
    load(tiny)

    assert "5 stored" in load(tiny, "--subject-suffix=-second")


def test_a_file_loads_into_one_tenant_only(world: World, tiny: Path) -> None:
    load(tiny)

    with tenant_tx(world.globex.tenant.id):
        assert not Message.objects.exists()


def test_a_missing_file_is_named(world: World, tmp_path: Path) -> None:
    said = refusal(tmp_path / "none.json")
    assert "none.json" in said
    assert "No such file" in said


def test_an_unknown_tenant_is_named_with_those_that_there_are(world: World, tiny: Path) -> None:
    assert refusal(tiny, tenant="initech") == "There is no tenant 'initech'. Tenants here: acme, globex."


def test_a_bad_record_is_named_and_nothing_is_loaded(world: World, tiny: Path) -> None:
    content = dataset()
    content["subjects"][1]["conversations"][0]["messages"][1]["role"] = "narrator"
    tiny.write_bytes(orjson.dumps(content))

    said = refusal(tiny)
    assert "subjects.1.conversations.0.messages.1.role: Must be one of: user" in said
    assert "nothing was loaded" in said
    with tenant_tx(world.acme.tenant.id):
        assert not Message.objects.exists()


def test_many_bad_records_are_counted(world: World, tiny: Path) -> None:
    content = dataset()
    content["subjects"] *= 8
    for subject in content["subjects"]:
        subject["subject_id"] = "a/b"
    tiny.write_bytes(orjson.dumps(content))

    assert "and 6 more" in refusal(tiny)
