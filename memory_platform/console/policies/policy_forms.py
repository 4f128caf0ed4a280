"""The form of a policy: one field per setting, filled with the current values and validated like the API's input."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.policies.described_names_field import DescriptionsField
from memory_platform.console.policies.setting_labels import OPTION_LABELS, SETTING_HELP, SETTING_LABELS
from memory_platform.console.shared.action_reasons import ReasonField
from memory_platform.kernel.errors import InvalidInput
from snapshots.policies.sections import SECTIONS
from tenants.errors import PolicyUnchanged
from tenants.models import PolicyVersion
from tenants.policies.descriptions import Descriptions
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


class SettingTextField(forms.CharField):
    """A value as text: numbers separated by commas, or a JSON object."""

    def __init__(self, kind: Kind, **options: Any) -> None:
        super().__init__(max_length=10_000, **options)
        self.kind = kind

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return ", ".join(f"{number:g}" for number in value)
        return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            read = json.loads(f"[{text}]" if isinstance(self.kind, Numbers) else text)
            return self.kind.to_json(self.kind.read(read))
        except (WrongValue, ValueError, RecursionError):
            raise forms.ValidationError(_render_error(self.kind)) from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial) != data)


def make_setting_field(section: str, name: str, kind: Kind) -> forms.Field:
    place = f"{section}.{name}"
    label = SETTING_LABELS[place]
    match kind:
        case Flag():
            return forms.BooleanField(required=False, label=label)
        case Choice() | Choices():
            return make_choice_field(place, kind)
        case WholeNumber(least, most) | Days(least, most) | DaysOrNever(least, most):
            never = {"required": False, "help_text": gettext_lazy('Leave empty for "never".')}
            more: dict[str, Any] = never if isinstance(kind, DaysOrNever) else {}
            return forms.IntegerField(min_value=least, max_value=most, label=label, **more)
        case Number(least, most):
            return forms.FloatField(min_value=least, max_value=most, label=label)
        case Descriptions():
            return DescriptionsField(kind, label=label)
        case _:
            return SettingTextField(kind, label=label)


def make_choice_field(place: str, kind: Choice | Choices) -> forms.Field:
    named, told = OPTION_LABELS.get(place, {}), SETTING_HELP.get(place, "")
    choices = [(option, named.get(option, option)) for option in kind.options]
    if isinstance(kind, Choice):
        return forms.ChoiceField(choices=choices, label=SETTING_LABELS[place], help_text=told)
    ticked = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(
        choices=choices, widget=ticked, required=False, label=SETTING_LABELS[place], help_text=told
    )


def make_input_name(section: str, field: str) -> str:
    return f"{section}__{field}"


class PolicyFormBase(forms.ModelForm[PolicyVersion]):
    """All settings. Those that differ from the base version become a new version. The reason is required only on
    saving, after the difference was shown."""

    against = forms.IntegerField(
        label=gettext_lazy("Compare with version"),
        help_text=gettext_lazy("Leave empty to compare with the version in force."),
        min_value=1,
        max_value=10**VERSION_DIGITS - 1,
        required=False,
    )
    reason = ReasonField(required=False)
    proposal: Proposal | None = None

    class Meta:
        model = PolicyVersion
        fields = ("based_on",)
        widgets = {"based_on": forms.HiddenInput}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Viewers get no fields, and a sent form brings its own values.
        if "based_on" not in self.fields or self.is_bound:
            return
        wanted = str(self.initial.get("based_on") or "")
        number = int(wanted) if wanted.isdecimal() and len(wanted) <= VERSION_DIGITS else 0
        held = PolicyVersion.objects.filter(number=number).first()
        base = held or version_by_number(active_number())
        self.initial["based_on"] = base.number
        for section, values in effective_values(base.document, SECTIONS).items():
            self.initial.update({make_input_name(section, field): value for field, value in values.items()})

    def clean_against(self) -> int | None:
        number: int | None = self.cleaned_data["against"]
        if number is not None and not PolicyVersion.objects.filter(number=number).exists():
            raise forms.ValidationError(_("There is no version with this number."))
        return number

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


class RollBackForm(forms.Form):
    """The reason for a return to an earlier version's settings."""

    reason = ReasonField()


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


def _render_error(kind: Kind) -> str:
    if isinstance(kind, NamedValues):
        if isinstance(kind.each, Choice):
            words = _('Enter a JSON object such as {"complaint": "%(first)s"}, with one of these values: %(all)s.')
            return words % {"first": kind.each.options[0], "all": ", ".join(kind.each.options)}
        whole = kind.each
        words = _('Enter a JSON object such as {"complaint": 2000}, with whole numbers between %(least)s and %(most)s.')
        return words % {"least": whole.least, "most": whole.most}
    if isinstance(kind, Numbers):
        words = _("Enter %(count)s numbers between %(least)s and %(most)s, separated by commas.")
        return words % {"count": kind.length, "least": kind.each.least, "most": kind.each.most} + (
            " " + _("Each must be greater than the one before.") if kind.rising else ""
        )
    return _("This value is not valid.")
