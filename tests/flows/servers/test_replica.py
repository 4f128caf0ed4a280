"""A second Postgres that follows the first, made and promoted by the lines of docs/operations/replica.md.

Rows: D6, C3, E8. Matrix: 24, 66.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from memory_platform.devstack.processes.program_command import change_owner, find_unprivileged_identity
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from tests.flows.servers.database import DATABASE, Database
from tests.flows.servers.pages import manage, run_block
from tests.flows.stage import PLATFORM, Stage, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]
PAGE = "docs/operations/replica.md"
BACK_WITHIN = 30.0
"""Seconds from the promotion until a message is accepted by processes that nobody started anew."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A primary with its standby, and what the page's lines find in their environment."""

    primary: Database
    standby: EmbeddedPostgres
    environment: dict[str, str]

    def lead_to_standby(self, url: str) -> str:
        return url.replace(str(self.primary.postgres.socket_dir), str(self.standby.socket_dir))

    def lead_to_whoever_writes(self, url: str) -> str:
        """Return the address as the page tells it: both servers, of which one may be written to."""
        both = f"{self.primary.postgres.socket_dir},{self.standby.socket_dir}"
        return url.replace(str(self.primary.postgres.socket_dir), both) + "&target_session_attrs=read-write"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    primary = Database()
    standby = EmbeddedPostgres(primary.home / "standby", durable=False)
    standby.home.mkdir(parents=True, exist_ok=True)
    change_owner(standby.home, find_unprivileged_identity())
    superuser = primary.postgres.superuser_url()
    environment = {
        **primary.put_programs_first(),
        "SUPERUSER_URL": superuser,
        "REPLICATION_PASSWORD": "a-password-for-one-test",
        "PRIMARY": superuser.replace("postgres@", "replicator@", 1) + "&application_name=standby1",
        "STANDBY": str(standby.cluster),
        "STANDBY_URL": primary.postgres.superuser_url(DATABASE).replace(
            str(primary.postgres.socket_dir), str(standby.socket_dir)
        ),
    }
    try:
        run_block(f"{PAGE}#1", tmp_path, environment)
        run_block(f"{PAGE}#2", standby.home, environment, as_nobody=True)
        standby.start()
        wait_until(lambda: "standby1" in list_standbys(superuser))
        run_block(f"{PAGE}#3", tmp_path, environment)
        yield Pair(primary, standby, environment)
    finally:
        standby.stop()
        primary.remove()


def list_standbys(url: str) -> list[str]:
    with psycopg.connect(url) as server:
        return [str(name) for (name,) in server.execute("SELECT application_name FROM pg_stat_replication")]


def count_messages(server: EmbeddedPostgres) -> int:
    with psycopg.connect(server.superuser_url(DATABASE)) as opened:
        row = opened.execute("SELECT count(*) FROM message").fetchone()
    return int(row[0]) if row else 0


def post(stage: Stage, pair: Pair, text: str) -> int:
    with stage.client(**pair.primary.headers) as client:
        messages = [{"role": "user", "content": text}]
        return client.post("/v1/subjects/ada/conversations/c1/messages", json={"messages": messages}).status_code


def recall(stage: Stage, pair: Pair) -> set[str]:
    with stage.client(**pair.primary.headers) as client:
        answer = client.post("/v1/subjects/ada/recall", json={"query": "Where did I move to? 花生过敏"})
        return {one["text"] for one in answer.json().get("memories", [])}


def test_the_platform_goes_on_at_the_promoted_standby_and_nothing_accepted_is_lost(pair: Pair, tmp_path: Path) -> None:
    stage = Stage(
        tmp_path,
        DATABASE_URL=pair.lead_to_whoever_writes(pair.primary.addresses["DATABASE_URL"]),
        DATABASE_OWNER_URL=pair.lead_to_whoever_writes(pair.primary.addresses["DATABASE_OWNER_URL"]),
    )
    said = ["I moved to Boston last spring", "我对花生过敏，以后别推荐花生"]
    try:
        stage.worker(app=PLATFORM, processes=1)
        stage.beat(app=PLATFORM)
        stage.web()
        assert post(stage, pair, said[0]) == 202
        wait_until(lambda: recall(stage, pair) == {said[0]}, 60)
        assert_reading_commands_work(pair, tmp_path)
        before = {**pair.environment, "BACKUP": str(tmp_path / "backup")}
        run_block(f"{PAGE}#4", tmp_path, before)
        assert (tmp_path / "backup").stat().st_size > 0

        assert post(stage, pair, said[1]) == 202
        pair.primary.postgres.kill()
        run_block(f"{PAGE}#5", pair.standby.home, pair.environment, as_nobody=True)
        assert count_messages(pair.standby) == 2
        wait_until(lambda: post(stage, pair, "It is warm here") == 202, BACK_WITHIN)
        wait_until(lambda: recall(stage, pair) >= set(said), 60)
    finally:
        stage.close()


def assert_reading_commands_work(pair: Pair, folder: Path) -> None:
    """Run, at the standby, what the page says may run there; and what it says may not."""
    at_standby = {"DATABASE_URL": pair.lead_to_standby(pair.primary.addresses["DATABASE_URL"])}
    assert manage("list_certificates", **at_standby) == ""
    assert "acme" in manage("care", "purge-expired", "--preview", **at_standby)
    with pytest.raises(AssertionError, match="read-only"):
        manage("create_key", "--tenant", "acme", **at_standby)
