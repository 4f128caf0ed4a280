"""A form field for named things with descriptions, as rows. It needs no script: a button asks for more rows."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tenants.policies.descriptions import Descriptions
from tenants.policies.value_kinds import WrongValue

EMPTY_ROWS = 2
ROW_PARTS = ("name", "description", "examples")
DUPLICATE_MARK = "#"


class DescriptionsWidget(forms.Widget):
    """One row per thing: name, description, and examples, one per line. As a hidden input it is one JSON object."""

    def __init__(self, max_rows: int) -> None:
        super().__init__()
        self.most = max_rows

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        rows = _load_rows(value)
        empty = [dict.fromkeys(ROW_PARTS, "")] * min(EMPTY_ROWS, max(self.most - len(rows), 0))
        shown = [{"key": f"{name}__{place}", **row} for place, row in enumerate([*rows, *empty])]
        return render_to_string("console/policies/described_names.html", {"rows": shown})

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> str | None:
        """Return the rows as a JSON object, or the object that a hidden input carried; None if neither was sent."""
        if name in data:
            return str(data[name])
        given = [row for row in _parse_rows(data, name, self.most + EMPTY_ROWS) if any(row.values())]
        things: dict[str, Any] = {}
        for place, row in enumerate(given, start=1):
            # Rows with the same name, or without one, must not replace each other: the form refuses each row.
            called = (
                row["name"] if row["name"] and row["name"] not in things else f"{row['name']}{DUPLICATE_MARK}{place}"
            )
            things[called] = {"description": row["description"], "examples": _split_lines(row["examples"])}
        return json.dumps(things, ensure_ascii=False)

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        return name not in data and f"{name}__0__name" not in data


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


def _load_rows(value: Any) -> list[dict[str, str]]:
    """Return the rows of a JSON object; none if a page carried something else."""
    try:
        held = json.loads(value or "{}")
    except (ValueError, RecursionError):
        return []
    if not isinstance(held, dict):
        return []
    return [_make_row(name, member if isinstance(member, dict) else {}) for name, member in held.items()]


def _make_row(name: str, member: Mapping[str, Any]) -> dict[str, str]:
    examples = member.get("examples", [])
    lines = "\n".join(map(str, examples)) if isinstance(examples, list) else ""
    return {
        "name": name.partition(DUPLICATE_MARK)[0],
        "description": str(member.get("description", "")),
        "examples": lines,
    }


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _parse_rows(data: Mapping[str, Any], name: str, most: int) -> Iterator[dict[str, str]]:
    for place in range(most):
        if f"{name}__{place}__name" in data:
            yield {part: str(data.get(f"{name}__{place}__{part}", "")).strip() for part in ROW_PARTS}
