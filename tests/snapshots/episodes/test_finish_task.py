"""A task ends while its agents go on writing to it. Rows: W1, W2."""

from collections.abc import Callable
from typing import Any

import pytest

from memory_platform.kernel.errors import Conflict
from snapshots.context.gathering.candidate_items import render_task_passage
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.episodes.agent_tasks import begin_task, change_task, find_task, list_active_tasks
from snapshots.episodes.config import EPISODES, TASKS
from snapshots.episodes.finish_task import (
    EpisodeWriter,
    complete_ending,
    finish_task,
    mask_ending,
    rate_importance,
    render_episode,
)
from snapshots.episodes.values import ActiveStep, StepUnknown, TaskAddress, TaskChange, TaskEnding, TooManySteps
from snapshots.models import Episode, Task
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import House, World

FAILED = {"id": "2", "text": "Book", "status": "failed", "error": "sold out", "tool": "book"}
STEPS: list[dict[str, Any]] = [
    {"id": "1", "text": "Find trains", "status": "completed", "result": "G7", "error": None, "tool": "search"},
    FAILED,
    {"id": "3", "text": "Pay", "status": "pending"},
    {"id": "4", "text": "Find hotels", "status": "completed", "tool": "search"},
]


GOAL = "Book a hotel in Lisbon 订酒店"


def begin_trip(house: House) -> Task:
    with tenant_tx(house.tenant.id):
        return begin_task(house.subject, GOAL, [{"text": "Find hotels"}])


def end_changing(house: House, task: Task, meanwhile: Callable[[int], TaskChange]) -> Episode:
    """End a task that somebody changes each time it was read and is told."""
    rounds = 0

    def mask(text: str) -> tuple[str, int]:
        nonlocal rounds
        if text == GOAL:
            rounds += 1
            with tenant_tx(house.tenant.id):
                change_task(house.subject, task.id, meanwhile(rounds), accept=lambda *_: None)
        return text, 0

    address = TaskAddress(house.subject.external_id, task.id)
    return finish_task(
        house.tenant.id, address, TaskEnding("success"), EpisodeWriter(active_embedders(), mask), accept=lambda *_: None
    )


def test_a_task_ends_while_its_notes_and_rounds_change(world: World) -> None:
    task = begin_trip(world.acme)
    episode = end_changing(world.acme, task, lambda number: TaskChange(scratchpad={"note": number}, iteration=number))
    assert episode.outcome == "success"
    with tenant_tx(world.acme.tenant.id):
        kept = find_task(world.acme.subject, task.id)
    assert (kept.status, kept.iteration, kept.scratchpad) == ("finished", 1, {"note": 1})


def test_a_step_that_is_done_meanwhile_is_told(world: World) -> None:
    done = TaskChange(steps=[{"id": "1", "status": "completed"}])
    assert end_changing(world.acme, begin_trip(world.acme), lambda _: done).approach == "Find hotels"


def test_a_plan_that_never_stands_still_cannot_be_told(world: World) -> None:
    with pytest.raises(Conflict):
        end_changing(world.acme, begin_trip(world.acme), lambda number: TaskChange(steps=[{"text": f"step {number}"}]))


@pytest.fixture
def task(world: World) -> Task:
    with tenant_tx(world.acme.tenant.id):
        return Task(subject=world.acme.subject, goal="Go to Lisbon", steps=STEPS)


def always(*_: object) -> None:
    """Accept every version."""


def test_what_was_left_out_is_read_from_the_steps(task: Task) -> None:
    told = complete_ending(TaskEnding("failure"), task)
    assert told.approach == "Find trains → Find hotels"
    assert told.tools == ("search", "book")
    assert told.lessons == ("Book: sold out",)
    said = TaskEnding("failure", approach="by train", tools=("phone",), lessons=("book early",))
    assert complete_ending(said, task) == said


@pytest.mark.parametrize(
    ("ending", "failed", "expected"),
    [
        (TaskEnding("success"), 0, 0.7),
        (TaskEnding("success", lessons=("a", "b")), 0, 0.8),
        (TaskEnding("success", lessons=("a", "b"), key_decisions=("c", "d", "e")), 0, 0.9),
        (TaskEnding("failure"), 0, 0.8),
        (TaskEnding("failure"), 2, 0.9),
        (TaskEnding("failure", lessons=("a",) * 9), 3, 1.0),
        (TaskEnding("partial"), 0, 0.7),
        (TaskEnding("success", feedback="great"), 0, 0.9),
        (TaskEnding("failure", feedback="bad", lessons=("a",) * 4), 0, 1.0),
    ],
)
def test_importance_lies_in_the_range_of_what_came_of_it(
    task: Task, ending: TaskEnding, failed: int, expected: float
) -> None:
    task.steps = [FAILED] * failed
    assert rate_importance(ending, task) == pytest.approx(expected)


def test_the_words_are_in_the_language_of_the_goal_and_cut_by_parts() -> None:
    ending = TaskEnding("success", approach="train", key_decisions=("a", "b"), tools=("search",), lessons=("early",))
    assert render_episode("Go to Lisbon", ending) == (
        "Task: Go to Lisbon\nOutcome: success\nApproach: train\nDecisions: a; b\nTools: search\nLessons: early"
    )
    chinese = render_episode("订一张去上海的高铁票", TaskEnding("failure", feedback="太晚了"))
    assert chinese == "任务:订一张去上海的高铁票\n结果:失败\n反馈:太晚了"
    long = render_episode("g" * 5_000, TaskEnding("partial", approach="a" * 5_000, lessons=("last",)))
    assert len(long) < 2 * EPISODES.part_chars + 100
    assert long.endswith("Lessons: last")


def test_secrets_do_not_outlive_the_task() -> None:
    card = "paid with 4111 1111 1111 1111"
    told = mask_ending(TaskEnding("success", card, card, (card,), (card,), (card,)), mask_sensitive)
    assert "4111" not in repr(told)
    assert "paid with" in told.approach


def test_steps_are_changed_by_their_ids_and_added_by_their_text(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        task = begin_task(world.acme.subject, "Go", [{"text": "a", "id": "a"}, {"text": "b"}])
        second = task.steps[1]["id"]
        assert second == "2"

        def change(*steps: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
            changed = change_task(world.acme.subject, task.id, TaskChange(steps=steps, **more), accept=always)
            return [(step["text"], step["status"]) for step in changed.steps]

        assert change({"id": second, "status": "completed", "result": "done"}) == [("a", "pending"), ("b", "completed")]
        assert change({"text": "c", "id": "c", "status": "in_progress"})[2:] == [("c", "in_progress")]
        assert change({"text": "c", "status": "failed", "error": "late"})[2:] == [("c", "failed")]
        assert change({"id": "a", "text": "A"})[0] == ("A", "pending")
        assert change(plan=[{"text": "new"}]) == [("new", "pending")]
        with pytest.raises(StepUnknown):
            change({"id": "a", "status": "failed"})
        with pytest.raises(TooManySteps):
            change(*[{"text": "x"}] * TASKS.steps)


def test_a_prompt_gets_plain_values_of_the_tasks_in_progress(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        subject = world.acme.subject
        old, new = (begin_task(subject, goal, [{"text": "a"}]) for goal in ("old", "新的"))
        change = TaskChange(scratchpad={"n": [1, 2], "seat": "window"}, iteration=3)
        change_task(subject, old.id, change, accept=always)
        done = begin_task(subject, "done")
        Task.objects.filter(id=done.id).update(status="finished")
        first, second = list_active_tasks(subject.id)
        for _ in range(TASKS.shown):
            begin_task(subject, "more")
        assert len(list_active_tasks(subject.id)) == TASKS.shown
    assert (first.id, first.goal, first.iteration) == (old.id, "old", 3)
    assert (first.scratchpad, first.steps) == ("n: 1, 2; seat: window", (ActiveStep("a", "pending"),))
    assert (second.id, second.scratchpad, second.scratchpad_left_out) == (new.id, "", 0)


def test_notes_too_long_for_a_prompt_are_left_out_whole(world: World) -> None:
    most = TASKS.scratchpad_chars
    with tenant_tx(world.acme.tenant.id):
        begin_task(world.acme.subject, "just right", (), scratchpad="记" * most)
        begin_task(world.acme.subject, "too long", (), scratchpad="记" * (most + 1))
        long, right = list_active_tasks(world.acme.subject.id)
    assert (len(right.scratchpad), right.scratchpad_left_out) == (most, 0)
    assert (long.scratchpad, long.scratchpad_left_out) == ("", most + 1)
    assert render_task_passage(long).text == "too long\nnotes: left out, 1,001 characters"
