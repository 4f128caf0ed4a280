"""Documents in recall and context: which of them a call may find, and how a passage of one is cited."""

from typing import Any

from rest_framework import serializers

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import ListOfField, ProductIdField, TextField, make_field_error
from memory_platform.api.requests.serializers import Output, StrictSerializer
from snapshots.knowledge.search.values import DocumentScope
from tenants.services.keys import Caller

NAMES_MOST = 100
BOUND_HELP = " A key that is bound to one subject has none."


class DocumentScopeFields(StrictSerializer):
    """Which documents may be found."""

    collections = ListOfField(
        child=ProductIdField(),
        most=NAMES_MOST,
        required=False,
        help_text="Finds documents of these collections only. Default: all documents that may be found.",
    )
    access_labels = ListOfField(
        child=TextField(max_bytes=API_CONFIG.id_bytes),
        most=NAMES_MOST,
        required=False,
        help_text="Access labels that the reader has. Documents of a collection with a label are found only if it is "
        f"named here.{BOUND_HELP}",
    )


class PassageCitationOutput(Output):
    """Where a passage stands."""

    document_id = serializers.CharField(help_text="Id of the document.")
    title = serializers.CharField(help_text="Title of the document.")
    heading_path = serializers.ListField(
        child=serializers.CharField(), help_text="The headings that it stands under, the outermost first."
    )
    page = serializers.IntegerField(allow_null=True, help_text="Page, from 1; null where the format has none.")
    url = serializers.CharField(allow_null=True, help_text="The document's `source_url`, if it has one.")
    start = serializers.IntegerField(help_text="First character in the document's text, from 0.")
    end = serializers.IntegerField(help_text="Character after the last.")


def refuse_scope_without_documents(body: dict[str, Any], fields: tuple[str, ...], needed: str) -> None:
    """Raise ValidationError for fields on documents in a call that asks for none."""
    for name in fields:
        if body.get(name):
            raise make_field_error(name, "contradiction", f"Needs {needed}.")


def make_document_scope(body: dict[str, Any], caller: Caller) -> DocumentScope:
    """Return the documents that a checked body names. A key of one subject may be in anybody's hands: it opens no
    label."""
    labels = () if caller.bound_subject else body.get("access_labels", ())
    return DocumentScope(tuple(body["collections"]) if "collections" in body else None, tuple(labels))
