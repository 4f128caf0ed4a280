"""``POST /v1/policies/fields/try``: the fields that a text would fill."""

from typing import Any

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN
from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import JsonObjectField, TextField
from memory_platform.api.requests.serializers import Input, Output
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.understanding.fields.field_matching import ANOTHER_TOPIC, TOO_CLOSE, UNSURE
from snapshots.understanding.fields.field_tryout import MASKED, TriedNote, try_fields
from snapshots.understanding.fields.requested_fields import ATTRIBUTES, RequestedFields, load_active_fields
from tenants.isolation import tenant_tx
from tenants.policies.value_kinds import WrongValue

TEXT_CHARS = 2_000


class FieldsTryInput(Input):
    """A text to try on fields."""

    text = TextField(max_bytes=8 * KIB, max_length=TEXT_CHARS, help_text="What a user might say.")
    fields_ = JsonObjectField(
        required=False,
        help_text="Fields as the policy describes them; they need not be stored. Default: those in force.",
    )


class TriedClauseOutput(Output):
    """A clause of the text."""

    text = serializers.CharField(help_text="Its words.")
    lasting = serializers.FloatField(help_text="How probable it is that it lasts, 0 to 1.")
    note = serializers.IntegerField(allow_null=True, help_text="Index in `notes` of its note; null if it makes none.")


class FieldScoreOutput(Output):
    """How well a note fits a field."""

    field = serializers.CharField(help_text="Name of the field.")
    score = serializers.FloatField(help_text="How probable it is that the note fills the field, 0 to 1.")


class TriedNoteOutput(Output):
    """A note that the text would make."""

    text = serializers.CharField(help_text="Its words.")
    field = serializers.CharField(source="fit.field", allow_null=True, help_text="The field that it fills, if any.")
    confidence = serializers.FloatField(allow_null=True, help_text="Confidence of the value; null if it fills none.")
    why_not = serializers.ChoiceField(
        source="fit.why_not",
        choices=[UNSURE, TOO_CLOSE, ANOTHER_TOPIC, MASKED],
        allow_null=True,
        help_text="Why it fills no field, else null.",
    )
    scores = FieldScoreOutput(many=True, help_text="How well it fits each field.")

    @staticmethod
    def render_scores(note: TriedNote) -> list[dict[str, Any]]:
        return [{"field": name, "score": round(score, 3)} for name, score in note.fit.scores.items()]


class FieldsTryOutput(Output):
    """The text's clauses and their notes."""

    clauses = TriedClauseOutput(many=True, help_text="The clauses of the text.")
    notes = TriedNoteOutput(many=True, help_text="The notes that they make.")


class FieldsTryView(TenantView):
    noun = "policies"
    required_scope = ADMIN

    @operation("try_fields", request=FieldsTryInput, answer=FieldsTryOutput, reads=True)
    def post(self, request: Request) -> Response:
        """Try a text on fields: return the notes it would make and the fields these would fill. Nothing is stored."""
        given = FieldsTryInput.parse(request)
        draft = given.get("fields")
        if draft is None:
            with tenant_tx(self.tenant_id):
                fields = load_active_fields()
        else:
            fields = parse_fields(draft)
        return Response(FieldsTryOutput.render(try_fields(given["text"], fields)))


def parse_fields(fields: dict[str, Any]) -> RequestedFields:
    """Return fields that are not stored yet. Raises InvalidInput that names every fault."""
    try:
        return ATTRIBUTES.read(fields)
    except WrongValue as wrong:
        faults = [FieldFault(f"fields{one.path}", "wrong_value", one.message) for one in wrong.faults]
        raise InvalidInput("The description of the fields is invalid; `errors` says where.", faults=faults) from None


urlpatterns = [path("policies/fields/try", FieldsTryView.as_view(), name="policy-fields-try")]
