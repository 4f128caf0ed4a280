"""The forms of the playground: the question, two policies, and the draft of a policy."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.policies.policy_forms import add_faults, make_input_name, make_setting_fields
from memory_platform.console.policies.setting_labels import SECTION_LABELS
from memory_platform.console.shared.code_labels import INTENT_LABELS
from memory_platform.kernel.errors import InvalidInput
from snapshots.policies.sections import CONTEXT, RANKING, SCORING, SECTIONS
from tenants.errors import PolicyUnchanged
from tenants.models import PolicyVersion
from tenants.policies.sections import Document, effective_values
from tenants.services.policies import propose

# What a side may be steered by beside the number of a stored version.
NOW, DRAFT = "now", "draft"
# Sections of a policy that a context follows.
CONTEXT_SECTIONS = (CONTEXT, RANKING, SCORING)
MAX_QUERY_CHARS = 10_000


class QuestionForm(forms.Form):
    """A sample question, and the two policies whose prompts are compared."""

    query = forms.CharField(
        label=gettext_lazy("What the person says"), max_length=MAX_QUERY_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
    intent = forms.ChoiceField(label=gettext_lazy("Intent"), required=False)
    conversation = forms.ChoiceField(label=gettext_lazy("In the conversation"), required=False)
    left = forms.ChoiceField(label=gettext_lazy("Left: policy"), initial=NOW)
    right = forms.ChoiceField(label=gettext_lazy("Right: policy"), initial=NOW)

    def __init__(self, *args: Any, policies: list[tuple[str, str]], conversations: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        choices: dict[str, list[tuple[str, Any]]] = {
            "intent": [("", _("as detected from the text")), *INTENT_LABELS.items()],
            "conversation": [("", _("in none")), *((one, one) for one in conversations)],
            "left": list(policies),
            "right": list(policies),
        }
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101  # for the type checker
            field.choices = offered

    @property
    def chosen_policies(self) -> tuple[str, str]:
        """The policies of the left and the right side; the form must be valid."""
        return self.cleaned_data["left"], self.cleaned_data["right"]


class DraftFormBase(forms.Form):
    """All settings that a context depends on, starting from ``base``. Nothing is stored."""

    document: Document

    def __init__(self, given: Any, *, base: PolicyVersion) -> None:
        current_values = effective_values(base.document, SECTIONS)
        initial = {
            make_input_name(one.name, field): value
            for one in CONTEXT_SECTIONS
            for field, value in current_values[one.name].items()
        }
        super().__init__(given, initial=initial)
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

    def _collect_changes(self, given: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {
            one.name: {
                field: given[make_input_name(one.name, field)]
                for field, value in self.held[one.name].items()
                if given[make_input_name(one.name, field)] != value
            }
            for one in CONTEXT_SECTIONS
        }


DraftForm: Any = type("DraftForm", (DraftFormBase,), dict(make_setting_fields(CONTEXT_SECTIONS)))
