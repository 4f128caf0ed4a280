"""Rows that an import leaves out: beliefs, proposals and earlier words with a card number or a secret.

A note stays, since its words are masked with its snapshot; it loses details that must not be remembered.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models

from profiles.models import Candidate, DetailName, Preference, ProfileFact, Tag, TagDetail
from snapshots.models import Note, SnapshotVersion
from snapshots.sensitive.detector import (
    is_sensitive,
    is_sensitive_list,
    is_sensitive_named,
    is_telephone,
    mask_sensitive,
)

_NAME_COLUMN = {Preference: "key", ProfileFact: "field", TagDetail: "detail", Candidate: "target"}
_TEXT_COLUMNS: Mapping[type[models.Model], tuple[str, ...]] = {
    Preference: ("category", "key", "value", "statement"),
    ProfileFact: ("field", "value"),
    Candidate: ("target", "value", "proposal"),
    Tag: ("label", "address", "phone", "relation", "aliases"),
    TagDetail: ("value",),
    SnapshotVersion: ("fields",),
}


def drop_sensitive_rows(model: type[models.Model], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of one table, as columns, without those that no product may write either."""
    if model is Note:
        return [_mask_note(row) for row in rows]
    return [row for row in rows if not _holds_sensitive(model, row)] if model in _TEXT_COLUMNS else list(rows)


def _mask_note(row: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: "" for name in ("about_label", "relation") if is_sensitive(row[name])}
    return {**row, **named, "context": mask_sensitive(row["context"])[0]}


def _holds_sensitive(model: type[models.Model], row: Mapping[str, Any]) -> bool:
    told = {name: row.get(name) for name in _TEXT_COLUMNS[model]}
    if model is Tag and is_telephone(str(told["phone"] or "")):
        del told["phone"]
    if model is TagDetail and row["detail"] == DetailName.PHONE and is_telephone(str(told["value"])):
        return False
    called = str(row[_NAME_COLUMN[model]]) if model in _NAME_COLUMN else ""
    return any(_is_sensitive(called if name == "value" else name, value) for name, value in told.items())


def _is_sensitive(name: str, value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(is_sensitive(str(key)) or _is_sensitive(str(key), one) for key, one in value.items())
    if isinstance(value, list):
        return any(_is_sensitive(name, one) for one in value) or is_sensitive_list(name, value)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return is_sensitive_named(name, str(value))
    return False
