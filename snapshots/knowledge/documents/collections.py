"""Collections of documents, and which documents a search may find."""

from django.db.models import Q, QuerySet

from snapshots.knowledge.documents.values import CollectionMissing, CollectionNotEmpty, CollectionUnknown
from snapshots.models import Document, DocumentCollection
from tenants.services.audit import Actor, record_audit

KIND = "document_collection"


def put_collection(external_id: str, *, access_label: str, by: Actor) -> tuple[DocumentCollection, bool]:
    """Make a collection or change its label, in the open scope; return it, and whether it is new."""
    row, is_new = DocumentCollection.objects.get_or_create(
        external_id=external_id, defaults={"access_label": access_label}
    )
    if not is_new and row.access_label != access_label:
        DocumentCollection.objects.filter(id=row.id).update(access_label=access_label)
        row.access_label = access_label
        record_audit(by, "document_collection.relabelled", object_kind=KIND, object_id=str(row.id))
    if is_new:
        record_audit(by, "document_collection.created", object_kind=KIND, object_id=str(row.id))
    return row, is_new


def find_collection(external_id: str) -> DocumentCollection:
    """Return a collection of the open tenant. Raises CollectionUnknown."""
    found = DocumentCollection.objects.filter(external_id=external_id).first()
    if found is None:
        raise CollectionUnknown
    return found


def lock_collection_for_document(external_id: str | None) -> DocumentCollection | None:
    """Return the collection of a document that is about to be written; it cannot be deleted before the transaction
    ends. Raises CollectionMissing."""
    if not external_id:
        return None
    found = DocumentCollection.objects.select_for_update(no_key=True).filter(external_id=external_id).first()
    if found is None:
        raise CollectionMissing
    return found


def delete_collection(external_id: str, *, by: Actor) -> None:
    """Delete an empty collection, in the open scope. Raises CollectionUnknown, CollectionNotEmpty."""
    row = DocumentCollection.objects.select_for_update().filter(external_id=external_id).first()
    if row is None:
        raise CollectionUnknown
    # Chunks may wait here until the next version of their document takes their place in another collection.
    if Document.objects.filter(Q(collection_id=row.id) | Q(answering__collection=str(row.id))).exists():
        raise CollectionNotEmpty
    row.delete()
    record_audit(by, "document_collection.deleted", object_kind=KIND, object_id=str(row.id))


def list_collections() -> QuerySet[DocumentCollection]:
    return DocumentCollection.objects.all()
