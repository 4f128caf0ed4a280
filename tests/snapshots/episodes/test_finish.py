"""A task ends while its agents go on writing to it. Rows: W1, W2."""

from collections.abc import Callable

import pytest

from memory_platform.kernel.errors import Conflict
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.episodes.agent_tasks import begin_task, change_task, find_task
from snapshots.episodes.finish import EpisodeWriter, finish_task
from snapshots.episodes.values import TaskAddress, TaskChange, TaskEnding
from snapshots.models import Episode, Task
from tenants.isolation import tenant_tx
from tests.conftest import House, World

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
