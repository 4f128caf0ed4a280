"""An undone join shows, keeps and remembers nothing of the one at the other. Rows: P13, E8, E1, T1."""

from profiles.services.tombstones import find_forgotten_messages, find_forgotten_texts, record_tombstones
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.memories import forget_memory
from snapshots.intake.conversations import lock_conversation
from snapshots.lifecycle.write_types import SnapshotAddress
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.snapshots.held import remember, say
from tests.snapshots.joins.conftest import Visit


def test_what_was_forgotten_while_joined_stays_forgotten(visit: Visit) -> None:
    acme, tenant_id, visitor = visit.ada, visit.ada.tenant.id, visit.visitor.subject.id
    (herring,) = remember(visit.visitor, "I like herring")
    say(acme, "one")
    trip = say(visit.visitor, "one")[0].external_id
    chat = say(visit.visitor, "I live in Porto", conversation="chat")[0].external_id
    with tenant_tx(tenant_id):
        record_tombstones(acme.subject.id, texts=["I like cod"])
    join = visit.join()
    forget_memory(tenant_id, SnapshotAddress("visitor-7", herring), active_embedders(), by=COMMAND_LINE)
    with tenant_tx(tenant_id):
        for name in ("trip (visitor-7)", "chat"):
            delete_conversation(lock_conversation("visitor-7", name))
    names = [("trip", trip), ("chat", chat)]
    with tenant_tx(tenant_id):  # her own conversation is called `trip`, too
        assert find_forgotten_messages(acme.subject.id, names) == {("chat", chat)}
    visit.undo(join)
    with tenant_tx(tenant_id):
        assert find_forgotten_messages(visitor, names) == set(names)
        assert find_forgotten_messages(acme.subject.id, names) == {("chat", chat)}
        texts = ["I like herring", "I live in Porto", "I like cod"]
        assert find_forgotten_texts(visitor, texts) == set(texts[:2])
    assert remember(visit.visitor, "i LIKE herring") == []
