"""Names of the objects that the audit trail refers to by an id: members by their user name, keys, experiments and
memories by their own."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Case, CharField, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Cast, Coalesce, NullIf
from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from memory_platform.console.shared.headers.belief_names import label_fact, label_preference_key, label_target
from memory_platform.console.shared.support_session_guard import is_support_session_missing
from memory_platform.console.shared.value_rendering import parse_uuid
from profiles.models import Candidate, Preference, ProfileFact, Tag
from snapshots.models import Conversation, Document, DocumentCollection, Snapshot, Webhook
from tenants.models import ApiKey, AuditRecord, Experiment, Invitation, UsageLimit

MAX_NAME_CHARS = 60
# By the kind of an audited object: its model, and what tells one from the others.
PERSONAL_NAMES: Mapping[str, tuple[Any, Callable[[Any], str]]] = {
    "tag": (Tag, lambda one: one.label),
    "preference": (Preference, lambda one: label_preference_key(one.key).replace("_", " ")),
    "profile_fact": (ProfileFact, label_fact),
    "candidate": (Candidate, lambda one: label_target(one.kind, one.target)),
    "conversation": (Conversation, lambda one: one.external_id),
    "snapshot": (Snapshot, lambda one: one.text),
    "note": (Snapshot, lambda one: one.text),  # the trail knows a note by its snapshot
}


def annotate_object_names(records: QuerySet[AuditRecord]) -> QuerySet[AuditRecord]:
    """Annotate the records with ``object_name``; the id of an object that has no name or exists no longer."""
    users = User.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    keys = ApiKey.objects.filter(key_id=OuterRef("object_id"))
    experiments = Experiment.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    documents = Document.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    invitations = Invitation.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    webhooks = Webhook.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    collections = DocumentCollection.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    limits = UsageLimit.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    names = {
        "member": users.values("username")[:1],
        "api_key": keys.values("name")[:1],
        "experiment": experiments.values("name")[:1],
        "document": documents.values("external_id")[:1],
        "invitation": invitations.values("invitee")[:1],
        "webhook": webhooks.values(named_or_url=Coalesce(NullIf("name", Value("")), F("url")))[:1],
        "usage_limit": limits.values(of=Coalesce(F("api_key__name"), Value(_("the whole tenant"))))[:1],
        "document_collection": collections.values("external_id")[:1],
    }
    return records.annotate(
        object_name=Case(
            *(
                When(object_kind=kind, then=Coalesce(Subquery(name), F("object_id"), output_field=CharField()))
                for kind, name in names.items()
            ),
            default=F("object_id"),
            output_field=CharField(),
        )
    )


def name_personal_objects(records: Iterable[Any], request: HttpRequest) -> None:
    """Give the records of people's memories and conversations the name of each as ``object_name``, unless the reader
    needs a support session and has none. One query for each kind."""
    if is_support_session_missing(request):
        return
    wanted: dict[str, dict[UUID, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        row_id = parse_uuid(record.object_id)
        if row_id is not None and record.object_kind in PERSONAL_NAMES:
            wanted[record.object_kind][row_id].append(record)
    for kind, by_id in wanted.items():
        model, name_of = PERSONAL_NAMES[kind]
        for row in model.objects.filter(pk__in=list(by_id), subject__erasing=False):
            for record in by_id[row.pk]:
                record.object_name = Truncator(name_of(row)).chars(MAX_NAME_CHARS) or record.object_id
