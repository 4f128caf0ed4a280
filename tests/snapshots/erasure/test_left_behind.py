"""An eraser dies after the commit: the next one finishes in Redis, looks for what is left, and signs. Rows: E8."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.redis.client import redis_client
from profiles.models import Erasure
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure import conversations, memories
from snapshots.erasure.check_and_sign import sign_unsigned_erasures
from snapshots.erasure.memories import forget_memory
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.jobs import drain_work_job
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Conversation, Message, Snapshot
from snapshots.window.cached_window import load_window
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.erasure.everywhere import redis_holds, tables_with
from tests.snapshots.held import remember, say

SAID = ("My sister Kestrel4711 lives in Utrecht", "我妹妹红隼四七一一住在乌得勒支")
WORDS = ("kestrel4711", "红隼四七一一")


@pytest.fixture(autouse=True)
def clean_redis() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    yield


def nothing(*args: object) -> None:
    """What a process does that is no more."""


def say_in_cached_window(house: House, said: str) -> None:
    """Say it in a conversation whose window is in Redis."""
    say(house, "Hello there, how are you doing today?", said)
    drain_work_job(tenant_id=str(house.tenant.id))
    with tenant_tx(house.tenant.id):
        load_window(Conversation.objects.get())


def forget(house: House, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Forget the memory in a process that dies right after the commit."""
    with tenant_tx(house.tenant.id):
        address = SnapshotAddress("ada", Snapshot.objects.get(text=said, kind="statement").id)
    with monkeypatch.context() as patched:
        patched.setattr(memories, "sign_after_commit", nothing)
        patched.setattr(memories, "cache_window", nothing)
        forget_memory(house.tenant.id, address, active_embedders(), by=COMMAND_LINE)


def delete_it(house: House, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Delete the conversation in a process that dies right after the commit."""
    with monkeypatch.context() as patched:
        patched.setattr(conversations, "sign_after_commit", nothing)
        patched.setattr(conversations, "erase_windows", nothing)
        with tenant_tx(house.tenant.id):
            conversations.delete_conversation(lock_conversation("ada", "trip"))


def signed_late(house: House) -> Erasure:
    with tenant_tx(house.tenant.id):
        Erasure.objects.update(requested_at=utc_now() - timedelta(hours=1))
    assert sign_unsigned_erasures(house.tenant.id) == 1
    with tenant_tx(house.tenant.id):
        erasure = Erasure.objects.get()
        assert is_genuine(build_certificate(erasure))
    return erasure


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("erase", [forget, delete_it])
def test_what_is_left_in_redis_is_taken_by_whoever_signs(
    world: World, monkeypatch: pytest.MonkeyPatch, erase: Callable[..., None], said: str
) -> None:
    say_in_cached_window(world.acme, said)
    erase(world.acme, monkeypatch, said)
    assert (tables_with(*WORDS), len(redis_holds(*WORDS))) == ({}, 1)

    erasure = signed_late(world.acme)

    assert redis_holds(*WORDS) == []
    assert erasure.verified["rows_left"] == {}
    assert erasure.verified["redis"] == {"away": False, "windows": 1, "left": 0}
    assert erasure.verified["late"]
    assert erasure.verified.get("unchecked", []) == (
        ["receipt.rendered", "idempotent_reply"] if erase is forget else []
    )


def test_words_that_stand_again_are_found_by_their_marks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    house, said = world.acme, SAID[0]
    say_in_cached_window(house, said)
    forget(house, monkeypatch, said)
    (again,) = remember(house, "Something else")
    with tenant_tx(house.tenant.id):
        Message.objects.filter(seq=2).update(content=said)
        Snapshot.objects.filter(id=again).update(text=f"  {said.upper()}")

    assert signed_late(house).verified["rows_left"] == {"message": 1, "snapshot": 1}
