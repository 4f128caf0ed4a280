"""An undone join shows, keeps and remembers nothing of the one at the other. Rows: P13, E8, E1, T1."""

from typing import Any

import pytest
from django.test import Client

from profiles.models import Preference, Subject, Tag
from profiles.selectors import current_preferences, group_preference_values, preferences_at, tags_of
from profiles.services.tombstones import find_forgotten_messages, find_forgotten_texts, record_tombstones
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.memories import forget_memory
from snapshots.erasure.subjects import erase_subject
from snapshots.forgetting.undo_order import undo_forget_order
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.joins.errors import ChoiceIsGone, OrderIsOpen
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Conversation, ForgetOrder, KeptPrefix, Message, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.gemini_server import gemini_server
from tests.memory_platform.api.wall import rows_of
from tests.snapshots.forgetting.talk import ORDER, SECRET, hide_messages, start_talk, tell
from tests.snapshots.held import prefer, remember, say
from tests.snapshots.joins.conftest import APRIL, Visit, make_visit_full
from tests.snapshots.prompt_cache.test_cache_prefix import keeper, name_of


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


def test_no_join_is_undone_while_words_are_withheld(visit: Visit) -> None:
    tenant_id = visit.ada.tenant.id
    with tenant_tx(tenant_id):
        talk, [secret] = start_talk(visit.visitor.subject, SECRET)
    remember(visit.visitor, SECRET, messages=[secret])
    join = visit.join()
    with tenant_tx(tenant_id):
        order = tell(Conversation.objects.get(id=talk.id), ORDER)
        hide_messages(visit.ada.subject, order, [Message.objects.get(id=secret.id)])
    with pytest.raises(OrderIsOpen):
        visit.undo(join)
    with tenant_tx(tenant_id):
        undo_forget_order(visit.ada.subject, ForgetOrder.objects.get().id, by=COMMAND_LINE)
    visit.undo(join)
    with tenant_tx(tenant_id):
        assert Snapshot.objects.get(text=SECRET).subject_id == visit.visitor.subject.id


@pytest.mark.slow
def test_an_erased_visitor_is_in_no_record_and_no_reply_of_an_undone_join(visit: Visit) -> None:
    acme, tenant_id = visit.ada, visit.ada.tenant.id
    make_visit_full(visit)
    prefer(visit.visitor, "home", "city", "Zanzibar")
    with tenant_tx(tenant_id):
        Subject.objects.filter(id=visit.visitor.subject.id).update(metadata={"email": "private@x.org"})
    join = visit.join()

    def ask() -> bytes:
        headers = {**acme.headers, "Idempotency-Key": "one"}
        body = {"query": "In which city do they live?", "system_prompt": "Be nice."}
        return Client(headers=headers).post("/v1/subjects/ada/context", body, "application/json").content

    assert b"Zanzibar" in ask()
    join = visit.undo(join)
    assert (join.former, join.moved, join.ended, join.renamed) == ({}, {}, [], [])
    assert join.counts["tag"] == 1
    erasure, _job = erase_subject(tenant_id, "visitor-7", by=COMMAND_LINE)
    assert erasure.erased["subject_join"] == 1
    assert b"Zanzibar" not in ask()
    left = rows_of(tenant_id)
    for name in ("visitor-7", str(visit.visitor.subject.id), "private@x.org", "Zanzibar"):
        assert [table for table, rows in left.items() if any(name in row for row in rows)] == [], name


def test_a_prompt_that_a_vendor_keeps_is_deleted(visit: Visit, world: World, settings: Any) -> None:
    join = visit.join()
    with gemini_server() as gemini:
        settings.CHAT_ENDPOINTS, settings.PROMPT_CACHE_ENDPOINT = {"g": gemini.endpoint}, "g"
        name_of(visit.ada, keeper(gemini))  # it may show both
        others = name_of(world.globex, keeper(gemini))
        visit.undo(join)
        assert set(gemini.kept) == {others}
    with tenant_tx(visit.ada.tenant.id):
        assert not KeptPrefix.objects.exists()


def test_what_somebody_chose_is_kept_and_an_undo_brings_both_back(visit: Visit) -> None:
    make_visit_full(visit)
    with tenant_tx(visit.ada.tenant.id):
        seat = Preference.objects.get(subject=visit.ada.subject, key="seat").id
        home = Tag.objects.get(subject=visit.ada.subject).id
        dish = Preference.objects.get(subject=visit.visitor.subject, key="dish").id
    with pytest.raises(ChoiceIsGone):
        visit.join(keep_ids=[seat, dish])
    join = visit.join(keep_ids=[seat, home])
    with tenant_tx(visit.ada.tenant.id):
        ada = visit.ada.subject
        assert group_preference_values(current_preferences(ada))["travel"] == {"seat": "aisle"}
        assert group_preference_values(current_preferences(ada))["music"] == {"genre": "jazz"}, "said last"
        assert {tag.label: tag.address for tag in tags_of(ada)} == {"home": "aisle road", "home 2": "window road"}
        assert group_preference_values(preferences_at(ada, as_of=APRIL))["travel"] == {"seat": "aisle"}
    visit.undo(join)
    with tenant_tx(visit.ada.tenant.id):
        seats = [group_preference_values(current_preferences(one))["travel"] for one in (ada, visit.visitor.subject)]
        assert seats == [{"seat": "aisle"}, {"seat": "window"}]
        assert {tag.label for tag in Tag.objects.all()} == {"home"}
