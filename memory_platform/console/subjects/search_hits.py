"""The people that a search has found, as pages list them."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.shared.headers.belief_names import label_field
from memory_platform.console.shared.value_rendering import build_list_address, render_line
from memory_platform.console.subjects.people_overview import load_people
from memory_platform.console.subjects.subject_search import SearchableValue, SubjectSearchResult, parse_query
from profiles.models import Preference
from snapshots.models import Conversation, Message, Note, Receipt

MATCH_KIND_LABELS = {"id": _("id"), "tag": _("place or contact")}


PERSON_PAGE = "profiles_subject_change"


def render_hits(findings: SubjectSearchResult, page: str = PERSON_PAGE) -> list[dict[str, Any]]:
    """Return the people found, each with the address of one of their pages. One query."""
    known = {one.id: one for one in load_people([found.subject.pk for found in findings.people])}
    return [
        {
            "address": reverse(f"admin:{page}", args=[found.subject.pk]),
            "id": found.subject.external_id,
            "name": found.name,
            "about": known.get(found.subject.pk),
            "acts": _list_ways(found.subject.pk) if page == PERSON_PAGE else [],
            "why": [{"what": label_match(told), "text": render_line(told.text)} for told in found.why],
        }
        for found in findings.people
    ]


def _list_ways(subject_id: UUID) -> list[tuple[str, str]]:
    """Return the lists of one person that staff look for most, each with its address."""
    lists = ((_("Answers"), Receipt), (_("Conversations"), Conversation), (_("Notes"), Note))
    return [(str(name), build_list_address(model, subject=subject_id)) for name, model in lists]


def describe_findings(query: str, findings: SubjectSearchResult) -> str:
    """Return how many people match which words, as a heading."""
    count, words = len(findings.people), {"count": len(findings.people), "words": query.strip()}
    if findings.more:
        return str(_("More than %(count)d people match “%(words)s”") % words)
    return ngettext("%(count)d person matches “%(words)s”", "%(count)d people match “%(words)s”", count) % words


def list_other_searches(query: str) -> list[tuple[str, str]]:
    """Return the lists of people's words, each with its address that looks for the same words there."""
    return [
        (str(capfirst(model._meta.verbose_name_plural)), build_list_address(model) + urlencode({"q": query.strip()}))
        for model in (Preference, Note, Message)
    ]


def is_only_match(query: str, findings: SubjectSearchResult) -> bool:
    """Return whether a search found one person, who has the words as they were typed. An id with a typo in it may be
    somebody else's."""
    if len(findings.people) != 1 or findings.more or findings.partly or findings.stopped:
        return False
    known, wanted = findings.people[0].subject.search_text, parse_query(query)
    return all(word in known for word in wanted.words) or wanted.joined in known


def label_match(value: SearchableValue) -> str:
    if value.kind in MATCH_KIND_LABELS:
        return str(MATCH_KIND_LABELS[value.kind])
    return label_field(value.name, is_attribute=value.kind == "attribute")
