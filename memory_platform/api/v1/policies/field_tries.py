"""``POST /v1/policies/fields/try``: which fields a text would fill, and why not. Nothing is stored."""

from typing import Any

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import ADMIN
from memory_platform.api.policy import KIB
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.fields import JsonObjectField, TextField
from memory_platform.api.requests.serializers import Input, Output
from memory_platform.api.views.base import TenantView
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.understanding.fields.asked import Asked, fields_in_force
from snapshots.understanding.fields.matching import ANOTHER_TOPIC, TOO_CLOSE, UNSURE
from snapshots.understanding.fields.section import ATTRIBUTES
from snapshots.understanding.fields.tryout import MASKED, Tried, try_fields
from tenants.isolation import tenant_tx
from tenants.policies.kinds import WrongValue

TEXT_CHARS = 2_000


class FieldsTryInput(Input):
    """What a user might say. ``fields`` are described as in the policy and need not be saved; without them those in
    force are tried."""

    text = TextField(max_bytes=8 * KIB, max_length=TEXT_CHARS)
    fields_ = JsonObjectField(required=False)


class TriedClauseOutput(Output):
    """One clause. ``lasting``: the probability that it lasts; ``note``: the place of its note, null for none."""

    text = serializers.CharField()
    lasting = serializers.FloatField()
    note = serializers.IntegerField(allow_null=True)


class FieldScoreOutput(Output):
    """The probability that a note fills a field."""

    field = serializers.CharField()
    score = serializers.FloatField()


class TriedNoteOutput(Output):
    """One note. ``field`` is the one that it fills, with the confidence of the value; null for none: ``why_not``."""

    text = serializers.CharField()
    field = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    why_not = serializers.ChoiceField(choices=[UNSURE, TOO_CLOSE, ANOTHER_TOPIC, MASKED], allow_null=True)
    scores = FieldScoreOutput(many=True)


class FieldsTryOutput(Output):
    """What the text would teach: its clauses, and the notes that they make."""

    clauses = TriedClauseOutput(many=True)
    notes = TriedNoteOutput(many=True)


class FieldsTryView(TenantView):
    """A text tried on fields."""

    noun = "policies"
    required_scope = ADMIN

    @operation("try_fields", request=FieldsTryInput, answer=FieldsTryOutput, reads=True)
    def post(self, request: Request) -> Response:
        """Tell which clauses of a text are notes, which field each note would fill, and why not. Nothing is stored."""
        given = FieldsTryInput.parse(request)
        draft = given.get("fields")
        if draft is None:
            with tenant_tx(self.tenant_id):
                asked = fields_in_force()
        else:
            asked = read_draft_fields(draft)
        return Response(serialize_try(try_fields(given["text"], asked)))


def read_draft_fields(fields: dict[str, Any]) -> Asked:
    """Return unsaved fields. Raises InvalidInput that names every fault."""
    try:
        return ATTRIBUTES.read(fields)
    except WrongValue as wrong:
        faults = [FieldFault(f"fields{one.path}", "wrong_value", one.message) for one in wrong.faults]
        raise InvalidInput("The fields cannot be described so.", faults=faults) from None


def serialize_try(tried: Tried) -> dict[str, Any]:
    return {
        "clauses": [{"text": one.text, "lasting": one.lasting, "note": one.note} for one in tried.clauses],
        "notes": [
            {
                "text": one.text,
                "field": one.fit.field or None,
                "confidence": one.confidence,
                "why_not": one.fit.why_not or None,
                "scores": [{"field": name, "score": round(score, 3)} for name, score in one.fit.scores.items()],
            }
            for one in tried.notes
        ],
    }


urlpatterns = [path("policies/fields/try", FieldsTryView.as_view(), name="policy-fields-try")]
