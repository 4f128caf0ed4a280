"""``/v1/subjects/{subject_id}/preferences``: what a subject likes, avoids and has set, now and at any past moment."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.http.response import HttpResponseBase
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.reference import examples
from memory_platform.api.v1.profiles.preference_serializers import (
    PreferenceInput,
    PreferenceListInput,
    PreferenceOutput,
    PreferencePageOutput,
    WrittenPreferenceOutput,
    check_category,
    claim_of,
    refuse_in,
    serialize_preference,
)
from memory_platform.api.views.base import SubjectView, no_content
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.kernel.errors import NotFound, VersionMismatch
from profiles.models import Preference, Subject
from profiles.selectors import current_preference, preference_history, preferences_at, subject_by_external_id
from profiles.services.claims import ClaimOutcome
from profiles.services.locking import lock_subject
from profiles.services.preferences import preference_place, record_preference, retract_preference
from profiles.services.subjects import ensure_subject
from snapshots.lifecycle.preference_sources import link_preference_sources, preference_sources
from snapshots.notes.slot_ends import end_notes_of_values
from snapshots.notes.slots import notes_of_slots
from tenants.isolation import tenant_tx

BY_ID = Order(fields=("id",))
"""Ids made here grow with time: this is the order of recording."""
BY_VALIDITY = Order(fields=("valid_at", "id"))
BELOW = "subjects/<product_id:subject_id>/preferences"
ONE = f"{BELOW}/<product_id:category>/<product_id:key>"


class PreferencesView(SubjectView):
    """The preferences of one subject."""

    noun = "preferences"
    query_input = PreferenceListInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[PreferenceListInput], responses=PreferencePageOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """List the current preferences, or those of a past moment on either clock, in the order of recording."""
        query = PreferenceListInput.parse(request)
        page = Page.from_request(request, query, BY_ID)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            kept, cursor = page.of(preferences_at(subject, **PreferenceListInput.moment_of(query)))
            return Response({"data": serialize_with_sources(subject, kept), "next_cursor": cursor})


class PreferenceView(SubjectView):
    """One preference."""

    noun = "preferences"
    versioned = True
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @extend_schema(responses=PreferenceOutput)
    def get(self, request: Request, subject_id: str, category: str, key: str) -> Response:
        """Return the current value; one that was retracted is 404, its history stays."""
        check_category(category)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            return answer(subject, current_preference(subject, category, key))

    @extend_schema(request=PreferenceInput, responses=WrittenPreferenceOutput, examples=examples.PREFERENCES)
    def put(self, request: Request, subject_id: str, category: str, key: str) -> Response:
        """Record a value and return what then holds, with the verdict; makes the subject on first sight.

        An older value enters history only (unchanged, ``older``); a weaker provenance does not replace a stronger one
        (rejected, ``weaker_than_current``).
        """
        check_category(category)
        given, condition = PreferenceInput.parse(request), IfMatch.from_request(request)
        refuse_in(category, key, given)
        claim = claim_of(given)
        with tenant_tx(self.tenant_id):
            subject = ensure_subject(subject_id)
            check(condition, subject, category, key)
            outcome = record_preference(subject, category, key, claim)
            end_notes_of_values(subject.id, Preference, [{"category": category, "key": key}])
            if outcome.row is not None and given.get("sources"):
                link_preference_sources(subject, outcome.row.id, given["sources"])
            return answer(subject, what_holds(outcome), outcome)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, subject_id: str, category: str, key: str) -> HttpResponseBase:
        """Retract the current value: it ends now, its history stays."""
        check_category(category)
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            lock_subject(subject)
            held = current_preference(subject, category, key)
            condition.check(held.id, held.version)
            retract_preference(subject, category, key)
            end_notes_of_values(subject.id, Preference, [{"category": category, "key": key}])
        return no_content()


class PreferenceHistoryView(SubjectView):
    """What one preference has been."""

    noun = "preferences"
    query_input = PageInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[PageInput], responses=PreferencePageOutput)
    def get(self, request: Request, subject_id: str, category: str, key: str) -> Response:
        """List every value that it has had, in the order in which they began; also of a retracted one."""
        check_category(category)
        page = Page.from_request(request, PageInput.parse(request), BY_VALIDITY)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            kept, cursor = page.of(preference_history(subject, category, key))
            if not kept and page.place is None:
                raise NotFound("no such preference")
            return Response({"data": serialize_with_sources(subject, kept), "next_cursor": cursor})


def check(condition: IfMatch, subject: Subject, category: str, key: str) -> None:
    """Raise VersionMismatch when the caller has seen another version; what is not there has none."""
    if condition.tags is None:
        return
    lock_subject(subject)
    held = preference_place(subject, category, key).current()
    if held is None:
        raise VersionMismatch("There is no current value any more.")
    condition.check(held.id, held.version)


def what_holds(outcome: ClaimOutcome[Preference]) -> Preference:
    """Return the value that the address shows after a write: the current one."""
    held = outcome.current or outcome.row
    if held is None:
        raise NotFound("no such preference")
    return held


def answer(subject: Subject, preference: Preference, outcome: ClaimOutcome[Preference] | None = None) -> Response:
    """Return a preference under its ETag, after a write with the verdict."""
    [shown] = serialize_with_sources(subject, [preference])
    if outcome is not None:
        shown |= {"verdict": outcome.verdict, "reason": outcome.reason or None}
    return Response(shown, headers={"ETag": etag_of(preference.id, preference.version)})


def serialize_with_sources(subject: Subject, preferences: Sequence[Preference]) -> list[dict[str, Any]]:
    """Return preferences as JSON, the sources and the notes of all in one query each."""
    sources = preference_sources(subject, preferences)
    notes = notes_of_slots(Preference, [one.value_id for one in preferences])
    return [serialize_preference(one, sources.get(one.value_id, ()), notes.get(one.value_id)) for one in preferences]


urlpatterns = [
    path(BELOW, PreferencesView.as_view(), name="preferences"),
    path(ONE, PreferenceView.as_view(), name="preference"),
    path(f"{ONE}/history", PreferenceHistoryView.as_view(), name="preference-history"),
]
