"""The form of a policy: one field per setting, filled with the current values and validated like the API's input."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.policies.described_names_field import DescriptionsField
from memory_platform.console.policies.policy_history import list_version_choices
from memory_platform.console.policies.row_widgets import NamedValuesField
from memory_platform.console.policies.setting_help import SETTING_HELP
from memory_platform.console.policies.setting_labels import OPTION_LABELS, SETTING_LABELS
from memory_platform.console.shared.action_reasons import ReasonField
from memory_platform.kernel.errors import InvalidInput
from snapshots.policies.policy_sections import SECTIONS
from tenants.errors import PolicyUnchanged
from tenants.models import PolicyVersion
from tenants.policies.descriptions_value_kind import Descriptions
from tenants.policies.policy_documents import Section, effective_values
from tenants.policies.value_kinds import (
    Choice,
    Choices,
    Days,
    DaysOrNever,
    Flag,
    Kind,
    NamedValues,
    Number,
    Numbers,
    WholeNumber,
    WrongValue,
)
from tenants.services.policies import Proposal, active_number, propose, version_by_number

VERSION_DIGITS = 9
# Inputs that stand open beside the difference; all others are carried along.
CONFIRMATION_FIELDS = ("against", "reason")


class NumbersField(forms.CharField):
    """Numbers, separated by commas."""

    def __init__(self, kind: Numbers, **options: Any) -> None:
        super().__init__(max_length=10_000, **options)
        self.kind = kind

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(f"{number:g}" for number in value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return self.kind.to_json(self.kind.read(json.loads(f"[{text}]")))
        except (WrongValue, ValueError, RecursionError):
            raise forms.ValidationError(self._render_rule()) from None

    def _render_rule(self) -> str:
        kind = self.kind
        words = _("Enter %(count)s numbers between %(least)s and %(most)s, separated by commas.")
        told = words % {"count": kind.length, "least": kind.each.least, "most": kind.each.most}
        rule = _("Each must be greater than the one before.")
        return f"{told} {rule}" if kind.rising else told

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial) != data)


# Fields of kinds that one input of a browser does not hold.
FIELDS_WITH_PARTS: dict[type[Kind], Any] = {
    Descriptions: DescriptionsField,
    NamedValues: NamedValuesField,
    Numbers: NumbersField,
}


def make_setting_field(section: str, name: str, kind: Kind) -> forms.Field:
    place = f"{section}.{name}"
    words: dict[str, Any] = {"label": SETTING_LABELS[place], "help_text": SETTING_HELP[place]}
    match kind:
        case Flag():
            return forms.BooleanField(required=False, **words)
        case Choice() | Choices():
            return make_choice_field(place, kind, words)
        case WholeNumber(least, most) | Days(least, most) | DaysOrNever(least, most):
            required = not isinstance(kind, DaysOrNever)
            return forms.IntegerField(min_value=least, max_value=most, required=required, **words)
        case Number(least, most):
            return forms.FloatField(min_value=least, max_value=most, **words)
        case _:
            field: forms.Field = FIELDS_WITH_PARTS[type(kind)](kind, **words)
            return field


def make_choice_field(place: str, kind: Choice | Choices, words: dict[str, Any]) -> forms.Field:
    named = OPTION_LABELS.get(place, {})
    choices = [(option, named.get(option, option)) for option in kind.options]
    if isinstance(kind, Choice):
        return forms.ChoiceField(choices=choices, **words)
    return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, required=False, **words)


def make_input_name(section: str, field: str) -> str:
    return f"{section}__{field}"


class PolicyFormBase(forms.ModelForm[PolicyVersion]):
    """All settings. Those that differ from the base version become a new version. The reason is required only on
    saving, after the difference was shown."""

    against = forms.ChoiceField(label=gettext_lazy("Compare with"), required=False)
    reason = ReasonField(required=False)
    proposal: Proposal | None = None
    base: PolicyVersion

    class Meta:
        model = PolicyVersion
        fields = ("based_on",)
        widgets = {"based_on": forms.HiddenInput}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Viewers get no fields.
        if "based_on" not in self.fields:
            return
        active = active_number()
        against = self.fields["against"]
        assert isinstance(against, forms.ChoiceField)  # noqa: S101  # for the type checker
        against.choices = [("", gettext_lazy("the active version")), *list_version_choices(active)]
        against.error_messages["invalid_choice"] = _("There is no version with this number.")
        wanted = str((self.data if self.is_bound else self.initial).get("based_on") or "")
        number = int(wanted) if wanted.isdecimal() and len(wanted) <= VERSION_DIGITS else 0
        held = PolicyVersion.objects.filter(number=number).first()
        self.base = held or version_by_number(active)
        if self.is_bound:  # it brings its own values
            return
        self.initial["based_on"] = self.base.number
        for section, values in effective_values(self.base.document, SECTIONS).items():
            self.initial.update({make_input_name(section, field): value for field, value in values.items()})

    def clean(self) -> dict[str, Any]:
        """Validate the settings together, and keep the proposal for saving."""
        given = super().clean() or {}
        if self.errors:
            return given
        base = PolicyVersion.objects.filter(number=given["based_on"]).first()
        if base is None:
            raise forms.ValidationError(_("The base version does not exist."))
        changes, remove = _collect_changes(given, base)
        try:
            self.proposal = propose(changes, SECTIONS, remove=remove, based_on=base.number)
        except PolicyUnchanged:
            raise forms.ValidationError(_("Nothing differs from version %s.") % base.number) from None
        except InvalidInput as refused:
            add_faults(self, refused)
        return given


def add_faults(form: forms.BaseForm, refused: InvalidInput) -> None:
    """Show each fault of a refused policy at its field, or above the form."""
    for fault in refused.faults:
        name = fault.field.replace(".", "__")
        form.add_error(name if name in form.fields else None, _("This value contradicts another setting."))


def make_setting_fields(sections: Iterable[Section[Any]]) -> Iterator[tuple[str, forms.Field]]:
    for section in sections:
        for name, kind in section.kinds.items():
            yield make_input_name(section.name, name), make_setting_field(section.name, name, kind)


PolicyForm: Any = type("PolicyForm", (PolicyFormBase,), dict(make_setting_fields(SECTIONS.values())))


def _collect_changes(cleaned_data: dict[str, Any], base: PolicyVersion) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the new values, and the names of fields that return to the platform's defaults."""
    changes: dict[str, dict[str, Any]] = {}
    remove: list[str] = []
    for section, held in effective_values(base.document, SECTIONS).items():
        usual = SECTIONS[section].to_json(SECTIONS[section].default)
        for field, value in held.items():
            new = cleaned_data[make_input_name(section, field)]
            if new == value:
                continue
            if new == usual[field]:
                remove.append(f"{section}.{field}")
            else:
                changes.setdefault(section, {})[field] = new
    return changes, remove
