"""The window comes from Redis, and from Postgres when Redis lost it or is away. Rows: C2, R6. Matrix: 29."""

import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.providers.redis.client import redis_client
from snapshots.conversation_queries import find_conversation
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation, Message
from snapshots.window.cached_window import load_window
from snapshots.window.values import Window
from tenants.isolation import tenant_tx
from tests.black_hole import black_hole, redis_tried_once_per_pause
from tests.conftest import World


def say(world: World, *contents: str) -> Conversation:
    with tenant_tx(world.acme.tenant.id):
        incoming = [IncomingMessage(role="user", content=content) for content in contents]
        return accept_messages(world.acme.subject, "trip", incoming).conversation


def window_now(world: World) -> tuple[Window, int]:
    """Return the window and how many statements read messages."""
    with CaptureQueriesContext(connection) as queries, tenant_tx(world.acme.tenant.id):
        window = load_window(find_conversation("ada", "trip"))
    return window, sum('FROM "message"' in query["sql"] for query in queries.captured_queries)


def contents(window: Window) -> list[str]:
    return [turn.content for turn in window.turns]


def test_a_hot_window_reads_no_message(world: World) -> None:
    say(world, "hello", "导航回家")
    window, reads = window_now(world)

    assert contents(window) == ["hello", "导航回家"]
    assert (reads, window.degraded) == (0, False)
    assert window.tokens == sum(turn.tokens for turn in window.turns) > 0


def test_a_window_that_redis_lost_is_rebuilt_and_hot_again(world: World) -> None:
    say(world, *(f"m{n}" for n in range(30)))
    redis_client().call("test", lambda client: client.flushdb())

    rebuilt, reads = window_now(world)
    assert contents(rebuilt) == [f"m{n}" for n in range(10, 30)]
    assert (reads, rebuilt.degraded) == (1, False)
    assert window_now(world) == (rebuilt, 0)


def test_rebuilt_and_written_windows_are_the_same(world: World) -> None:
    say(world, "一", "二")
    hot, _ = window_now(world)
    redis_client().call("test", lambda client: client.flushdb())
    rebuilt, _ = window_now(world)

    assert rebuilt.turns == hot.turns


def test_a_window_left_behind_by_a_lost_write_is_not_shown(world: World, redis_server: EmbeddedRedis) -> None:
    say(world, "first")
    with tenant_tx(world.acme.tenant.id):  # accepted by a process that died between commit and Redis
        conversation = find_conversation("ada", "trip")
        Message.objects.create(
            subject=world.acme.subject,
            conversation=conversation,
            external_id="lost",
            seq=2,
            role="user",
            content="second",
            content_hash=b"",
            said_at=conversation.last_accepted_at,
        )
        Conversation.objects.filter(id=conversation.id).update(next_seq=3, version=conversation.version + 1)

    assert contents(window_now(world)[0]) == ["first", "second"]


@pytest.mark.slow
def test_messages_survive_a_killed_redis_and_the_window_says_that_it_is_degraded(
    world: World, redis_server: EmbeddedRedis
) -> None:
    say(world, "before")
    redis_server.kill()

    with redis_tried_once_per_pause():
        for n in range(20):
            say(world, f"during {n}")
    window, reads = window_now(world)
    assert (window.degraded, reads) == (True, 1)
    assert contents(window)[-1] == "during 19"

    redis_server.start()
    time.sleep(2.1)  # the pause after a failure
    say(world, "after")
    window, reads = window_now(world)
    assert (window.degraded, reads) == (False, 0)
    assert contents(window)[-2:] == ["during 19", "after"]


def test_a_redis_that_swallows_everything_slows_one_acceptance_not_all(world: World) -> None:
    with black_hole() as port, override_settings(REDIS_URL=f"redis://127.0.0.1:{port}/0"):
        with redis_tried_once_per_pause():
            for n in range(20):
                say(world, f"m{n}")
        window, _ = window_now(world)

    assert window.degraded
    assert contents(window) == [f"m{n}" for n in range(20)]


def test_the_summary_so_far_comes_with_the_window(world: World) -> None:
    say(world, "hello")
    with tenant_tx(world.acme.tenant.id):
        Conversation.objects.filter(external_id="trip").update(summary="Ada plans a trip.")

    assert window_now(world)[0].summary == "Ada plans a trip."
