"""What cannot be read ends its job with a reason, and the version before answers as it did. Rows: K1, K2, X6."""

from typing import Any

import pytest

from snapshots.knowledge.reading.document_formats import DOCX_TYPE
from snapshots.models import Chunk, DocumentBody, IndexedChunk, JobPart
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.knowledge.test_document_versions import search
from tests.memory_platform.api.v1.knowledge.test_documents import TEA, process_all, upload, upload_file
from tests.snapshots.knowledge.reading.test_document_reader import make_docx
from tests.snapshots.knowledge.reading.test_pdf import LOCK, PDF, make_pdf

GOOD = "# Tea guide\n\nGreen tea brews at 80 degrees.\n\n# 泡茶\n\n绿茶用八十度的水冲泡。"
PAGE = [(11, 700, "Oolong brews at 95 degrees.")]
BAD = {
    "encrypted PDF": (
        make_pdf(PAGE, lock=LOCK),
        PDF,
        "document_encrypted",
        "Remove the password",
        "Remove its password",
    ),
    "truncated PDF": (make_pdf(PAGE)[:-40], PDF, "document_damaged", "Upload it again from its source", "save it anew"),
    "broken PDF": (b"%PDF-1.7\n%%EOF", PDF, "document_damaged", "Upload it again from its source", "save it anew"),
    "scanned PDF": (make_pdf([], []), PDF, "document_without_text", "Recognise its text", "Recognise the text"),
    "PDF sent as Markdown": (
        make_pdf(PAGE),
        "text/markdown",
        "document_type_mismatch",
        "Upload it with the right type",
        "the content type of PDF",
    ),
    "unknown type": (b"Oolong.", "image/png", "document_type_unknown", "Convert the document", "Send text/plain"),
    "binary as text": (
        bytes(range(1, 32)) * 99,
        "text/plain",
        "document_binary",
        "its own content type",
        "Check which file",
    ),
    "DOCX bomb": (make_docx(" " * 70_000_000), DOCX_TYPE, "document_too_large", "Split it", "Split"),
}

pytestmark = pytest.mark.processes


def read_index(world: World) -> list[Any]:
    """Return all that is indexed of acme's documents, row by row."""
    with tenant_tx(world.acme.tenant.id):
        assert not JobPart.objects.exists()
        return [
            list(Chunk.objects.order_by("id").values()),
            [
                {name: bytes(value) if isinstance(value, memoryview) else value for name, value in row.items()}
                for row in IndexedChunk.objects.order_by("id").values()
            ],
            DocumentBody.objects.get().text,
        ]


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_told_and_replaces_nothing(acme: Caller, world: World, case: str) -> None:
    content, content_type, code, in_short, in_full = BAD[case]
    upload(acme, content=GOOD, title="Teas", source_url="https://tea.example/1", metadata={"year": 2025})
    process_all(world)
    index = read_index(world)
    asked = [
        ("How hot is the water for green tea?", {}),
        ("绿茶用多少度的水？", {"filter": {"metadata.year": {"eq": 2025}}}),
    ]
    found = [search(acme, query, **more) for query, more in asked]
    assert all(found)

    sent = upload_file(acme, content, "tea", content_type=content_type, title="乌龙", metadata='{"year": 2026}')
    assert (sent.status_code, body_of(sent)["verdict"]) == (202, "replaced")
    process_all(world)

    job = body_of(acme("GET", f"/v1/jobs/{body_of(sent)['job_id']}"))
    assert (job["status"], job["attempts"], job["error"]["code"]) == ("dead", 1, code)
    assert in_short in job["error"]["detail"]
    document = body_of(acme("GET", TEA))
    assert (document["status"], document["error"]["code"]) == ("failed", code)
    assert in_full in document["error"]["detail"]
    assert read_index(world) == index
    assert [search(acme, query, **more) for query, more in asked] == found
    assert search(acme, "Oolong 乌龙", filter={"metadata.year": {"eq": 2026}}) == []

    upload(acme, content=GOOD, title="Teas", metadata={"year": 2027})
    process_all(world)
    assert search(acme, asked[0][0], filter={"metadata.year": {"eq": 2027}}), "a good upload mends it"
