"""Graphs of LangGraph whose threads are on the platform: runs, interrupts, subgraphs, deletion. Rows: C6, D8."""

import asyncio
import operator
from collections.abc import Sequence
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME, SCHEDULED
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from memory_platform_client import Conflict, Memory
from memory_platform_client.langgraph import MemoryPlatformSaver
from profiles.models import Subject
from snapshots.models import AgentThread, ChannelValue, Checkpoint, PendingWrite, ThreadTombstone
from tenants.isolation import tenant_tx
from tests.conftest import House


class Talk(TypedDict):
    """A talk, as a list that grows."""

    said: Annotated[list[str], operator.add]
    topic: str


def answer(state: Talk) -> dict[str, Any]:
    return {"said": [f"answer {len(state['said'])}"]}


def build_talk(saver: Any) -> Any:
    builder = StateGraph(Talk)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver)


def place(**more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": f"thread/{uuid4()}", **more}}


def counts_of(house: House, thread_id: str) -> dict[str, int]:
    with tenant_tx(house.tenant.id):
        return {
            model._meta.db_table: model.objects.filter(thread__external_id=thread_id).count()
            for model in (Checkpoint, ChannelValue, PendingWrite)
        }


def test_a_talk_goes_on_where_it_ended(saver: MemoryPlatformSaver) -> None:
    graph, config = build_talk(saver), place()
    graph.invoke({"said": ["hello"], "topic": "tea"}, config)
    found = graph.invoke({"said": ["and now?"]}, config)
    assert found["said"] == ["hello", "answer 1", "and now?", "answer 3"]
    assert found["topic"] == "tea"
    history = list(graph.get_state_history(config))
    assert [one.metadata["step"] for one in history] == [4, 3, 2, 1, 0, -1]
    assert list(graph.get_state_history(config, limit=2)) == history[:2]
    assert list(graph.get_state_history(config, filter={"source": "input"})) == [history[2], history[5]]
    past = graph.get_state(history[3].config)
    assert past.values["said"] == ["hello", "answer 1"]


def test_what_is_awaited_gives_the_same(address: str, acme: House) -> None:
    async def go() -> list[str]:
        saver = MemoryPlatformSaver(address, acme.token)
        graph, config = build_talk(saver), place()
        await graph.ainvoke({"said": ["hello"], "topic": "tea"}, config)
        found = await graph.ainvoke({"said": ["and now?"]}, config)
        history = [one async for one in graph.aget_state_history(config)]
        assert len(history) == 6
        await saver.aclose()
        said: list[str] = found["said"]
        return said

    assert asyncio.run(go()) == ["hello", "answer 1", "and now?", "answer 3"]
    assert asyncio.run(go())[0] == "hello"


def test_an_unchanged_channel_is_stored_once(saver: MemoryPlatformSaver, acme: House) -> None:
    graph, config = build_talk(saver), place()
    graph.invoke({"said": ["hello"], "topic": "x" * 50_000}, config)
    for _ in range(3):
        graph.invoke({"said": ["more"]}, config)
    with tenant_tx(acme.tenant.id):
        own = ChannelValue.objects.filter(thread__external_id=config["configurable"]["thread_id"], channel="topic")
        assert own.exclude(format="empty").count() == 1


def test_a_run_is_interrupted_and_goes_on(saver: MemoryPlatformSaver) -> None:
    def ask(state: Talk) -> dict[str, Any]:
        return {"said": [f"{interrupt('Which one?')}!"]}

    builder = StateGraph(Talk)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    graph, config = builder.compile(checkpointer=saver), place()
    stopped = graph.invoke({"said": ["choose"], "topic": ""}, config)
    assert stopped["__interrupt__"][0].value == "Which one?"
    found = graph.invoke(Command(resume="the blue one"), config)
    assert found["said"] == ["choose", "the blue one!"]


def test_a_subgraph_keeps_checkpoints_of_its_own(saver: MemoryPlatformSaver, acme: House) -> None:
    inner = StateGraph(Talk)
    inner.add_node("think", lambda state: {"said": [f"thought {interrupt('ok?')}"]})
    inner.add_edge(START, "think")
    outer = StateGraph(Talk)
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "inner")
    graph, config = outer.compile(checkpointer=saver), place()
    graph.invoke({"said": [], "topic": ""}, config)
    inside: Any = graph.get_state(config, subgraphs=True).tasks[0].state
    assert inside.values["said"] == []
    assert graph.invoke(Command(resume="yes"), config)["said"] == ["thought yes"]
    with tenant_tx(acme.tenant.id):
        rows = Checkpoint.objects.filter(thread__external_id=config["configurable"]["thread_id"])
        assert len(set(rows.values_list("namespace", flat=True))) == 2
    graph.invoke({"said": ["again"], "topic": ""}, config)
    graph.invoke(Command(resume="sure"), config)
    whole = graph.get_state(config).values
    saver.prune([config["configurable"]["thread_id"]])
    with tenant_tx(acme.tenant.id):
        assert rows.count() == 1, "the calls go with the checkpoint that they belong to"
    assert graph.get_state(config).values == whole


def test_pending_writes_come_in_the_order_of_the_run(saver: MemoryPlatformSaver) -> None:
    config = saver.put({"configurable": {**place()["configurable"], "checkpoint_ns": ""}}, empty_checkpoint(), {}, {})
    tasks = [("b", "~1"), ("a", "~2"), ("c", "")]
    for task_id, path in tasks:
        saver.put_writes(config, [("x", task_id), ("y", task_id)], task_id, path)
    saver.put_writes(config, [("x", "not again")], "a", "~2")
    special = [(RESUME, 1), (INTERRUPT, 1), (SCHEDULED, 1), (ERROR, 1)]
    saver.put_writes(config, special, "c", "")
    saver.put_writes(config, [(ERROR, 2), (ERROR, 3)], "c", "")
    found = saver.get_tuple(config)
    assert found is not None
    assert found.pending_writes == [
        ("c", RESUME, 1),
        ("c", INTERRUPT, 1),
        ("c", SCHEDULED, 1),
        ("c", ERROR, 3),
        ("c", "x", "c"),
        ("c", "y", "c"),
        ("b", "x", "b"),
        ("b", "y", "b"),
        ("a", "x", "a"),
        ("a", "y", "a"),
    ]


class Growth(TypedDict):
    """A list that is stored as differences."""

    grown: Annotated[list[str], DeltaChannel(lambda state, writes: [*state, *(w for ws in writes for w in ws)])]


def build_growth(saver: Any) -> Any:
    def sprout(state: Growth) -> dict[str, Any]:
        return {"grown": [f"leaf {len(state['grown'])}"]}

    builder = StateGraph(Growth)
    for name in ("left", "right"):
        builder.add_node(name, sprout)
        builder.add_edge(START, name)
    return builder.compile(checkpointer=saver)


@pytest.mark.slow
@pytest.mark.parametrize("durability", ["sync", "async"])
def test_a_channel_of_differences_is_read_as_in_memory(saver: MemoryPlatformSaver, durability: Any) -> None:
    ours, theirs, config = build_growth(saver), build_growth(InMemorySaver()), place()
    for turn in range(4):
        for graph in (ours, theirs):
            graph.invoke({"grown": [f"seed {turn}"]}, config, durability=durability)
    whole = theirs.get_state(config).values
    assert len(whole["grown"]) == 12
    assert ours.get_state(config).values == whole
    assert [one.values for one in ours.get_state_history(config)] == [
        one.values for one in theirs.get_state_history(config)
    ]
    saver.prune([config["configurable"]["thread_id"]])
    assert ours.get_state(config).values == whole


def test_a_late_write_does_not_bring_a_deleted_thread_back(saver: MemoryPlatformSaver, acme: House) -> None:
    graph, config = build_talk(saver), place()
    thread_id = config["configurable"]["thread_id"]
    graph.invoke({"said": ["hello"], "topic": "tea"}, config)
    last = saver.get_tuple(config)
    assert last is not None
    in_flight = empty_checkpoint()
    saver.delete_thread(thread_id)

    late: list[Any] = [
        lambda: saver.put(last.config, empty_checkpoint(), {}, {}),
        lambda: saver.put_writes(last.config, [("said", ["late"])], "task"),
        lambda: saver.put({"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}, in_flight, {}, {}),
        lambda: saver.put(
            {"configurable": {"thread_id": thread_id, "checkpoint_ns": "a:b"}}, empty_checkpoint(), {}, {}
        ),
    ]
    for save in late:
        with pytest.raises(Conflict) as refused:
            save()
        assert refused.value.code == "thread_deleted"
    assert saver.get_tuple(config) is None
    with tenant_tx(acme.tenant.id):
        assert not AgentThread.objects.filter(external_id=thread_id).exists()
        assert thread_id.encode() not in b"".join(bytes(one.mark) for one in ThreadTombstone.objects.all())

    assert graph.invoke({"said": ["a new start"], "topic": ""}, config)["said"] == ["a new start", "answer 1"]
    with pytest.raises(Conflict):
        saver.put(last.config, empty_checkpoint(), {}, {})


def test_a_run_whose_thread_is_deleted_meanwhile_ends_with_an_error(saver: MemoryPlatformSaver) -> None:
    config = place()

    def answer_and_lose(state: Talk) -> dict[str, Any]:
        saver.delete_thread(config["configurable"]["thread_id"])
        return {"said": ["lost"]}

    builder = StateGraph(Talk)
    builder.add_node("lose", answer_and_lose)
    builder.add_edge(START, "lose")
    with pytest.raises(Conflict):
        builder.compile(checkpointer=saver).invoke({"said": ["hello"], "topic": ""}, config, durability="sync")
    assert saver.get_tuple(config) is None
    assert list(saver.list(config)) == []


def test_a_copy_is_a_thread_of_its_own(saver: MemoryPlatformSaver, acme: House) -> None:
    graph, config, other = build_talk(saver), place(subject_id="bea"), place()
    graph.invoke({"said": ["hello"], "topic": "tea"}, config)
    saver.copy_thread(config["configurable"]["thread_id"], other["configurable"]["thread_id"])
    graph.invoke({"said": ["here alone"]}, other)
    assert graph.get_state(config).values["said"] == ["hello", "answer 1"]
    assert graph.get_state(other).values["said"] == ["hello", "answer 1", "here alone", "answer 3"]
    with tenant_tx(acme.tenant.id):
        assert AgentThread.objects.filter(subject__external_id="bea").count() == 2


@pytest.mark.slow
def test_erasing_a_person_erases_the_threads(saver: MemoryPlatformSaver, address: str, acme: House) -> None:
    graph, config, bystander = build_talk(saver), place(subject_id="carl"), place(subject_id="dora")
    for one in (config, bystander):
        graph.invoke({"said": ["hello"], "topic": "tea"}, one)
    last = saver.get_tuple(config)
    assert last is not None
    thread_id = config["configurable"]["thread_id"]
    with Memory(address, acme.token) as memory:
        memory.subject("carl").delete()
    assert saver.get_tuple(config) is None
    assert counts_of(acme, thread_id) == {"checkpoint": 0, "channel_value": 0, "pending_write": 0}
    with pytest.raises(Conflict):
        saver.put(last.config, empty_checkpoint(), {}, {})
    assert graph.get_state(bystander).values["said"] == ["hello", "answer 1"]
    with tenant_tx(acme.tenant.id):
        assert not Subject.objects.filter(external_id="carl").exists()
        assert not AgentThread.objects.filter(external_id__startswith="erasing").exists()


def test_a_thread_keeps_its_subject(saver: MemoryPlatformSaver) -> None:
    graph, config = build_talk(saver), place(subject_id="eve")
    graph.invoke({"said": ["hello"], "topic": ""}, config)
    with pytest.raises(Conflict) as refused:
        graph.invoke({"said": ["hello"]}, {"configurable": {**config["configurable"], "subject_id": "fay"}})
    assert refused.value.code == "thread_of_another_subject"


@pytest.mark.parametrize(
    "name", ["100%", "a_b", "a/b?c=d#e", "../..", "中文", "x" * 900, "'; DROP TABLE checkpoint", "*"]
)
def test_a_hostile_thread_id_is_just_a_name(saver: MemoryPlatformSaver, name: str) -> None:
    graph = build_talk(saver)
    own, other = f"{name}-{uuid4()}", f"other-{uuid4()}"
    for thread_id in (own, other):
        graph.invoke({"said": [thread_id], "topic": ""}, {"configurable": {"thread_id": thread_id}})
    assert graph.get_state({"configurable": {"thread_id": own}}).values["said"][0] == own
    saver.delete_thread(own)
    assert graph.get_state({"configurable": {"thread_id": other}}).values["said"][0] == other


@pytest.mark.slow
def test_states_of_a_listing_come_page_by_page(saver: MemoryPlatformSaver) -> None:
    graph, config = build_talk(saver), place()
    for number in range(20):
        graph.invoke({"said": [f"turn {number}"], "topic": "t"}, config)
    found = list(saver.list(config))
    assert len(found) == 60
    ids = [one.config["configurable"]["checkpoint_id"] for one in found]
    assert ids == sorted(ids, reverse=True)
    assert len(list(saver.list(config, limit=55))) == 55
    assert list(saver.list(config, limit=0)) == []
    before: Sequence[Any] = list(saver.list(config, before=found[50].config))
    assert [one.config for one in before] == [one.config for one in found[51:]]
    everywhere = {one.config["configurable"]["thread_id"] for one in saver.list(None, filter={"step": 58})}
    assert config["configurable"]["thread_id"] in everywhere
