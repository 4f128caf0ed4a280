"""Trials of a policy version before it is activated: replayed on the last receipts, its fields tried on a text."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.decorators import method_decorator
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory_platform.console.policies.described_names_field import DescriptionsField
from memory_platform.console.policies.experiments.experiment_figures import render_share
from memory_platform.console.policies.policy_saving import EDIT, PolicySavingAdmin
from memory_platform.console.policies.policy_version_actions import build_version_address
from memory_platform.console.policies.setting_labels import SETTING_LABELS
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse, respond_in_scope
from memory_platform.console.shared.config import POLICY_REPLAY
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.support_session_guard import is_support_session_missing
from memory_platform.console.shared.tenant_access import TenantDesk, current_desk
from memory_platform.console.shared.value_rendering import render_link
from memory_platform.providers.contracts import EmbeddingUnavailable
from snapshots.models import Receipt
from snapshots.policies.policy_replay import PolicyReplay, ReplayExample, ReplayRefusal, replay_policy
from snapshots.receipts.read import unpack_rendered_prompt
from snapshots.understanding.fields.field_matching import ANOTHER_TOPIC, TOO_CLOSE, UNSURE
from snapshots.understanding.fields.field_tryout import MASKED, FieldTryout, TriedNote, try_fields
from snapshots.understanding.fields.requested_fields import ATTRIBUTES, FIELDS_SECTION
from tenants.models import PolicyVersion
from tenants.services.policies import active_number

MAX_TEXT_CHARS = 2_000
MAX_SCORES = 3
MAX_QUESTION_CHARS = 120
NO_FIELD_REASONS = {
    UNSURE: gettext_lazy("no field is likely enough"),
    TOO_CLOSE: gettext_lazy("two fields are about equally likely"),
    ANOTHER_TOPIC: gettext_lazy("as similar to another topic as to the field"),
    MASKED: gettext_lazy("contains sensitive information"),
}


class FieldTryoutForm(forms.Form):
    """Sample text, and the fields on which it is tried."""

    said = forms.CharField(
        label=gettext_lazy("What the person says"), max_length=MAX_TEXT_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
    attributes = DescriptionsField(ATTRIBUTES, label=SETTING_LABELS["fields.attributes"])


class PolicyTrialsAdmin(PolicySavingAdmin):
    """A screen of policy versions that can be tried: on the receipts of the active one, and on sample text."""

    def get_urls(self) -> list[URLPattern]:
        fields = make_console_path("<path:object_id>/fields/", self.fields_view, "tenants_policyversion_fields")
        replay = make_console_path("<path:object_id>/replay/", self.replay_view, "tenants_policyversion_replay")
        return [fields, replay, *super().get_urls()]

    @method_decorator(require_safe)
    def replay_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show how many of the newest contexts would hold other memories under this version. Writes nothing."""
        require_permission(self.has_manager_permission, request)
        version = self.get_or_404(request, object_id)
        active = active_number()
        told = replay_policy(
            active, version.number, receipts=POLICY_REPLAY.max_receipts, examples=POLICY_REPLAY.max_examples
        )
        return render_console_page(
            request,
            "console/policies/policy_replay.html",
            _("Replay of version %s") % version.number,
            opts=self.opts,
            subtitle=capfirst(self.title_of(version)),
            page=build_version_address(version, "change"),
            version=version,
            active=active,
            told=told,
            figures=build_replay_figures(told),
            changed=f"{told.changed.value:.0%}" if told.changed.value is not None else "",
            examples=list(describe_examples(told.examples, hides_people=is_support_session_missing(request))),
            refused=[render_replay_refusal(one) for one in told.refused],
            untold=[SETTING_LABELS.get(name, name) for name in told.untold],
        )

    def fields_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the fields of a version to edit, and the notes that a text would give. Writes nothing. The encoder runs
        with no open transaction, so the response is made after the page's."""
        desk = current_desk(request)
        if desk is None or not self.has_manager_permission(request):
            raise PermissionDenied
        version = self.get_or_404(request, object_id)
        held = FIELDS_SECTION.to_json(FIELDS_SECTION.apply_values(version.document.get(FIELDS_SECTION.name, {})))
        form = FieldTryoutForm(request.POST if request.method == "POST" else None, initial=held)
        if not form.is_bound or EDIT in request.POST or not form.is_valid():
            return self._render_page(request, version, form)
        return AfterCommitResponse(lambda: self._try_fields(request, desk, version, form))

    def _try_fields(
        self, request: HttpRequest, desk: TenantDesk, version: PolicyVersion, form: FieldTryoutForm
    ) -> HttpResponse:
        try:
            tried = try_fields(form.cleaned_data["said"], ATTRIBUTES.read(form.cleaned_data["attributes"]))
        except EmbeddingUnavailable:
            form.add_error(None, _("The encoder is unavailable, so no notes are made at present."))
            return respond_in_scope(desk, lambda: self._render_page(request, version, form))
        return respond_in_scope(desk, lambda: self._render_page(request, version, form, tried))

    def _render_page(
        self, request: HttpRequest, version: PolicyVersion, form: FieldTryoutForm, tried: FieldTryout | None = None
    ) -> HttpResponse:
        return render_console_page(
            request,
            "console/policies/policy_trial.html",
            _("Test the extraction of version %s") % version.number,
            opts=self.opts,
            subtitle=capfirst(self.title_of(version)),
            page=build_version_address(version, "change"),
            version=version,
            form=form,
            is_tried=tried is not None,
            notes=[_render_note(one) for one in tried.notes] if tried else [],
            passed=[one for one in tried.clauses if one.note is None] if tried else [],
        )


def build_replay_figures(replay: PolicyReplay) -> list[tuple[str, Any]]:
    return [
        (_("receipts read"), replay.receipts),
        (_("with candidates to choose from"), replay.compared),
        (_("reproduced under their own version"), render_share(replay.reproduced)),
        (_("would contain other memories"), render_share(replay.changed)),
        (_("memories added"), replay.entering),
        (_("memories removed"), replay.leaving),
        (_("tokens of memories in a context, before"), replay.tokens_before),
        (_("tokens of memories in a context, after"), replay.tokens_after),
        (_("used by replies, of memories removed"), render_share(replay.utilised_leaving)),
        (_("used by replies, of memories that stay"), render_share(replay.utilised_staying)),
    ]


def describe_examples(examples: Sequence[ReplayExample], *, hides_people: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of the contexts that would change: the question, who asked and when. One query.
    ``hides_people``: only links, for somebody without the support session that they need."""
    ids = [] if hides_people else [one.receipt_id for one in examples]
    held = Receipt.objects.filter(id__in=ids).select_related("subject").defer("candidates", "packed", "due")
    receipts = {one.id: one for one in held}
    for one in examples:
        receipt = receipts.get(one.receipt_id)
        rendered = unpack_rendered_prompt(receipt) if receipt else None
        question = Truncator(rendered.query).chars(MAX_QUESTION_CHARS) if rendered else ""
        yield {
            "receipt": render_link(Receipt, one.receipt_id, question),
            "who": receipt.subject.external_id if receipt else "",
            "ago": render_time_ago(receipt.created_at) if receipt else "",
            "entering": len(one.entering),
            "leaving": len(one.leaving),
        }


def render_replay_refusal(one: ReplayRefusal) -> str:
    told = {
        "other_release": _("%(count)s receipts are left out: release %(made_by)s made them, this is release %(now)s."),
        "other_clauses": _("%(count)s receipts are left out: another reader of notes (%(made_by)s) served them."),
        "other_relevance": _("%(count)s receipts are left out: another reader of relevance (%(made_by)s) judged them."),
    }
    return told[one.reason] % {"count": one.receipts, "made_by": one.made_by, "now": one.now}


def _render_note(tried: TriedNote) -> dict[str, Any]:
    """Return a row of the table: the note, its field or why it has no field, and the likeliest fields."""
    scores = [f"{name} {score:.2f}" for name, score in list(tried.fit.scores.items())[:MAX_SCORES]]
    return {
        "text": tried.text,
        "field": tried.fit.field,
        "confidence": tried.confidence,
        "why_not": NO_FIELD_REASONS.get(tried.fit.why_not, ""),
        "scores": ", ".join(scores),
    }
