"""Postgres is killed under processes that keep connections to it. Rows: C3, R6. Matrix: 24, 25."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.flows.servers.database import Database
from tests.flows.stage import PLATFORM, Stage, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(180)]

THREADS = 4
WITHIN = 10.0
"""Seconds from a message's acceptance until it is a memory; Postgres has only just come back."""
OUTAGE = 18.0
"""Seconds: a wait that doubles with each refused connection is long by then."""
BACK_WITHIN = 5.0
"""Seconds from Postgres's return until the web accepts again."""
IDLE = 2.5
"""Seconds in which every part of the platform uses its connections, and has nothing else to do."""


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database()
    yield database
    database.remove()


@pytest.fixture
def stage(database: Database, tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, **database.addresses)
    yield stage
    stage.close()


def say(stage: Stage, database: Database, *message_ids: str) -> list[int]:
    """Post messages at once, each on a connection of its own; return the statuses."""

    def post(message_id: str) -> int:
        message = {"message_id": message_id, "role": "user", "content": f"I moved to Porto in {message_id}."}
        with stage.client(**database.headers) as client:
            answer: httpx.Response = client.post(
                f"/v1/subjects/ada/conversations/{message_id}/messages", json={"messages": [message]}
            )
            return answer.status_code

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(post, message_ids))


def test_after_postgres_died_the_next_messages_are_accepted_and_remembered(stage: Stage, database: Database) -> None:
    stage.worker(app=PLATFORM, processes=1)
    stage.beat(app=PLATFORM)
    stage.web(CELERY_BROKER_URL="redis+socket:///nowhere")  # no wake-up helps: what is accepted has to be found
    said = 0
    for life in range(3):
        if life:
            time.sleep(IDLE)
            database.restart()
        assert say(stage, database, *(f"{life}-{number}" for number in range(THREADS))) == [202] * THREADS
        said += THREADS
        wait_until(lambda: database.states() == {"done": 2 * said}, WITHIN)  # noqa: B023 - called at once


def test_after_a_long_outage_the_web_accepts_at_once(stage: Stage, database: Database) -> None:
    stage.web()
    assert say(stage, database, "before") == [202]
    database.postgres.kill()
    until = time.monotonic() + OUTAGE
    while time.monotonic() < until:
        assert say(stage, database, *(f"during-{number}" for number in range(THREADS))) == [503] * THREADS
    database.postgres.start()
    wait_until(lambda: say(stage, database, "after") == [202], BACK_WITHIN)
