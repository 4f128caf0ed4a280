"""What must not be remembered is not remembered as the name of who said something either. Rows: E2, E8."""

import pytest

from snapshots.jobs import drain_work_job
from snapshots.models import Message, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.erasure.everywhere import tables_with
from tests.snapshots.erasure.learned.test_unlearn_messages import forget

CARDS = [("4111 1111 1111 1111", "4111"), ("密码是 Xk7-9Qz!pw42", "9Qz"), ("password: hunter2-Zebra9", "Zebra9")]
CONVERSATION = "/v1/subjects/ada/conversations/trip"


@pytest.mark.parametrize(("name", "secret"), CARDS)
def test_a_card_or_a_secret_is_no_name_in_memory(world: World, name: str, secret: str) -> None:
    house, acme = world.acme, Caller(world.acme)
    turns = [
        {"role": "user", "name": name, "content": "The ferry leaves at nine from the old harbour"},
        {"role": "user", "name": "李雷", "content": "我们在码头的咖啡馆见面,然后去坐船"},
    ]
    assert acme("POST", f"{CONVERSATION}/messages", {"messages": turns}).status_code < 300
    acme("POST", f"{CONVERSATION}/end", {})
    drain_work_job(tenant_id=str(house.tenant.id))

    assert set(tables_with(secret)) <= {"message", "idempotent_reply"}
    with tenant_tx(house.tenant.id):
        assert Snapshot.objects.get(text__startswith="The ferry", kind="statement").masked
        assert Snapshot.objects.get(text__startswith="我们", kind="statement").name == "李雷"
    found = body_of(acme("POST", "/v1/subjects/ada/recall", {"query": "When does the ferry leave?"}))
    assert "ferry" in str(found)
    assert secret not in str(found)


def test_a_message_that_is_forgotten_forgets_its_name(world: World) -> None:
    acme, said = Caller(world.acme), "The ferry leaves at nine from the old harbour"
    turns = [{"role": "user", "name": "Kestrel4711", "content": said}]
    acme("POST", f"{CONVERSATION}/messages", {"messages": turns})
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    forget(world.acme, said)
    assert tables_with("kestrel4711") == {}
    with tenant_tx(world.acme.tenant.id):
        assert Message.objects.get().content == ""
