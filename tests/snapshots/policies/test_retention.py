"""A tenant says how long its memories, messages and receipts are kept. Rows: T4, S3, C1, E6, G1."""

from datetime import timedelta
from typing import Any

from memory_platform.kernel.clock import utc_now
from snapshots.config import RETENTION, load_retention_policy
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.write_types import NewSnapshot
from snapshots.models import Message, Receipt, ReceiptMemory, Snapshot
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_tenant
from snapshots.scheduled_job_registry import CARE
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tenants.services.job_runs import TenantTurn
from tests.conftest import House, World
from tests.snapshots.held import remember, say
from tests.snapshots.policies.test_effective_policies import make


def days_left(house: House, kind: str) -> int | None:
    with tenant_tx(house.tenant.id):
        row = Snapshot.objects.filter(kind=kind).latest("position")
    return round((row.expires_at - row.recorded_at) / timedelta(days=1)) if row.expires_at else None


def post(house: House, text: str, **more: Any) -> None:
    new = NewSnapshot(text=text, kind="statement", **more)
    offers = prepare_offers([new], active_embedders(), mask=mask_sensitive)
    with tenant_tx(house.tenant.id):
        create_snapshots(house.subject, offers)


def test_what_is_stored_from_now_on_follows_the_active_policy(world: World) -> None:
    post(world.acme, "Ada likes tea")
    assert days_left(world.acme, "statement") == 180
    make(world.acme, {"retention": {"statement": 30}}, activate=True)
    post(world.acme, "Ada likes 咖啡")
    post(world.globex, "Gil likes tea")
    assert (days_left(world.acme, "statement"), days_left(world.globex, "statement")) == (30, 180)
    with tenant_tx(world.globex.tenant.id):
        assert load_retention_policy() == RETENTION


def test_a_time_that_was_named_stays(world: World) -> None:
    make(world.acme, {"retention": {"statement": 30}}, activate=True)
    post(world.acme, "Ada likes tea", expires_at=utc_now() + timedelta(days=3))
    assert days_left(world.acme, "statement") == 3


def test_messages_leave_when_the_tenants_policy_says(world: World) -> None:
    for house in (world.acme, world.globex):
        say(house, "I like tea")
        with tenant_tx(house.tenant.id):
            Message.objects.update(accepted_at=utc_now() - timedelta(days=40))
    make(world.acme, {"purge": {"messages": 30}}, activate=True)
    counts = {}
    for house in (world.acme, world.globex):
        previewed = CARE["purge-expired"].preview(house.tenant.id)
        CARE["purge-expired"].run(TenantTurn(house.tenant.id))
        with tenant_tx(house.tenant.id):
            counts[house.tenant.slug] = (previewed.counts["messages"], Message.objects.count())
    assert counts == {"acme": (1, 0), "globex": (0, 1)}


def test_receipts_and_their_words_leave_when_the_tenants_policy_says(world: World) -> None:
    days = (1, 3, 8, 40)
    for house in (world.acme, world.globex):
        remember(house, "I like tea 喝茶")
        for age in days:
            asked = ContextCall(ContextRequest("tea? 茶？"), "1")
            receipt = build_context(house.tenant.id, house.subject.external_id, asked).receipt
            with tenant_tx(house.tenant.id):
                Receipt.objects.filter(id=receipt.id).update(created_at=utc_now() - timedelta(days=age))
        write_memory_rows_of_tenant(house.tenant.id)
    make(world.acme, {"purge": {"receipts": 30, "receipt_texts": 2}}, activate=True)
    make(world.globex, {"purge": {"receipts": 2, "receipt_texts": 1}})  # steers nothing
    kept = {}
    for house in (world.acme, world.globex):
        previewed = CARE["purge-expired"].preview(house.tenant.id).counts
        CARE["purge-expired"].run(TenantTurn(house.tenant.id))
        with tenant_tx(house.tenant.id):
            words = Receipt.objects.order_by("-created_at").values_list("rendered", flat=True)
            kept[house.tenant.slug] = [one is not None for one in words]
            assert ReceiptMemory.objects.count() == len(words), "what each used leaves with it"
        told = (previewed["receipts"], previewed["receipt_texts"])
        assert told == {"acme": (1, 3), "globex": (0, 2)}[house.tenant.slug]
    assert kept == {"acme": [True, False, False], "globex": [True, True, False, False]}
