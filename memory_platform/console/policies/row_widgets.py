"""Form fields for things by name, as rows of inputs. They need no script: a button asks for more rows.

As a hidden input a field is one JSON value, which later pages of the same form carry along.
"""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.policies.setting_labels import OPTION_LABELS
from memory_platform.console.shared.code_labels import INTENT_LABELS
from tenants.policies.value_kinds import NAME_CHARS, NAMED_MOST, Choice, NamedValues, WholeNumber, WrongValue

EMPTY_ROWS = 1
# Between a name and the number of its row, where two rows have the same name.
DUPLICATE_MARK = " #"
# The only setting that has a choice by intent.
CHOICE_LABELS = OPTION_LABELS["context.tier"]

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class RowInput:
    """One input of each row."""

    name: str
    label: Any
    widget: forms.Widget


class RowsWidget(forms.Widget):
    """Rows with the same inputs: those that are filled, and empty ones below."""

    rows_template: ClassVar[str] = "console/policies/named_rows.html"
    add_label: Any = gettext_lazy("Add a row")

    def __init__(self, inputs: Sequence[RowInput], *, most: int) -> None:
        super().__init__()
        self.inputs, self.most = tuple(inputs), most

    @abstractmethod
    def load_rows(self, value: Any) -> list[Row]:
        """Return the rows of a value as it is carried; none if a page carried something else."""

    @abstractmethod
    def dump_rows(self, rows: list[Row]) -> str:
        """Return the rows as they are carried."""

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        held = self.load_rows(value)
        empty: list[Row] = [{}] * min(self.count_empty_rows(len(held)), max(self.most - len(held), 0))
        rows = [self._render_inputs(f"{name}__{place}", row) for place, row in enumerate([*held, *empty])]
        context = {"inputs": self.inputs, "rows": rows, "most": self.most, "add_label": self.add_label}
        return render_to_string(self.rows_template, {**context, **self.describe_rows(held)})

    def count_empty_rows(self, row_count: int) -> int:
        """Return how many empty rows stand below ``row_count`` filled ones."""
        return EMPTY_ROWS

    def describe_rows(self, rows: list[Row]) -> dict[str, Any]:
        """Return the values that the template shows of all rows together."""
        return {}

    def _render_inputs(self, key: str, row: Row) -> list[dict[str, Any]]:
        return [
            {
                "label": one.label,
                "input": one.widget.render(f"{key}__{one.name}", row.get(one.name, ""), {"aria-label": one.label}),
            }
            for one in self.inputs
        ]

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> str | None:
        """Return the rows that are not empty, or those that a hidden input carried."""
        if name in data:
            return str(data[name])
        return self.dump_rows([row for row in self.parse_rows(data, name) if any(row.values())])

    def parse_rows(self, data: Mapping[str, Any], name: str) -> Iterator[Row]:
        for place in range(self.most + EMPTY_ROWS):
            if f"{name}__{place}__{self.inputs[0].name}" in data:
                yield {one.name: str(data.get(f"{name}__{place}__{one.name}", "")).strip() for one in self.inputs}

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        return name not in data and f"{name}__0__{self.inputs[0].name}" not in data


def load_json_object(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one if a page carried something else."""
    try:
        held = json.loads(value or "{}")
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def dump_named_values(members: Sequence[tuple[str, Any]]) -> str:
    """Return things by name as a JSON object. Those with the same name, or without one, must not replace each other:
    they are marked, and the field refuses them."""
    named: dict[str, Any] = {}
    for place, (name, member) in enumerate(members, start=1):
        named[name if name and name not in named else f"{name}{DUPLICATE_MARK}{place}"] = member
    return json.dumps(named, ensure_ascii=False)


def read_name(key: str) -> str:
    return key.partition(DUPLICATE_MARK)[0]


def label_intent(code: str) -> str:
    """Return an intent in words; a product's own as it is."""
    return str(INTENT_LABELS.get(code, code))


class NamedValuesWidget(RowsWidget):
    """One row per intent, with its value."""

    add_label = gettext_lazy("Add an intent")

    def __init__(self, kind: NamedValues) -> None:
        names = forms.TextInput(attrs={"maxlength": NAME_CHARS, "list": "intents", "autocapitalize": "off"})
        super().__init__(
            [
                RowInput("name", gettext_lazy("Intent"), names),
                RowInput("value", gettext_lazy("Value"), _make_input(kind)),
            ],
            most=NAMED_MOST,
        )

    def load_rows(self, value: Any) -> list[Row]:
        return [
            {"name": label_intent(read_name(name)), "value": str(one)} for name, one in load_json_object(value).items()
        ]

    def dump_rows(self, rows: list[Row]) -> str:
        codes = {str(label): code for code, label in INTENT_LABELS.items()}
        return dump_named_values([(codes.get(row["name"], row["name"]), _read_number(row["value"])) for row in rows])


class NamedValuesField(forms.Field):
    """Whole numbers or choices by intent."""

    hidden_widget = forms.HiddenInput

    def __init__(self, kind: NamedValues, **options: Any) -> None:
        super().__init__(required=False, widget=NamedValuesWidget(kind), **options)
        self.kind = kind

    def prepare_value(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value

    def clean(self, value: Any) -> Any:
        try:
            given = self.kind.to_json(self.kind.read(json.loads(value or "{}")))
        except (WrongValue, ValueError, RecursionError):
            raise forms.ValidationError(self._render_rule()) from None
        if any(DUPLICATE_MARK in name for name in given):
            raise forms.ValidationError(self._render_rule())
        return given

    def _render_rule(self) -> str:
        each = self.kind.each
        if isinstance(each, Choice):
            words = _("Give each intent once, with one of these values: %(all)s.")
            return words % {"all": ", ".join(str(CHOICE_LABELS.get(one, one)) for one in each.options)}
        words = _("Give each intent once, with a whole number between %(least)s and %(most)s.")
        return words % {"least": each.least, "most": each.most}

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial) != data)


def _make_input(kind: NamedValues) -> forms.Widget:
    if isinstance(kind.each, WholeNumber):
        return forms.NumberInput(attrs={"min": kind.each.least, "max": kind.each.most})
    return forms.Select(choices=[("", "—"), *((one, CHOICE_LABELS.get(one, one)) for one in kind.each.options)])


def _read_number(text: str) -> int | str:
    """Return a number as JSON has it; any other text as it is, for the field to refuse or to accept."""
    try:
        return int(text)
    except ValueError:
        return text
