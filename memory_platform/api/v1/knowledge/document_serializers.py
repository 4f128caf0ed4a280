"""Serializers of ``/v1/documents`` and ``/v1/collections``."""

from typing import Any

from django.utils.translation import override
from rest_framework import serializers

from memory_platform.api.config import API_CONFIG, KIB
from memory_platform.api.requests.fields import (
    JsonObjectField,
    OneOfField,
    ProductIdField,
    TextField,
    raise_field_error,
)
from memory_platform.api.requests.multipart import SentFile
from memory_platform.api.requests.serializers import Input, Output
from memory_platform.api.views.pagination import PageInput
from snapshots.knowledge.documents.config import DOCUMENT_CONFIG
from snapshots.knowledge.documents.content_type_guess import guess_content_type
from snapshots.knowledge.documents.fault_texts import describe_fault
from snapshots.knowledge.documents.values import DocumentEdit, DocumentUpload, DocumentVerdict
from snapshots.models import Document, DocumentStatus

MIB_OF_UPLOAD = DOCUMENT_CONFIG.upload_bytes // (KIB * KIB)
TYPE_CHARS = 100
TYPE_HELP = (
    "Media type of the content: `text/plain`, `text/markdown`, `text/html`, `application/pdf`, a Word document "
    "(`.docx`), source code, or `application/x-ndjson` with one question and answer, or one turn of a chat, a line."
)


class SentFileField(serializers.FileField):
    """A file of a form."""

    def to_internal_value(self, data: Any) -> SentFile:  # type: ignore[override]  # no file of Django, its content
        if not isinstance(data, SentFile):
            raise_field_error("not_a_file", "Must be a file of the form.")
        return data


class DocumentFieldsInput(Input):
    """What may stand beside the content of a document."""

    title = TextField(
        max_length=DOCUMENT_CONFIG.title_chars,
        required=False,
        help_text="Stands in citations. Without it, the title in the content, else the document's id.",
    )
    source_url = TextField(
        max_bytes=DOCUMENT_CONFIG.url_bytes, required=False, help_text="Where people find the document."
    )
    metadata = JsonObjectField(
        max_bytes=DOCUMENT_CONFIG.metadata_bytes, required=False, help_text="Your own values; searches filter by them."
    )
    collection = ProductIdField(required=False, help_text="Id of the collection that it belongs to.")

    @staticmethod
    def choose_details(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: fields[name] for name in ("title", "source_url", "metadata", "collection") if name in fields}


class DocumentInput(DocumentFieldsInput):
    """A document as text."""

    content = TextField(
        max_bytes=DOCUMENT_CONFIG.upload_bytes, help_text=f"The content, at most {MIB_OF_UPLOAD} MiB of UTF-8."
    )
    content_type = TextField(max_bytes=TYPE_CHARS, help_text=TYPE_HELP)

    @classmethod
    def build_upload(cls, fields: dict[str, Any]) -> DocumentUpload:
        return DocumentUpload(fields["content"].encode(), fields["content_type"], **cls.choose_details(fields))


class DocumentFileInput(DocumentFieldsInput):
    """A document as a file of a form."""

    file = SentFileField(help_text=f"The content, at most {MIB_OF_UPLOAD} MiB.")
    content_type = TextField(
        max_bytes=TYPE_CHARS, required=False, help_text=f"{TYPE_HELP} Without it, that of the file."
    )

    @classmethod
    def build_upload(cls, fields: dict[str, Any]) -> DocumentUpload:
        sent: SentFile = fields["file"]
        if len(sent.content) > DOCUMENT_CONFIG.upload_bytes:
            raise serializers.ValidationError({"file": f"Must have at most {MIB_OF_UPLOAD} MiB."}, code="too_long")
        kind = fields.get("content_type") or guess_content_type(sent.name, sent.content_type)
        return DocumentUpload(sent.content, kind, **cls.choose_details(fields))


class DocumentEditInput(Input):
    """Changes of a document. A new content is a new upload: PUT."""

    title = TextField(
        max_length=DOCUMENT_CONFIG.title_chars,
        allow_empty=True,
        required=False,
        help_text="New title; an empty one gives the title back to the content. All chunks are indexed again.",
    )
    source_url = TextField(
        max_bytes=DOCUMENT_CONFIG.url_bytes, allow_empty=True, required=False, help_text="Where people find it."
    )
    metadata = JsonObjectField(
        max_bytes=DOCUMENT_CONFIG.metadata_bytes, required=False, help_text="Takes the place of all values before."
    )
    collection = TextField(
        max_bytes=API_CONFIG.id_bytes,
        allow_empty=True,
        required=False,
        help_text="Id of another collection; empty: none.",
    )

    @staticmethod
    def build_edit(fields: dict[str, Any]) -> DocumentEdit:
        return DocumentEdit(**fields)


class DocumentListInput(PageInput):
    """Which documents a list shows."""

    status = OneOfField(choices=DocumentStatus.values, required=False, help_text="Only documents in this state.")
    collection = ProductIdField(required=False, help_text="Only documents of this collection.")


class DocumentErrorOutput(Output):
    """Why the newest upload could not be processed."""

    code = serializers.CharField(help_text="Name of the error. New ones may come.")
    detail = serializers.CharField(help_text="What happened, and what to do.")


class DocumentOutput(Output):
    """A document. While an upload is processed, and if that fails, the upload before it answers, under its own title,
    address and metadata."""

    document_id = serializers.CharField(source="external_id", help_text="Your id of the document.")
    title = serializers.CharField(source="shown_title", help_text="The title of the newest upload.")
    content_type = serializers.CharField(help_text="Media type of the newest upload.")
    source_url = serializers.CharField(allow_null=True, help_text="Where people find it.")
    metadata = serializers.DictField(help_text="Your own values.")
    collection = serializers.CharField(allow_null=True, help_text="Id of its collection.")
    status = serializers.ChoiceField(
        source="shown_status",
        choices=DocumentStatus.values,
        help_text="What has become of the newest upload. `failed` has an `error`.",
    )
    error = DocumentErrorOutput(allow_null=True, help_text="Why the newest upload failed; null when it did not.")
    job_id = serializers.UUIDField(allow_null=True, help_text="The job of the newest upload, for about 30 days.")
    bytes = serializers.IntegerField(source="byte_count", help_text="Size of the newest upload.")
    chunk_count = serializers.IntegerField(help_text="Chunks that answer searches now.")
    created_at = serializers.DateTimeField(help_text="When it was first uploaded.")
    updated_at = serializers.DateTimeField(help_text="When it was last uploaded or edited.")
    indexed_at = serializers.DateTimeField(
        allow_null=True, help_text="When what answers now was indexed; null before the first time."
    )

    @staticmethod
    def render_collection(document: Document) -> str | None:
        return document.collection.external_id if document.collection else None

    @staticmethod
    def render_error(document: Document) -> dict[str, Any] | None:
        code = find_error_code(document)
        if code is None:
            return None
        with override("en"):  # the API speaks English; the console shows the same text in both languages
            return {"code": code, "detail": document.error_detail or str(describe_fault(code))}


class ChunkOutput(Output):
    """A piece of a document that searches find and citations name."""

    chunk_id = serializers.UUIDField(source="id", help_text="Id of the chunk. A changed chunk is a new one.")
    position = serializers.IntegerField(help_text="Its place among the chunks, from 0.")
    text = serializers.CharField(help_text="Its text.")
    heading_path = serializers.ListField(
        child=serializers.CharField(), help_text="The headings that it stands under, the outermost first."
    )
    page = serializers.IntegerField(allow_null=True, help_text="Its page, from 1; null where there are no pages.")
    start = serializers.IntegerField(help_text="First character in the text of the document, from 0.")
    end = serializers.IntegerField(help_text="Character after the last one.")
    tokens = serializers.IntegerField(source="token_count", help_text="Tokens of the text, about.")


class DocumentWithChunksOutput(DocumentOutput):
    """A document with a page of its chunks."""

    chunks = ChunkOutput(many=True, help_text="Chunks of this page, in their order.")
    next_cursor = serializers.CharField(
        allow_null=True, help_text="Send it as `cursor` to get the next chunks; null on the last page."
    )


class WrittenDocumentOutput(DocumentOutput):
    """A document after an upload, which a job processes."""

    verdict = serializers.ChoiceField(
        choices=[one.value for one in DocumentVerdict],
        help_text="`unchanged`: the same as before; it is processed again only if that had failed.",
    )
    job_id = serializers.UUIDField(help_text="The job that processes it, or has done so: `GET /v1/jobs/{job_id}`.")


class CollectionInput(Input):
    """A collection of documents."""

    access_label = TextField(
        max_length=DOCUMENT_CONFIG.label_chars,
        required=False,
        help_text="Only searches that name this label find its documents. Without it, every search does.",
    )


class CollectionOutput(Output):
    """A collection of documents."""

    collection_id = serializers.CharField(source="external_id", help_text="Your id of the collection.")
    access_label = serializers.CharField(allow_null=True, help_text="The label that a search must name; null: none.")
    created_at = serializers.DateTimeField(help_text="When it was made.")


def find_error_code(document: Document) -> str | None:
    """Return the code of the newest upload's error; None if it has none."""
    if document.shown_status != DocumentStatus.FAILED:
        return None
    return document.error_code or (document.job.error_code if document.job else "") or "given_up"
