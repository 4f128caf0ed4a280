"""Settings of a policy in words: their values, and the differences between two documents."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory_platform.console.policies.setting_labels import SECTION_LABELS, SETTING_LABELS, label_options
from memory_platform.console.shared.code_labels import INTENT_LABELS
from memory_platform.console.shared.value_rendering import format_json_value, render_text
from tenants.policies.policy_documents import Change

# Changes that one line of the list has room for, and characters of a value in it.
MAX_CHANGES_IN_LINE = 2
MAX_VALUE_CHARS = 40


def describe_setting(place: str, value: Any) -> str:
    """Return the value of ``section.field`` as plain text."""
    if value is None:
        return _("never")
    if isinstance(value, Mapping):
        return "\n".join(_describe_named(name, one) for name, one in value.items()) or _("none")
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, list) and not value:
        return _("none")
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    return format_json_value(label_options(place, value))


def describe_change(change: Change) -> tuple[str, str]:
    """Return the values before and after as plain text; of named values only those that differ."""
    place, before, after = f"{change.section}.{change.field}", change.before, change.after
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        return describe_setting(place, before), describe_setting(place, after)
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    old, new = ({name: one[name] for name in names if name in one} for one in (before, after))
    return describe_setting(place, old), describe_setting(place, new)


def render_changes(changes: Sequence[Change]) -> SafeString:
    """Return a table of the differences, by section, as HTML."""
    rows = []
    for change in changes:
        before, after = describe_change(change)
        rows.append(
            {
                "section": SECTION_LABELS[change.section],
                "field": SETTING_LABELS[f"{change.section}.{change.field}"],
                "name": f"{change.section}.{change.field}",
                "before": render_text(before),
                "after": render_text(after),
                "direction": describe_relative_change(change),
            }
        )
    are_numbers = all(row["direction"] for row in rows)
    return render_to_string("console/policies/policy_changes.html", {"changes": rows, "are_numbers": are_numbers})


def describe_relative_change(change: Change) -> str:
    """Return by how much a number grows or falls, in per cent of the old value: "▲ 200%"; "" for other values."""
    before, after = change.before, change.after
    if isinstance(before, bool) or not (isinstance(before, int | float) and isinstance(after, int | float)):
        return ""
    arrow = "▲" if after > before else "▼"
    return f"{arrow} {abs(after - before) / abs(before):.0%}" if before else arrow


def summarise_changes(changes: Sequence[Change]) -> str:
    """Return the differences in one line: "whole context: 6,000 → 3,000; and 2 more changes"."""
    told = []
    for change in changes[:MAX_CHANGES_IN_LINE]:
        before, after = (Truncator(" ".join(one.split())).chars(MAX_VALUE_CHARS) for one in describe_change(change))
        told.append(f"{SETTING_LABELS[f'{change.section}.{change.field}']}: {before} → {after}")
    rest = len(changes) - len(told)
    if rest:
        told.append(ngettext("and %(count)d more change", "and %(count)d more changes", rest) % {"count": rest})
    return "; ".join(told)


def _describe_named(name: str, value: Any) -> str:
    told = value.get("description", "") if isinstance(value, Mapping) else label_tier(value)
    told = f"{value:,}" if type(value) is int else told
    return _("%(name)s: %(value)s") % {"name": INTENT_LABELS.get(name, name), "value": told}


def label_tier(value: Any) -> str:
    return str(label_options("context.tier", value))
