"""A document that is deleted while a context is made leaves no words behind either. Rows: G1, K1, C2."""

import threading

import pytest
from django.db import connections

from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.context.pipeline import (
    ContextCall,
    build_context,
    build_context_locked,
    draft_context,
    infer_intent_and_embed_question,
    record_receipt,
    record_receipt_alone,
)
from snapshots.context.values import ContextRequest
from snapshots.knowledge.documents.document_store import delete_document
from snapshots.knowledge.search.values import DocumentScope
from snapshots.models import Receipt, ReceiptDocument
from snapshots.receipts.read import unpack_rendered_prompt
from snapshots.receipts.values import ContextOutdated
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.knowledge.indexed_documents import store_indexed_document

WATER, BLACK = "Green tea is brewed with water of 80 degrees.", "Black tea is brewed with boiling water. 红茶用开水。"
ASKED = ContextCall(ContextRequest("How hot is the water for tea?", min_relevance=0), "1", knowledge=DocumentScope())


@pytest.fixture
def acme(world: World) -> House:
    remember(world.acme, "I like tea")
    store_indexed_document(world.acme.tenant.id, "green", [WATER])
    store_indexed_document(world.acme.tenant.id, "black", [BLACK])
    return world.acme


def delete(house: House, name: str) -> None:
    with tenant_tx(house.tenant.id):
        delete_document(name, by=COMMAND_LINE, accept=lambda *_: None)


def read_prompt(house: House, receipt: Receipt) -> str | None:
    with tenant_tx(house.tenant.id):
        sent = unpack_rendered_prompt(Receipt.objects.get(id=receipt.id))
    return str(sent.messages) if sent else None


def test_a_receipt_of_a_document_that_is_gone_is_not_written_and_the_context_is_made_anew(acme: House) -> None:
    draft = draft_context(acme.tenant.id, "ada", ASKED)
    assert WATER in str(draft.context.messages)
    delete(acme, "green")
    with pytest.raises(ContextOutdated):
        record_receipt_alone(acme.tenant.id, draft)
    made = build_context(acme.tenant.id, "ada", ASKED)
    prompt = read_prompt(acme, made.receipt)
    assert prompt and BLACK in prompt and WATER not in prompt


def test_the_last_try_takes_the_documents_that_are_left(acme: House) -> None:
    prepared = infer_intent_and_embed_question(acme.tenant.id, "ada", ASKED, DEFAULT_CONTEXT)
    assert len(prepared.documents) == 2
    delete(acme, "green")
    with tenant_tx(acme.tenant.id):
        made = build_context_locked(prepared)
    prompt = read_prompt(acme, made.receipt)
    assert prompt and BLACK in prompt and WATER not in prompt


def test_only_the_prompts_with_the_document_go_and_links_are_few(acme: House) -> None:
    with_both = build_context(acme.tenant.id, "ada", ASKED).receipt
    without = build_context(acme.tenant.id, "ada", ContextCall(ContextRequest("tea?"), "1")).receipt
    with tenant_tx(acme.tenant.id):
        assert ReceiptDocument.objects.count() == 2
    delete(acme, "black")
    assert read_prompt(acme, with_both) is None
    assert read_prompt(acme, without) is not None
    with tenant_tx(acme.tenant.id):
        assert ReceiptDocument.objects.count() == 1


def test_a_deletion_waits_for_a_receipt_that_is_being_written(acme: House) -> None:
    draft = draft_context(acme.tenant.id, "ada", ASKED)
    gone = threading.Event()

    def delete_meanwhile() -> None:
        try:
            delete(acme, "green")
        finally:
            gone.set()
            connections.close_all()

    worker = threading.Thread(target=delete_meanwhile)
    with tenant_tx(acme.tenant.id):
        receipt = record_receipt(draft).receipt
        worker.start()
        assert not gone.wait(0.5)
    worker.join(20)
    assert gone.is_set()
    assert read_prompt(acme, receipt) is None
