"""The people that a search has found, as pages list them."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.code_labels import label_field
from memory_platform.console.shared.rendering import render_line
from memory_platform.console.subjects.subject_search import SearchableValue, SubjectSearchResult

MATCH_KIND_LABELS = {"id": _("subject id"), "tag": _("tag")}


def render_hits(findings: SubjectSearchResult, page: str = "profiles_subject_change") -> list[dict[str, Any]]:
    """Return the people found, each with the address of one of their pages."""
    return [
        {
            "address": reverse(f"admin:{page}", args=[found.subject.pk]),
            "id": found.subject.external_id,
            "name": found.name,
            "why": [{"what": label_match(told), "text": render_line(told.text)} for told in found.why],
        }
        for found in findings.people
    ]


def label_match(value: SearchableValue) -> str:
    if value.kind in MATCH_KIND_LABELS:
        return str(MATCH_KIND_LABELS[value.kind])
    return label_field(value.name, is_attribute=value.kind == "attribute")
