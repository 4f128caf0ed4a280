"""RabbitMQ as the broker of the wake-ups, set up as docs/operations/rabbitmq.md says. Rows: D6, C3. Matrix: 29."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from celery import current_app

from memory_platform.console.operation.operation_page import ask_workers
from tests.conftest import World
from tests.flows.servers.pages import run_block
from tests.flows.servers.rabbitmq import MISSING, RabbitMQ
from tests.flows.stage import PLATFORM, Stage, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.processes,
    pytest.mark.xdist_group("flows"),
    pytest.mark.timeout(300),
    pytest.mark.skipif(MISSING, reason="no rabbitmq-server here: apt-get install rabbitmq-server"),
]
PAGE = "docs/operations/rabbitmq.md"
PASSWORD = "a-password-for-one-test"


@pytest.fixture
def broker() -> Iterator[RabbitMQ]:
    with tempfile.TemporaryDirectory(prefix="mp-rabbit-") as home:
        node = RabbitMQ(Path(home))
        node.start()
        yield node
        node.remove()


@pytest.fixture
def address(broker: RabbitMQ, tmp_path: Path) -> str:
    """The broker's address, as the page's lines leave it in the environment."""
    given = {**broker.environment, "BROKER_PASSWORD": PASSWORD}
    said = run_block(f"{PAGE}#1", tmp_path, given, then='echo "$CELERY_BROKER_URL"')
    return said.splitlines()[-1].replace(":5672/", f":{broker.port}/")


@pytest.fixture
def stage(world: World, address: str, tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, CELERY_BROKER_URL=address)
    yield stage
    stage.close()


def post(client: httpx.Client, text: str) -> None:
    messages = [{"role": "user", "content": text}]
    assert client.post("/v1/subjects/ada/conversations/c1/messages", json={"messages": messages}).status_code == 202


def is_done(client: httpx.Client) -> bool:
    return bool(client.get("/v1/subjects/ada/pending").json()["pending"] == 0)


def recall(client: httpx.Client, query: str) -> list[str]:
    answer = client.post("/v1/subjects/ada/recall", json={"query": query}).json()
    return [one["text"] for one in answer["memories"]]


def ask_queue(client: httpx.Client) -> str:
    return str(client.get("/health/ready").json()["checks"]["queue"])


def ask_workers_at(address: str) -> list[str] | None:
    """Return the names of the workers that answer the console over a broker."""
    before, current_app.conf.broker_write_url = current_app.conf.broker_write_url, address
    try:
        workers = ask_workers()
    finally:
        current_app.conf.broker_write_url = before
    return None if workers is None else [one.name for one in workers]


def test_work_is_done_through_rabbitmq_and_after_its_death(
    world: World, stage: Stage, broker: RabbitMQ, address: str
) -> None:
    stage.worker(app=PLATFORM, processes=1)
    stage.web()
    wait_until(lambda: bool(ask_workers_at(address)))
    with stage.client(**world.acme.headers) as client:
        wait_until(lambda: ask_queue(client) == "ok")
        post(client, "I moved to Boston last spring")
        wait_until(lambda: is_done(client))  # without beat: a wake-up came through
        assert recall(client, "Where did I move to?") == ["I moved to Boston last spring"]
        assert ask_workers_at(address.replace(PASSWORD, "another")) is None

        stage.beat(app=PLATFORM)
        broker.kill()
        post(client, "我对花生过敏，以后别推荐花生")  # accepted all the same
        assert ask_queue(client) == "degraded"
        assert ask_workers_at(address) is None
        broker.start()
        wait_until(lambda: is_done(client))
        assert "我对花生过敏，以后别推荐花生" in recall(client, "花生过敏")
        wait_until(lambda: ask_queue(client) == "ok")  # a busy machine may miss the probe's 0.3 s
