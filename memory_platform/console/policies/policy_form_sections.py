"""The sections of the form of a policy: each setting with its default, and marks where it differs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms

from memory_platform.console.policies.policy_forms import make_input_name
from memory_platform.console.policies.setting_help import describe_unit
from memory_platform.console.policies.setting_labels import SECTION_LABELS
from memory_platform.console.policies.settings_in_words import describe_setting
from snapshots.policies.policy_sections import SECTIONS
from tenants.policies.policy_documents import Section, effective_values

# The parts of a context that share its whole budget.
BUDGET_PARTS = ("system", "profile", "memory", "window", "query", "summary", "task", "knowledge")


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting.

    ``default`` and ``base``: the values of the platform and of the version that the form starts from, in words.
    ``base_input``: the latter as its input holds it, None where one input does not hold it all.
    """

    field: forms.BoundField
    unit: Any
    default: str
    base: str
    base_input: str | None
    differs_from_default: bool
    is_edited: bool
    is_budget_part: bool = False

    @property
    def is_group(self) -> bool:
        return bool(self.field.use_fieldset or self.base_input is None)


@dataclass(frozen=True, slots=True)
class FormSection:
    """One folded part of the form."""

    name: str
    label: Any
    rows: list[SettingRow]

    @property
    def differing(self) -> int:
        """How many settings differ from the defaults."""
        return sum(row.differs_from_default for row in self.rows)

    @property
    def is_open(self) -> bool:
        return any(row.differs_from_default or row.is_edited or row.field.errors for row in self.rows)


def build_form_sections(form: Any) -> list[FormSection]:
    """Return the sections of a form of a policy, as it is filled now."""
    base = effective_values(form.base.document, SECTIONS)
    return [
        FormSection(section.name, SECTION_LABELS[section.name], list(_build_rows(form, section, base[section.name])))
        for section in SECTIONS.values()
    ]


def _build_rows(form: Any, section: Section[Any], base: dict[str, Any]) -> Iterator[SettingRow]:
    usual = section.to_json(section.default)
    for name, kind in section.kinds.items():
        field, place = form[make_input_name(section.name, name)], f"{section.name}.{name}"
        # An input that is refused has no value: it counts as edited.
        held = form.cleaned_data.get(field.name, form) if form.is_bound else base[name]
        yield SettingRow(
            field=field,
            unit=describe_unit(kind),
            default=_describe_in_line(place, usual[name]),
            base=_describe_in_line(place, base[name]) if base[name] != usual[name] else "",
            base_input=_format_input(field.field, base[name]),
            differs_from_default=held != usual[name],
            is_edited=held != base[name],
            is_budget_part=section.name == "context" and name in BUDGET_PARTS,
        )


def _describe_in_line(place: str, value: Any) -> str:
    return "; ".join(describe_setting(place, value).splitlines())


def _format_input(field: forms.Field, value: Any) -> str | None:
    """Return a value as the input holds it, for the script that counts changes; None if several inputs hold it."""
    if isinstance(field, forms.BooleanField):
        return "on" if value else ""
    if isinstance(field, forms.MultipleChoiceField):
        return ",".join(value)
    if isinstance(field, forms.IntegerField | forms.CharField | forms.ChoiceField):
        shown = (
            field.widget.format_value(field.prepare_value(value)) if not isinstance(field, forms.ChoiceField) else value
        )
        return "" if shown is None else str(shown)
    return None
