"""A form field for named things with descriptions, as rows."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.policies.row_widgets import (
    DUPLICATE_MARK,
    Row,
    RowInput,
    RowsWidget,
    dump_named_values,
    load_json_object,
    read_name,
)
from tenants.policies.descriptions_value_kind import Descriptions
from tenants.policies.value_kinds import WrongValue


class DescriptionsWidget(RowsWidget):
    """One row per thing: name, description, and examples, one per line."""

    rows_template = "console/policies/described_names.html"

    def __init__(self, max_rows: int) -> None:
        names = {"maxlength": 40, "placeholder": "pain_point", "autocapitalize": "off", "spellcheck": "false"}
        inputs = (
            RowInput("name", gettext_lazy("Name"), forms.TextInput(attrs=names)),
            RowInput("description", gettext_lazy("What it is"), forms.Textarea(attrs={"rows": 2, "maxlength": 300})),
            RowInput("examples", gettext_lazy("Examples, one per line"), forms.Textarea(attrs={"rows": 2})),
        )
        super().__init__(inputs, most=max_rows)

    def load_rows(self, value: Any) -> list[Row]:
        held = load_json_object(value)
        return [_make_row(name, member if isinstance(member, dict) else {}) for name, member in held.items()]

    def dump_rows(self, rows: list[Row]) -> str:
        return dump_named_values(
            [
                (row["name"], {"description": row["description"], "examples": _split_lines(row["examples"])})
                for row in rows
            ]
        )


class DescriptionsField(forms.Field):
    """Things by name, each with a description and examples."""

    hidden_widget = forms.HiddenInput

    def __init__(self, kind: Descriptions, **options: Any) -> None:
        super().__init__(required=False, widget=DescriptionsWidget(kind.most), **options)
        self.kind = kind

    def prepare_value(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value

    def clean(self, value: Any) -> Any:
        """Return the value as JSON. Raises ValidationError that names the place of every fault."""
        try:
            return self.kind.to_json(self.kind.read(json.loads(value or "{}")))
        except WrongValue as wrong:
            raise forms.ValidationError(self._render_faults(wrong)) from None
        except (ValueError, RecursionError):
            raise forms.ValidationError(_("This value is not valid.")) from None

    def _render_faults(self, wrong: WrongValue) -> str:
        words = _(
            "Not possible: %(places)s. A name has lower-case letters, digits and underscores, and is not a field of the"
            " profile. A description has %(least)s to %(most)s characters. At most %(examples)s examples of at most"
            " %(each)s characters each are allowed. Sensitive data and instructions are not allowed."
        )
        places = ", ".join(one.path.removeprefix(".").replace(DUPLICATE_MARK, " ") or "-" for one in wrong.faults)
        kind = self.kind
        return words % {
            "places": places,
            "least": kind.least_chars,
            "most": kind.most_chars,
            "examples": kind.examples,
            "each": kind.example_chars,
        }

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial) != data)


def _make_row(name: str, member: Mapping[str, Any]) -> Row:
    examples = member.get("examples", [])
    lines = "\n".join(map(str, examples)) if isinstance(examples, list) else ""
    return {"name": read_name(name), "description": str(member.get("description", "")), "examples": lines}


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
