"""People at a glance: their names, when they were last heard, and who somebody of the staff looked at lately."""

from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Max, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Concat

from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.value_rendering import build_change_address, format_json_value
from profiles.models import ProfileFact, Subject, Tag, TagKind
from snapshots.models import Conversation
from tenants.models import AuditRecord
from tenants.services.audit import Actor

# Places that a list of people names.
MAX_PLACES = 3
# The newest records of the tenant's audit trail among which somebody's own views are looked for.
MAX_AUDIT_RECORDS = 5_000


@dataclass(frozen=True, slots=True)
class PersonLine:
    """One person in a list: ``name`` and ``city`` are "" if unknown, ``heard`` how long ago as HTML, "" if never."""

    id: Any
    external_id: str
    name: str
    heard: str
    address: str
    city: str = ""


def annotate_overview(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
    """Annotate the subjects with ``known_name`` and ``known_city`` (JSON values) and ``last_heard``."""
    known = ProfileFact.objects.filter(subject=OuterRef("pk"), invalid_at__isnull=True, retired_at__isnull=True)
    heard = Conversation.objects.filter(subject=OuterRef("pk")).order_by().values("subject")
    return subjects.annotate(
        known_name=Subquery(known.filter(field="name", is_attribute=False).values("value")[:1]),
        known_city=Subquery(known.filter(field="city", is_attribute=True).values("value")[:1]),
        last_heard=Subquery(heard.annotate(last=Max("last_accepted_at")).values("last")),
    )


def annotate_details(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
    """Annotate the subjects with ``known_occupation`` (a JSON value), and with the names and addresses of their places
    as ``known_places``."""
    known = ProfileFact.objects.filter(subject=OuterRef("pk"), invalid_at__isnull=True, retired_at__isnull=True)
    occupation = known.filter(field="occupation", is_attribute=False).values("value")[:1]
    places = Tag.objects.filter(subject=OuterRef("pk"), kind=TagKind.PLACE).exclude(address="").order_by("label", "id")
    told = Concat("label", Value(": "), "address", output_field=TextField())
    return subjects.annotate(
        known_occupation=Subquery(occupation), known_places=ArraySubquery(places.values_list(told)[:MAX_PLACES])
    )


def load_people(ids: list[Any]) -> list[PersonLine]:
    """Return the people with these ids in their order, without erased ones. One query."""
    found: Any = annotate_overview(Subject.objects.filter(pk__in=ids, erasing=False))
    people = {one.pk: _describe_person(one) for one in found}
    return [people[one] for one in ids if one in people]


def load_recent_people(by: Actor, most: int) -> list[PersonLine]:
    """Return the people whose data this member of the staff saw last, the last first. Two queries."""
    newest = AuditRecord.objects.order_by("-at", "-id").values("pk")[:MAX_AUDIT_RECORDS]
    own = AuditRecord.objects.filter(
        pk__in=newest, actor_kind=by.kind, actor_id=by.id, subject_ref__isnull=False, refused=False
    )
    # The newest record of each person; erased people are left out later, so a few more are read.
    seen = own.order_by().values_list("subject_ref").annotate(last=Max("at")).order_by("-last")[: 2 * most]
    return load_people([subject_id for subject_id, _at in seen])[:most]


def _describe_person(subject: Any) -> PersonLine:
    return PersonLine(
        subject.pk,
        subject.external_id,
        format_json_value(subject.known_name),
        render_time_ago(subject.last_heard),
        build_change_address(Subject, subject.pk),
        format_json_value(subject.known_city),
    )
