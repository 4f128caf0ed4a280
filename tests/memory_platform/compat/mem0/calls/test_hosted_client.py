"""mem0's own client, version 2.2.1, calls the platform in place of mem0's service. Rows: D3, A1, E8."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from snapshots.models import SnapshotCounter
from tenants.isolation import tenant_tx
from tests.memory_platform.compat.mem0.conftest import Mem0Site

Load = Callable[[str], Any]
TIRED = "Bo is tired on Mondays"


@pytest.fixture(scope="module")
def mem0(load_version: Load) -> Any:
    return load_version("2.2.1")


@pytest.fixture(scope="module")
def client(mem0: Any, site: Mem0Site) -> Iterator[Any]:
    yield mem0.MemoryClient(api_key=site.world.acme.token, host=site.host)


def of(user_id: str) -> dict[str, str]:
    return {"user_id": user_id}


def learn(client: Any, site: Mem0Site, messages: Any, **options: Any) -> dict[str, Any]:
    """Add messages and return what was learned, however long the workers take."""
    return site.settle(client.add(messages, **options), site.world.acme)


def texts(answer: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in answer["results"]]


def test_the_constructor_learns_organisation_and_project(client: Any, site: Mem0Site) -> None:
    assert client.org_id == str(site.world.acme.tenant.id)
    assert client.project_id == "acme"


def test_a_wrong_key_says_where_a_key_goes(mem0: Any, site: Mem0Site) -> None:
    with pytest.raises(ValueError, match="unknown, expired or revoked"):
        mem0.MemoryClient(api_key="mk_live_nothing", host=site.host)


def test_add_answers_what_was_learned(client: Any, site: Mem0Site) -> None:
    said = ["I am allergic to peanuts, and my home is at 12 Elm Street.", "Thanks!", "What is the weather like?"]
    messages = [{"role": "user", "content": text} for text in said] + [{"role": "assistant", "content": "Noted!"}]
    told = learn(client, site, messages, user_id="ann")
    assert told["status"] == "SUCCEEDED"
    assert [(one["event"], one["memory"]) for one in told["results"]] == [
        ("ADD", "I am allergic to peanuts"),
        ("ADD", "my home is at 12 Elm Street"),
    ]
    assert [(one["message"], one["reason"]) for one in told["not_learned"]] == [
        (1, "says_nothing"),
        (2, "only_asks"),
        (3, "said_by_assistant"),
    ]
    listed = client.get_all(filters=of("ann"))
    assert sorted(texts(listed)) == ["I am allergic to peanuts", "my home is at 12 Elm Street"]
    assert listed["count"] == 2


@pytest.mark.slow
def test_said_again_is_no_second_memory(client: Any, site: Mem0Site) -> None:
    first = learn(client, site, "I only eat vegan food.", user_id="abe")["results"]
    again = learn(client, site, "I only eat vegan food.", user_id="abe")["results"]
    assert [one["event"] for one in first] == ["ADD"]
    assert [(one["event"], one["id"]) for one in again] == [("NONE", first[0]["id"])]


@pytest.mark.slow
def test_a_correction_ends_the_memory_before(client: Any, site: Mem0Site) -> None:
    learn(client, site, "I live in Lyon.", user_id="eva")
    told = learn(client, site, "I moved, I live in Nice now, not in Lyon.", user_id="eva")["results"]
    assert {"ADD", "DELETE"} <= {one["event"] for one in told}, told
    assert not [text for text in texts(client.get_all(filters=of("eva"))) if text == "I live in Lyon"]


def test_words_are_kept_as_they_are_without_a_model(client: Any, site: Mem0Site) -> None:
    said = [{"role": "user", "content": TIRED}, {"role": "assistant", "content": "So he sleeps long."}]
    told = client.add(said, user_id="bo", infer=False, metadata={"mood": "grey"}, agent_id="coach", run_id="r1")
    assert [(one["event"], one["memory"], one["role"]) for one in told["results"]] == [
        ("ADD", TIRED, "user"),
        ("ADD", "So he sleeps long.", "assistant"),
    ]
    memory = client.get(told["results"][0]["id"])
    assert memory["memory"] == TIRED
    assert memory["metadata"] == {"mood": "grey"}
    assert [memory[name] for name in ("user_id", "agent_id", "app_id", "session_id")] == ["bo", "coach", None, "r1"]


def test_search_scores_by_relevance_and_keeps_to_the_filter(client: Any, site: Mem0Site) -> None:
    learn(client, site, "I am allergic to shellfish.", user_id="cleo", metadata={"topic": "health"})
    learn(client, site, "My sister Ruth plays the cello.", user_id="cleo", metadata={"topic": "family"})
    found = client.search("Which instrument does Ruth play?", filters=of("cleo"))["results"]
    assert found[0]["memory"] == "My sister Ruth plays the cello"
    assert 0.1 <= found[0]["score"] <= 1
    only = {"AND": [of("cleo"), {"metadata": {"topic": "health"}}]}
    kept = client.search("Which instrument does Ruth play?", filters=only, threshold=0.0, top_k=5)["results"]
    assert all(one["metadata"] == {"topic": "health"} for one in kept)
    assert client.search("Which instrument does Ruth play?", filters=of("cleo"), threshold=1.0)["results"] == []
    short = client.search("Ruth cello", filters=of("cleo"), fields=["memory"], top_k=1, rerank=True)["results"]
    assert set(short[0]) == {"id", "memory", "score"}


def test_chinese_stays_chinese_and_names_stay_as_they_are(client: Any, site: Mem0Site) -> None:
    told = learn(client, site, "我对花生过敏，我女儿叫Zoë Müller。", user_id="王芳", metadata={"来源": "门诊"})
    assert all("Zoë Müller" in one["memory"] or "花生" in one["memory"] for one in told["results"])
    listed = client.get_all(filters=of("王芳"))["results"]
    assert "我对花生过敏" in [one["memory"] for one in listed]
    assert {one["user_id"] for one in listed} == {"王芳"}
    assert {tuple(one["metadata"].items()) for one in listed} == {(("来源", "门诊"),)}
    assert client.search("他不能吃什么？花生？", filters=of("王芳"), threshold=0.0)["results"]


def test_update_keeps_history_and_delete_forgets(client: Any, site: Mem0Site) -> None:
    memory_id = client.add("Dora rows.", user_id="dora", infer=False)["results"][0]["id"]
    changed = client.update(memory_id, text="Dora sails.", metadata={"seen": True}, expiration_date="2099-01-31")
    assert (changed["memory"], changed["metadata"], changed["expiration_date"]) == (
        "Dora sails.", {"seen": True}, "2099-01-31",
    )  # fmt: skip
    assert client.update(memory_id, expiration_date=None)["expiration_date"] is None
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in client.history(memory_id)] == [
        ("ADD", None, "Dora rows."),
        ("UPDATE", "Dora rows.", "Dora sails."),
    ]
    told = client.delete(memory_id)
    assert told["erasure_id"]
    with pytest.raises(Exception, match="No memory with this id") as missing:
        client.get(memory_id)
    assert type(missing.value).__name__ == "MemoryNotFoundError"


@pytest.mark.slow
def test_batches(client: Any, site: Mem0Site) -> None:
    ids = [client.add(f"Note {n} of Fay", user_id="fay", infer=False)["results"][0]["id"] for n in range(3)]
    client.batch_update([{"memory_id": one, "text": f"Line {n} of Fay"} for n, one in enumerate(ids)])
    assert sorted(texts(client.get_all(filters=of("fay")))) == [f"Line {n} of Fay" for n in range(3)]
    client.batch_delete([{"memory_id": one} for one in ids])
    assert client.get_all(filters=of("fay"))["results"] == []


@pytest.mark.slow
def test_pages(client: Any, site: Mem0Site) -> None:
    for number in range(5):
        client.add(f"Page {number} of Gus", user_id="gus", infer=False)
    first = client.get_all(filters=of("gus"), page=1, page_size=2)
    assert (first["count"], len(first["results"]), first["previous"]) == (5, 2, None)
    assert "page=2" in first["next"]
    last = client.get_all(filters=of("gus"), page=3, page_size=2)
    assert (len(last["results"]), last["next"]) == (1, None)


@pytest.mark.slow
def test_an_agent_without_a_user_has_a_memory_of_its_own(client: Any, site: Mem0Site) -> None:
    client.add("The build takes nine minutes.", agent_id="builder", infer=False)
    listed = client.get_all(filters={"agent_id": "builder"})["results"]
    assert [(one["user_id"], one["agent_id"], one["memory"]) for one in listed] == [
        (None, "builder", "The build takes nine minutes.")
    ]
    found = client.search("How long does the build take?", filters={"agent_id": "builder"}, threshold=0.0)["results"]
    assert [one["memory"] for one in found] == ["The build takes nine minutes."]


def test_learned_memories_carry_agent_run_metadata_and_expiration(client: Any, site: Mem0Site) -> None:
    ids = {"user_id": "hal", "agent_id": "nurse", "app_id": "ward", "run_id": "visit-1"}
    more = {"metadata": {"ward": 7}, "categories": ["health check"], "expiration_date": "2099-12-31"}
    learn(client, site, "I am allergic to penicillin.", **ids, **more)
    (memory,) = client.get_all(filters={"AND": [of("hal"), {"agent_id": "nurse"}, {"run_id": "visit-1"}]})["results"]
    assert (memory["agent_id"], memory["app_id"], memory["run_id"]) == ("nurse", "ward", "visit-1")
    assert memory["metadata"] == {"ward": 7}
    assert "health check" in memory["categories"]
    assert memory["expiration_date"] == "2099-12-31"
    assert client.get_all(filters={"AND": [of("hal"), {"categories": {"contains": "health check"}}]})["count"] == 1
    assert client.get_all(filters={"AND": [of("hal"), {"agent_id": "porter"}]})["count"] == 0
    for filters in ({"agent_id": "nurse"}, {"run_id": "visit-1"}, {"app_id": "ward"}):
        assert client.search("penicillin", filters={**of("hal"), **filters}, threshold=0.0)["results"]
        assert client.search("penicillin", filters=filters, threshold=0.0)["results"]
    assert not client.search("penicillin", filters={**of("hal"), "agent_id": "porter"}, threshold=0.0)["results"]


@pytest.mark.slow
def test_immutable_memories_can_only_be_deleted(client: Any, site: Mem0Site) -> None:
    memory_id = client.add("Ida is Ida.", user_id="ida", infer=False, immutable=True)["results"][0]["id"]
    with pytest.raises(Exception, match="immutable"):
        client.update(memory_id, text="Ida is Ada.")
    client.delete(memory_id)


def test_delete_all_never_deletes_without_a_name(client: Any, site: Mem0Site) -> None:
    client.add("Jo skis.", user_id="jo", infer=False)
    client.add("Jo swims.", user_id="jo", infer=False, metadata={"season": "summer"})
    with pytest.raises(Exception, match="Name at least one of user_id"):
        client.delete_all()
    filters = {"AND": [of("jo"), {"metadata": {"season": "summer"}}]}
    told = client.delete_all(filters=filters)  # arrives as Python writes it
    assert told["deleted"] == 1
    assert texts(client.get_all(filters=of("jo"))) == ["Jo skis."]
    told = client.delete_all(user_id="jo")
    assert (told["deleted"], len(told["erasure_ids"])) == (1, 1)
    assert client.get_all(filters=of("jo"))["results"] == []


@pytest.mark.slow
def test_users_are_listed_and_deleted(client: Any, site: Mem0Site) -> None:
    client.add("Kim runs.", user_id="kim-no", infer=False, agent_id="trainer", run_id="run-k")
    listed = client.users()
    kinds = {(one["type"], one["name"]) for one in listed["results"]}
    assert {("user", "kim-no"), ("agent", "trainer"), ("run", "run-k")} <= kinds
    assert listed["count"] == len(listed["results"])
    client.delete_users(user_id="kim-no")
    assert ("user", "kim-no") not in {(one["type"], one["name"]) for one in client.users()["results"]}
    with pytest.raises(Exception, match="No user with this id"):
        client.delete_users(user_id="kim-no")


@pytest.mark.slow
def test_feedback_counts_once_and_can_be_taken_back(client: Any, site: Mem0Site) -> None:
    memory_id = client.add("Liv likes figs.", user_id="liv", infer=False)["results"][0]["id"]
    assert client.feedback(memory_id, "POSITIVE", "right")["feedback"] == "POSITIVE"
    assert client.feedback(memory_id, "NEGATIVE")["feedback"] == "NEGATIVE"
    assert count_verdicts(site, memory_id) == (1, 0, 1)
    assert client.feedback(memory_id, None)["feedback"] is None
    assert count_verdicts(site, memory_id) == (0, 0, 0)


@pytest.mark.slow
def test_feedback_goes_to_the_context_that_showed_the_memory(client: Any, site: Mem0Site) -> None:
    house = site.world.acme
    memory_id = learn(client, site, "I am allergic to walnuts.", user_id="mo")["results"][0]["id"]
    asked = {"query": "A snack?", "system_prompt": "Help."}
    receipt = site.native("POST", "/v1/subjects/mo/context", house, json=asked).json()["receipt_id"]
    client.feedback(memory_id, "POSITIVE", "it helped")
    shown = site.native("GET", f"/v1/receipts/{receipt}", house).json()
    signals = {one["memory_id"]: one for one in shown["candidates"]}
    assert "positive" in str(signals[memory_id])


@pytest.mark.slow
def test_exports_and_summaries(client: Any, site: Mem0Site) -> None:
    client.add("Ned knits.", user_id="ned", infer=False)
    made = client.create_memory_export(schema='{"type": "object"}', filters=of("ned"))
    export = client.get_memory_export(memory_export_id=made["id"])
    assert [one["memory"] for one in export["memories"]] == ["Ned knits."]
    assert "no schema" in export["message"]
    with pytest.raises(Exception, match="No export with this id"):
        client.get_memory_export(memory_export_id="e1")
    assert client.get_summary(filters=of("ned"))["summary"] == "- Ned knits."


def test_project_settings_are_answered_honestly(client: Any, site: Mem0Site) -> None:
    assert client.project.get(fields=["name"]) == {"name": "Acme"}
    told = client.project.update(custom_categories=[{"food": "what they eat"}], multilingual=True)
    assert set(told["not_applied"]) == {"custom_categories", "multilingual"}
    for call in (
        client.project.get_members,
        lambda: client.project.add_member("a@example.org"),
        lambda: client.project.create("second"),
        client.project.delete,
        client.sample_profiles,
    ):
        with pytest.raises(Exception) as refused:
            call()
        assert type(refused.value).__name__ == "ValidationError", refused.value


@pytest.mark.slow
def test_profiles(client: Any, site: Mem0Site) -> None:
    learn(client, site, "My name is Olga and I work as a pilot.", user_id="olga")
    profile = client.get_profile("olga")
    assert (profile["status"], profile["profile"]["name"]) == ("succeeded", "Olga")
    job = client.generate_profile("olga")
    assert client.get_profile_job(job["status_url"])["job"]["status"] == "succeeded"
    assert client.get_profile_settings()["enabled"] is True
    assert client.update_profile_settings(enabled=False)["not_applied"]


@pytest.mark.slow
def test_unknown_options_are_named_and_ignored_ones_explained(client: Any, site: Mem0Site) -> None:
    told = client.add("Pia paints.", user_id="pia", infer=False, custom_instructions="Only colours.")
    assert "policy" in told["ignored"]["custom_instructions"]
    with pytest.raises(Exception, match="no_such_option: Unknown option"):
        client.add("Pia paints.", user_id="pia", no_such_option=1)


@pytest.mark.slow
def test_the_asynchronous_client(mem0: Any, site: Mem0Site) -> None:
    async def live() -> None:
        # Its constructor pings with a client of its own; a slash at the end of the host makes two of them.
        client = mem0.AsyncMemoryClient(api_key=site.world.acme.token, host=f"{site.host}/")
        told = site.settle(await client.add("I am allergic to kiwis.", user_id="quin"), site.world.acme)
        assert [one["event"] for one in told["results"]] == ["ADD"]
        memory_id = told["results"][0]["id"]
        assert (await client.get(memory_id))["memory"] == "I am allergic to kiwis"
        assert (await client.search("kiwis", filters=of("quin"), threshold=0.0))["results"]
        assert (await client.get_all(filters=of("quin")))["count"] == 1
        assert (await client.update(memory_id, text="I am allergic to lemons"))["memory"].endswith("lemons")
        assert len(await client.history(memory_id)) == 2
        assert (await client.users())["count"] >= 1
        assert (await client.feedback(memory_id, "POSITIVE"))["feedback"] == "POSITIVE"
        assert (await client.get_summary(filters=of("quin")))["memories"] == 1
        assert (await client.get_profile("quin"))["entity_id"] == "quin"
        assert (await client.delete(memory_id))["erasure_id"]
        assert (await client.delete_all(user_id="quin"))["deleted"] == 0
        await client.async_client.aclose()

    asyncio.run(live())


def count_verdicts(site: Mem0Site, memory_id: str) -> tuple[int, int, int]:
    """Return how often a memory was judged, for good and for bad."""
    with tenant_tx(site.world.acme.tenant.id):
        row = SnapshotCounter.objects.get(snapshot_id=memory_id)
    return row.judged, row.positive, row.negative
