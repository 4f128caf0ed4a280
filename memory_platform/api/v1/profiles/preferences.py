"""``/v1/subjects/{subject_id}/preferences``: a subject's likes, dislikes and settings, now and at past times."""

from collections.abc import Sequence
from typing import Any

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.requests.sensitive_values import Sensitive
from memory_platform.api.requests.serializers import page_of
from memory_platform.api.v1.memories.common_memory_fields import MessageSourceOutput
from memory_platform.api.v1.profiles.preference_serializers import (
    PreferenceInput,
    PreferenceListInput,
    PreferenceOutput,
    WrittenPreferenceOutput,
    build_claim,
    check_category,
    refuse_sensitive_preference,
)
from memory_platform.api.views.base_views import SubjectView, reply_without_content
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.kernel.errors import NotFound, VersionMismatch
from profiles.models import Preference, Subject
from profiles.selectors import current_preference, preference_history, preferences_at, subject_by_external_id
from profiles.services.preferences import build_preference_place, record_preference, retract_preference
from profiles.services.subject_lock import lock_subject
from profiles.services.subjects import ensure_subject
from profiles.services.value_claims import ClaimOutcome, ConfidenceAboveCeiling, ValidInFuture
from snapshots.lifecycle.selectors import SourceUnknown, link_preference_sources, load_preference_sources
from snapshots.notes.notes_of_ended_slots import end_notes_of_ended_values
from snapshots.notes.slot_links import list_notes_of_slots
from tenants.isolation import tenant_tx

# Ids made here grow with time: this is the order of recording.
BY_ID = Order(fields=("id",))
BY_VALIDITY = Order(fields=("valid_at", "id"))
BELOW = "subjects/<product_id:subject_id>/preferences"
ONE = f"{BELOW}/<product_id:category>/<product_id:key>"


class PreferencesView(SubjectView):
    noun = "preferences"
    required_scope = MEMORY_READ

    @operation("list_preferences", query=PreferenceListInput, answer=page_of(PreferenceOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the current preferences, or those of a past time, in the order in which they were recorded."""
        query = PreferenceListInput.parse(request)
        page = Page.from_request(request, query, BY_ID)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            kept, cursor = page.load_page(preferences_at(subject, **PreferenceListInput.filter_of(query)))
            return Response({"data": render_preferences(subject, kept), "next_cursor": cursor})


class PreferenceView(SubjectView):
    noun = "preferences"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_preference", answer=PreferenceOutput)
    def get(self, request: Request, subject_id: str, category: str, key: str) -> Response:
        """Get the current value of a preference. A retracted preference is 404; its history stays."""
        check_category(category)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            return answer(subject, current_preference(subject, category, key))

    @operation(
        "set_preference",
        request=PreferenceInput,
        answer=WrittenPreferenceOutput,
        errors=[Sensitive, ConfidenceAboveCeiling, ValidInFuture, SourceUnknown],
    )
    def put(self, request: Request, subject_id: str, category: str, key: str) -> Response:
        """Set a preference and return its current value with a verdict. The subject is created if it is unknown.

        A value with an older `valid_at` enters the history only (verdict `unchanged`, reason `older`). A value with a
        weaker provenance does not replace the current one (verdict `rejected`, reason `weaker_than_current`).
        """
        check_category(category)
        given, condition = PreferenceInput.parse(request), IfMatch.from_request(request)
        refuse_sensitive_preference(category, key, given)
        claim = build_claim(given)
        with tenant_tx(self.tenant_id):
            subject = ensure_subject(subject_id)
            check_version(condition, subject, category, key)
            outcome = record_preference(subject, category, key, claim)
            end_notes_of_ended_values(subject.id, Preference, [{"category": category, "key": key}])
            if outcome.row is not None and given.get("sources"):
                link_preference_sources(subject, outcome.row.id, given["sources"])
            return respond_to_write(subject, outcome)

    @operation("retract_preference", status=204)
    def delete(self, request: Request, subject_id: str, category: str, key: str) -> HttpResponseBase:
        """Retract a preference: its value ends now, its history stays."""
        check_category(category)
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            lock_subject(subject)
            current = current_preference(subject, category, key)
            condition.check(current.id, current.version)
            retract_preference(subject, category, key)
            end_notes_of_ended_values(subject.id, Preference, [{"category": category, "key": key}])
        return reply_without_content()


class PreferenceHistoryView(SubjectView):
    noun = "preferences"
    required_scope = MEMORY_READ

    @operation("list_preference_history", query=PageInput, answer=page_of(PreferenceOutput))
    def get(self, request: Request, subject_id: str, category: str, key: str) -> Response:
        """List all values that a preference has had, in the order they became true. Also works when it is retracted."""
        check_category(category)
        page = Page.from_request(request, PageInput.parse(request), BY_VALIDITY)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            kept, cursor = page.load_page(preference_history(subject, category, key))
            if not kept and page.place is None:
                raise NotFound("This preference never had a value.")
            return Response({"data": render_preferences(subject, kept), "next_cursor": cursor})


def check_version(condition: IfMatch, subject: Subject, category: str, key: str) -> None:
    """Raise VersionMismatch if the caller has seen another version, or the preference has no current value."""
    if condition.tags is None:
        return
    lock_subject(subject)
    current = build_preference_place(subject, category, key).current()
    if current is None:
        raise VersionMismatch("This preference has no current value any more.")
    condition.check(current.id, current.version)


def answer(subject: Subject, preference: Preference) -> Response:
    [rendered] = render_preferences(subject, [preference])
    return Response(rendered, headers=build_etag_header(preference))


def respond_to_write(subject: Subject, outcome: ClaimOutcome[Preference]) -> Response:
    """Return the current value after a write with the verdict. Raises NotFound if no value is current."""
    preference = outcome.current or outcome.row
    if preference is None:
        raise NotFound("This preference has no current value.")
    response = answer(subject, preference)
    response.data |= {"verdict": outcome.verdict, "reason": outcome.reason or None}
    return response


def render_preferences(subject: Subject, preferences: Sequence[Preference]) -> list[dict[str, Any]]:
    """Return preferences as JSON; sources and notes of all take one query each."""
    sources = load_preference_sources(subject, preferences)
    notes = list_notes_of_slots(Preference, [one.value_id for one in preferences])
    return [
        PreferenceOutput.render(
            one,
            sources=MessageSourceOutput.render_many(sources.get(one.value_id, ())),
            note_id=notes.get(one.value_id),
        )
        for one in preferences
    ]


urlpatterns = [
    path(BELOW, PreferencesView.as_view(), name="preferences"),
    path(ONE, PreferenceView.as_view(), name="preference"),
    path(f"{ONE}/history", PreferenceHistoryView.as_view(), name="preference-history"),
]
