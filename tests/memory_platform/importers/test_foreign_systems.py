"""What other systems kept comes in word for word, with its times, and shows everywhere. Rows: D11."""

from pathlib import Path
from typing import Any
from uuid import UUID

from snapshots.jobs import drain_work_job
from snapshots.models import Conversation, Message, Snapshot, Work
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.importers.conftest import Import, Verdicts
from tests.memory_platform.importers.foreign_files import (
    CHAT_LINES,
    CHATGPT,
    LETTA,
    MEM0,
    OLD_LETTA,
    PREFERENCES,
    ZEP,
    write_history,
    write_json,
    write_json_lines,
)
from tests.snapshots.portability.exporting import export

ADA = "/v1/subjects/ada"


def outcomes(verdicts: Verdicts) -> list[str]:
    return [one["reason"] or one["verdict"] for one in verdicts]


def memories(caller: Caller, subject_id: str = "ada") -> dict[str, dict[str, Any]]:
    lines = [line for line in export(caller, subject_id) if line["type"] == "snapshot"]
    return {line["text"]: line for line in lines}


def test_memories_of_mem0_keep_their_words_times_and_marks(
    acme: Caller, world: World, import_file: Import, tmp_path: Path
) -> None:
    path = write_json(tmp_path / "mem0.json", MEM0)

    assert outcomes(import_file("mem0", path)) == ["stored"] * 3

    held = memories(acme)["Ada is allergic to peanuts"]
    assert (held["said_at"], held["valid_at"]) == ("2025-03-01T10:15:30.123456Z", "2025-03-01T10:15:30.123456Z")
    assert (held["kind"], held["provenance"], held["confidence"]) == ("manual", "imported", 0.8)
    assert held["metadata"]["imported_from"] == "mem0"
    assert held["metadata"]["imported_id"] == MEM0["results"][0]["id"]
    assert held["metadata"]["source"] == "chat"
    assert memories(acme, "小敏")["小敏每天早上喝龙井茶"]["metadata"]["语言"] == "中文"
    marked = memories(acme)["Prefers window seats"]["metadata"]
    assert (marked["mem0:agent_id"], marked["mem0:categories"]) == ("travel-bot", ["travel"])


def test_what_came_in_is_found_shown_in_receipts_and_erased(
    acme: Caller, world: World, import_file: Import, tmp_path: Path
) -> None:
    import_file("mem0", write_json(tmp_path / "mem0.json", MEM0))

    found = body_of(acme("POST", f"{ADA}/recall", {"query": "Is she allergic to peanuts?"}))["memories"][0]
    assert (found["text"], found["provenance"]) == ("Ada is allergic to peanuts", "imported")
    context = body_of(acme("POST", f"{ADA}/context", {"query": "Is she allergic to peanuts?"}))
    receipt = body_of(acme("GET", f"/v1/receipts/{context['receipt_id']}"))
    assert found["id"] in {one["memory_id"] for one in receipt["candidates"]}
    filtered = {"query": "peanuts", "filter": {"metadata.imported_from": {"eq": "mem0"}}}
    assert body_of(acme("POST", f"{ADA}/recall", filtered))["memories"]

    acme("POST", f"{ADA}/snapshots/{found['id']}/forget", {})
    again = import_file("mem0", tmp_path / "mem0.json")
    assert outcomes(again) == ["forgotten", "unchanged", "unchanged"]
    assert acme("DELETE", ADA).status_code == 200
    with tenant_tx(world.acme.tenant.id):
        assert not Snapshot.objects.filter(subject__external_id="ada").exists()


def test_a_history_of_mem0_ends_what_was_changed_and_deleted(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    path = write_history(tmp_path / "history.db")

    assert outcomes(import_file("mem0", path, "--subject", "ada")) == ["stored"] * 3

    held = memories(acme)
    assert held["Lives in Lisbon"]["invalid_at"] == "2025-02-01T00:00:00Z"
    assert held["Lives in Zürich"]["invalid_at"] is None
    assert held["喜欢咖啡"]["invalid_at"] == "2025-03-01T00:00:00Z"
    assert held["Lives in Zürich"]["metadata"]["imported_id"] == "mem-1"
    told = {
        one["text"] for one in body_of(acme("POST", f"{ADA}/recall", {"query": "Where does she live?"}))["memories"]
    }
    assert "Lives in Zürich" in told
    assert "Lives in Lisbon" not in told


def test_facts_of_zep_stay_ended_and_threads_are_learned_from(
    acme: Caller, world: World, import_file: Import, tmp_path: Path
) -> None:
    assert outcomes(import_file("zep", write_json(tmp_path / "zep.json", ZEP))) == ["stored"] * 5

    held = memories(acme)
    ended = held["Ada lives in Lisbon"]
    assert (ended["valid_at"], ended["invalid_at"]) == ("2021-01-01T00:00:00Z", "2025-08-01T00:00:00Z")
    assert (ended["topics"], ended["said_at"]) == (["LIVES_IN"], "2025-06-01T09:00:00Z")
    assert held["艾达住在苏黎世"]["invalid_at"] is None
    assert held["Emergency contact: Theo"]["category"] == "episode"
    told = {
        one["text"] for one in body_of(acme("POST", f"{ADA}/recall", {"query": "Where does Ada live?"}))["memories"]
    }
    assert "Ada lives in Lisbon" not in told
    then = {"query": "Where does Ada live?", "as_of": "2024-01-01T00:00:00Z"}
    assert "Ada lives in Lisbon" in {one["text"] for one in body_of(acme("POST", f"{ADA}/recall", then))["memories"]}
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    with tenant_tx(world.acme.tenant.id):
        spoken = list(Message.objects.order_by("seq").values_list("role", "name", "content", "remember"))
        assert Conversation.objects.get().status == "ended"
    assert spoken == [
        ("user", None, "I moved to Zürich in August.", True),
        ("assistant", None, "恭喜乔迁！", True),
    ]
    assert "I moved to Zürich in August." in memories(acme)


def test_one_list_and_one_object_a_line_are_read_too(import_file: Import, tmp_path: Path) -> None:
    edges = ZEP["edges"]

    assert outcomes(import_file("zep", write_json(tmp_path / "list.json", edges))) == ["stored"] * 2
    assert outcomes(import_file("zep", write_json_lines(tmp_path / "lines.jsonl", edges))) == ["unchanged"] * 2


def test_an_agent_of_letta_becomes_memory_of_its_user_and_of_itself(
    acme: Caller, import_file: Import, tmp_path: Path
) -> None:
    path = write_json(tmp_path / "support.af", LETTA)

    verdicts = import_file("letta", path, "--subject", "ada")

    assert outcomes(verdicts) == ["stored"] * 3 + ["not_said", "stored", "stored", "not_said"]
    held = memories(acme)
    assert held["Name: Ada. 喜欢爬山。"]["category"] == "human"
    assert held["Ada's cat is called Tofu"]["said_at"] == "2025-02-01T10:00:00Z"
    assert list(memories(acme, "agent:support")) == ["I am Sam and I am patient."]
    said = [line["content"] for line in export(acme) if line["type"] == "message"]
    assert said == ["I play the cello.", "大提琴真好听！"]


def test_the_older_form_of_letta_is_read_too(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    path = write_json(tmp_path / "old.af", OLD_LETTA)

    assert outcomes(import_file("letta", path, "--subject", "ada", "--zone", "Asia/Shanghai")) == ["stored"] * 2
    assert memories(acme)["Likes jazz"]["said_at"] == "2025-01-04T16:00:00Z"


def test_chat_logs_go_through_the_intake(acme: Caller, world: World, import_file: Import, tmp_path: Path) -> None:
    path = write_json_lines(tmp_path / "chats.jsonl", CHAT_LINES)

    assert outcomes(import_file("chats", path)) == ["stored"] * 4

    with tenant_tx(world.acme.tenant.id):
        assert Work.objects.count() > 4
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    lines = export(acme)
    assert [line["role"] for line in lines if line["type"] == "message" and line["content"] == "Be kind."] == ["system"]
    first = next(line for line in lines if line["type"] == "message" and line["content"] == "I am vegetarian.")
    assert first["said_at"] == "2025-06-01T10:00:00Z"
    assert {"I am vegetarian.", "我喜欢爬山。"} <= memories(acme).keys()


def test_chatgpt_gives_the_path_that_was_read_last(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", CHATGPT)

    assert outcomes(import_file("chats", path)) == ["no_subject"]
    assert outcomes(import_file("chats", path, "--subject", "ada")) == ["stored"] * 2
    said = [line["content"] for line in export(acme) if line["type"] == "message"]
    assert said == ["I hike every Sunday.", "每个星期天？真棒！"]


def test_preferences_follow_each_other_by_their_times(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    path = tmp_path / "preferences.csv"
    path.write_text("\ufeff" + PREFERENCES, encoding="utf-8")

    assert outcomes(import_file("preferences", path)) == ["stored"] * 4

    seat = body_of(acme("GET", f"{ADA}/preferences/travel/seat"))
    assert (seat["value"], seat["provenance"], seat["valid_at"]) == ("window", "imported", "2025-06-01T08:00:00Z")
    past = body_of(acme("GET", f"{ADA}/preferences/travel/seat/history"))["data"]
    assert [one["value"] for one in past] == ["aisle", "window"]
    assert body_of(acme("GET", "/v1/subjects/小敏/preferences/food/茶"))["value"] == "龙井"


def test_a_preference_of_the_user_is_not_replaced(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    acme("PUT", f"{ADA}/preferences/travel/seat", {"value": "bulkhead", "valid_at": "2025-03-01T00:00:00Z"})
    path = tmp_path / "preferences.csv"
    path.write_text(PREFERENCES, encoding="utf-8")

    assert outcomes(import_file("preferences", path)) == ["older", "weaker_than_current", "stored", "stored"]
    assert body_of(acme("GET", f"{ADA}/preferences/travel/seat"))["value"] == "bulkhead"


def test_ids_of_two_systems_and_of_two_tenants_never_meet(
    acme: Caller, globex: Caller, world: World, import_file: Import, tmp_path: Path
) -> None:
    path = write_json(tmp_path / "mem0.json", MEM0)
    import_file("mem0", path)
    before = export(acme)

    assert outcomes(import_file("mem0", path, tenant="globex")) == ["stored"] * 3

    assert export(acme)[1:] == before[1:]
    theirs = {line["id"] for line in export(globex)[2:-1]}
    assert theirs.isdisjoint(line["id"] for line in before[2:-1])
    with tenant_tx(world.globex.tenant.id):
        assert UUID(before[0]["origin"]) not in set(Snapshot.objects.values_list("subject_id", flat=True))
