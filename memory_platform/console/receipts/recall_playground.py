"""The playground: recall for a person now, under two policies side by side. Nothing is stored.

It needs the role support, because a question may cost a call to an embedding model. Drafts of a policy are for
managers. Prompts are made with no open transaction, so the page opens the tenant's scope itself: once to read the
form's choices and record who asked, and once to render the result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.explanation.current_memories import load_current_memories
from memory_platform.console.explanation.receipt_explanation import BAR_UNITS
from memory_platform.console.policies.policy_forms import (
    VERSION_DIGITS,
    add_faults,
    make_input_name,
    make_setting_fields,
)
from memory_platform.console.policies.policy_history import list_version_choices
from memory_platform.console.policies.setting_labels import SECTION_LABELS
from memory_platform.console.receipts.missing_value_reasons import make_question_about
from memory_platform.console.receipts.trial_prompt_comparison import (
    TrialPrompt,
    TrialQuestion,
    compare_candidates,
    count_marks,
    draft_trial_prompt,
    group_by_difference,
)
from memory_platform.console.shared.after_commit_responses import respond_in_scope
from memory_platform.console.shared.code_labels import INTENT_LABELS
from memory_platform.console.shared.custom_pages import redirect_to_tenant_choice, render_console_page
from memory_platform.console.shared.refusals import note_missing_row
from memory_platform.console.shared.tenant_access import TenantDesk, current_desk, make_actor
from memory_platform.console.shared.value_rendering import parse_uuid
from memory_platform.kernel.errors import InvalidInput
from profiles.models import Preference, ProfileFact, Subject, Tag
from snapshots.models import Conversation, Receipt
from snapshots.policies.effective_policies import Policies, build_policies, load_effective_policies_in_scope
from snapshots.policies.policy_sections import CONTEXT, RANKING, SCORING, SECTIONS
from snapshots.receipts.read import unpack_rendered_prompt
from tenants.errors import PolicyUnchanged
from tenants.isolation import tenant_tx
from tenants.models import PolicyVersion, Role
from tenants.policies.policy_documents import Document, effective_values
from tenants.services.audit import record_audit
from tenants.services.policies import propose

# What a side may be steered by beside the number of a stored version; the right side may be missing.
NOW, DRAFT, NOTHING = "now", "draft", ""
# Sections of a policy that a context follows.
CONTEXT_SECTIONS = (CONTEXT, RANKING, SCORING)
MAX_QUERY_CHARS = 10_000
MAX_CONVERSATIONS = 20


class QuestionForm(forms.Form):
    """A sample question, and the policy whose prompt is shown, beside that of a second one if that is chosen."""

    query = forms.CharField(
        label=gettext_lazy("What the person says"), max_length=MAX_QUERY_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
    intent = forms.ChoiceField(label=gettext_lazy("Intent"), required=False)
    conversation = forms.ChoiceField(label=gettext_lazy("In the conversation"), required=False)
    left = forms.ChoiceField(label=gettext_lazy("Policy"), initial=NOW)
    right = forms.ChoiceField(label=gettext_lazy("Compare with"), initial=NOTHING, required=False)

    def __init__(self, *args: Any, policies: list[tuple[str, str]], conversations: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        choices: dict[str, list[tuple[str, Any]]] = {
            "intent": [("", _("as detected from the text")), *INTENT_LABELS.items()],
            "conversation": [("", _("no conversation")), *((one, one) for one in conversations)],
            "left": list(policies),
            "right": [(NOTHING, _("no second policy")), *policies],
        }
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101  # for the type checker
            field.choices = offered

    @property
    def chosen_policies(self) -> tuple[str, ...]:
        """The policies of the sides, one or two, and one if both are the same; the form must be valid."""
        return tuple(dict.fromkeys(filter(None, (self.cleaned_data["left"], self.cleaned_data["right"]))))


class DraftFormBase(forms.Form):
    """All settings that a context depends on, starting from ``base``. Nothing is stored."""

    document: Document

    def __init__(self, data: Any, *, base: PolicyVersion) -> None:
        current_values = effective_values(base.document, SECTIONS)
        initial = {
            make_input_name(one.name, field): value
            for one in CONTEXT_SECTIONS
            for field, value in current_values[one.name].items()
        }
        super().__init__(data, initial=initial)
        self.base, self.held, self.document = base, current_values, base.document

    def parts(self) -> Iterator[tuple[Any, list[forms.BoundField]]]:
        for section in CONTEXT_SECTIONS:
            yield SECTION_LABELS[section.name], [self[make_input_name(section.name, field)] for field in section.kinds]

    def clean(self) -> dict[str, Any]:
        """Validate the settings together, and keep the document of the draft."""
        given = super().clean() or {}
        if self.errors:
            return given
        try:
            self.document = propose(self._collect_changes(given), SECTIONS, based_on=self.base.number).document
        except PolicyUnchanged:
            self.document = self.base.document
        except InvalidInput as refused:
            add_faults(self, refused)
        return given

    def _collect_changes(self, cleaned_data: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {
            one.name: {
                field: cleaned_data[make_input_name(one.name, field)]
                for field, value in self.held[one.name].items()
                if cleaned_data[make_input_name(one.name, field)] != value
            }
            for one in CONTEXT_SECTIONS
        }


DraftForm: Any = type("DraftForm", (DraftFormBase,), dict(make_setting_fields(CONTEXT_SECTIONS)))


@dataclass(frozen=True, slots=True)
class PlaygroundInputs:
    """The inputs of one page: the subject, the forms, the policies in force, and the chosen versions."""

    subject: Subject
    form: QuestionForm
    draft: Any
    current_policies: Policies
    versions: Mapping[int, PolicyVersion]

    @property
    def is_asked(self) -> bool:
        """Whether the question is valid, and the draft too if it is chosen."""
        if not (self.form.is_bound and self.form.is_valid()):
            return False
        return DRAFT not in self.form.chosen_policies or bool(self.draft.is_valid())


def show_playground(request: HttpRequest, named: str) -> HttpResponse:
    """Show the playground of a subject; no scope may be open. Raises PermissionDenied, Http404."""
    desk = current_desk(request)
    if desk is None:
        return redirect_to_tenant_choice(request)
    if not desk.has_role(Role.SUPPORT):
        raise PermissionDenied
    subject_id = parse_uuid(named)
    if subject_id is None:
        raise Http404
    with tenant_tx(desk.tenant.id):
        table = load_inputs(request, subject_id, desk)
        steering = choose_policies(table) if table.is_asked else ()
        # The record says whose memory was asked, but not the question.
        record_audit(
            make_actor(request),
            "playground.asked" if steering else "playground.opened",
            object_kind="subject",
            object_id=str(subject_id),
            subject_ref=subject_id,
        )
    given = table.form.cleaned_data if steering else {"query": "", "intent": "", "conversation": ""}
    asked = TrialQuestion(given["query"], given["intent"] or None, given["conversation"] or None)
    # Between the two scopes: a model call must not hold a transaction.
    sides = [draft_trial_prompt(desk.tenant.id, table.subject.external_id, asked, *one) for one in steering]
    return respond_in_scope(desk, lambda: render_playground(request, table, sides))


def load_inputs(request: HttpRequest, subject_id: UUID, desk: TenantDesk) -> PlaygroundInputs:
    """Return the inputs of the page, in the open scope. Raises Http404 if the subject does not exist."""
    subject = Subject.objects.filter(pk=subject_id, erasing=False).first()
    if subject is None:
        raise Http404
    now = load_effective_policies_in_scope(desk.tenant.id, subject.external_id)
    given = request.POST if request.method == "POST" else None
    talks = Conversation.objects.filter(subject=subject).order_by("-last_accepted_at", "-id")
    may_draft = desk.has_role(Role.MANAGER)
    form = QuestionForm(
        given,
        policies=list_policy_choices(now, may_draft=may_draft),
        conversations=list(talks.values_list("external_id", flat=True)[:MAX_CONVERSATIONS]),
        initial=load_initial_question(request, subject),
    )
    chosen = (given.get("left", ""), given.get("right", "")) if given is not None else ()
    numbers = {
        int(one) for one in {now.version, *chosen} if one.isascii() and one.isdecimal() and len(one) <= VERSION_DIGITS
    }
    versions = {version.number: version for version in PolicyVersion.objects.filter(number__in=numbers)}
    base = versions[int(now.version)]
    draft = DraftForm(given if DRAFT in chosen else None, base=base) if may_draft else None
    return PlaygroundInputs(subject, form, draft, now, versions)


def list_policy_choices(now: Policies, *, may_draft: bool) -> list[tuple[str, str]]:
    """Return the policies to choose from: the current one, the draft if allowed, and every version, newest first."""
    steers = _("Active policy (v%s)") % now.version
    if now.experiment:
        steers = _("Now for this person (v%(version)s, arm %(arm)s of %(experiment)s)") % {
            "version": now.version,
            "arm": now.arm,
            "experiment": now.experiment,
        }
    drafts = [(DRAFT, _("other settings"))] if may_draft else []
    return [(NOW, steers), *drafts, *list_version_choices(active=0)]


def load_initial_question(request: HttpRequest, subject: Subject) -> dict[str, Any]:
    """Return the question of the receipt, or one about the memory, that the address names; empty if it names none, or
    the text was purged."""
    memory = _find_named_row(request, "memory", ProfileFact, Preference, Tag, subject=subject)
    if memory is not None:
        return {"query": make_question_about(memory)}
    receipt = _find_named_row(request, "receipt", Receipt, subject=subject)
    rendered = unpack_rendered_prompt(receipt) if receipt else None
    if receipt is None or rendered is None:
        return {}
    talk = receipt.conversation.external_id if receipt.conversation else ""
    return {"query": rendered.query, "conversation": talk}


def _find_named_row(request: HttpRequest, parameter: str, *models: Any, subject: Subject) -> Any:
    """Return the row of a person that the address names; None without one, noted if it names a row of somebody else."""
    named = request.GET.get(parameter, "")
    row_id = parse_uuid(named)
    rows = (model.objects.filter(pk=row_id, subject=subject).first() for model in models) if row_id else ()
    found = next((row for row in rows if row is not None), None)
    if named and found is None:
        note_missing_row(request, named)
    return found


def choose_policies(table: PlaygroundInputs) -> tuple[tuple[str, Policies], ...]:
    """Return label and policies of each side, in the open scope."""
    labels = dict(table.form.fields["left"].choices)  # type: ignore[attr-defined]  # it is a choice
    return tuple((labels[one], _load_policies(one, table)) for one in table.form.chosen_policies)


def _load_policies(choice: str, table: PlaygroundInputs) -> Policies:
    if choice == NOW:
        return table.current_policies
    document = table.draft.document if choice == DRAFT else table.versions[int(choice)].document
    return replace(
        build_policies(0 if choice == DRAFT else int(choice), document),
        tenant_locale=table.current_policies.tenant_locale,
    )


def render_playground(request: HttpRequest, table: PlaygroundInputs, sides: list[TrialPrompt]) -> TemplateResponse:
    context: dict[str, Any] = {
        "subtitle": table.subject.external_id,
        "opts": Subject._meta,
        "subject": table.subject,
        "form": table.form,
        "draft": table.draft,
        "is_drafting": bool(table.draft and table.draft.is_bound),
        # A row was added to a table of the settings, or removed: one goes on there.
        "is_editing": "_edit" in request.POST,
        "sides": sides,
        "bar_units": BAR_UNITS,
    }
    if sides:
        left, right = sides[0], sides[-1]
        candidates = (*left.candidates, *right.candidates)
        rows = compare_candidates(left, right, load_current_memories(table.subject.pk, candidates, with_sources=False))
        context |= {
            "groups": group_by_difference(rows, is_compared=len(sides) > 1),
            "counted": count_marks(rows),
            "is_compared": len(sides) > 1,
        }
    return render_console_page(request, "console/receipts/playground.html", _("Playground"), **context)
