"""Beliefs about a subject, on its page: profile, preferences, people and places, and the tenant's own fields."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from memory_platform.console.shared.config import SUBJECT_PAGE
from memory_platform.console.shared.headers.belief_names import label_category, label_fact, label_preference_key
from memory_platform.console.shared.value_rendering import (
    build_list_address,
    format_json_value,
    render_line,
    render_link,
    render_row_link,
    render_share_bar,
)
from memory_platform.console.subjects.page_section import (
    PageRows,
    PageSection,
    load_first_rows,
    load_sources,
    render_time_unless_said,
)
from memory_platform.console.subjects.past_moment import RequestedMoment
from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.selectors import preferences_at, profile_facts, tags_at, tags_known_at
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource
from snapshots.understanding.fields.requested_fields import load_active_fields

MAP_ADDRESS = "https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=17/{lat}/{lon}"


def build_belief_sections(subject: Subject, moment: RequestedMoment) -> dict[str, PageSection]:
    """Return the sections of profile, preferences, tags, and of the fields that the tenant's policy asks for."""
    most, at = SUBJECT_PAGE.max_beliefs, moment.selector_arguments
    facts, more_facts = load_first_rows(profile_facts(subject, **at).order_by("is_attribute", "field"), most)
    preferences, more_preferences = load_first_rows(preferences_at(subject, **at).order_by("category", "key"), most)
    tags_now, more_tags = load_first_rows(tags_at(subject, **at), most)
    details_now = {tag.pk: _list_details(tag) for tag in tags_now}
    tags: Sequence[Tag] = tags_known_at(tags_now, **at)
    sources = load_sources(
        subject,
        {
            ProfileFactSource: [fact.value_id for fact in facts],
            PreferenceSource: [preference.value_id for preference in preferences],
            TagSource: [tag.pk for tag in tags],
        },
    )
    profile_rows, field_rows = _render_facts(facts, sources)
    preference_rows = [
        {
            "category": label_category(one.category),
            **_render_belief(one, label_preference_key(one.key), sources),
        }
        for one in preferences
    ]
    tag_rows = [{**_render_tag(tag, sources), "changed": _list_details(tag) != details_now[tag.pk]} for tag in tags]
    lists = [build_list_address(model, subject=subject.pk) for model in (ProfileFact, Preference, Tag)]
    return {
        "profile": PageSection("profile", _("Profile"), profile_rows, lists[0], more_facts),
        "preferences": PageSection("preferences", _("Preferences"), preference_rows, lists[1], more_preferences),
        "tags": PageSection("tags", _("Places and contacts"), tag_rows, lists[2], more_tags),
        "fields": PageSection("fields", _("Your own fields"), field_rows, lists[0], more_facts),
    }


def _render_facts(facts: Sequence[ProfileFact], sources: Mapping[UUID, PageRows]) -> tuple[PageRows, PageRows]:
    """Return the rows of the profile, and those of the fields that the policy asks for."""
    asked = {field.name for field in load_active_fields()} if any(fact.is_attribute for fact in facts) else set()
    rows: tuple[PageRows, PageRows] = ([], [])
    for fact in facts:
        name = label_fact(fact)
        rows[fact.is_attribute and fact.field in asked].append(_render_belief(fact, name, sources))
    return rows


def _render_belief(row: ProfileFact | Preference, name: str, sources: Mapping[UUID, PageRows]) -> dict[str, Any]:
    return {
        "link": render_link(type(row), row.value_id, name),
        "value": render_line(format_json_value(row.value)),
        "changed": not row.is_current,
        "confidence": render_share_bar(row.confidence),
        "provenance": row.get_provenance_display(),
        "since": render_time_unless_said(row.valid_at, sources.get(row.value_id, [])),
        "until": row.invalid_at,
        "sources": sources.get(row.value_id, []),
    }


def _render_tag(tag: Tag, sources: Mapping[UUID, PageRows]) -> dict[str, Any]:
    placed = tag.lat is not None and tag.lon is not None
    return {
        "link": render_row_link(tag, tag.label),
        "kind": tag.get_kind_display(),
        "value": render_line(", ".join(_list_details(tag)[1:])),
        "map": MAP_ADDRESS.format(lat=f"{tag.lat:.6f}", lon=f"{tag.lon:.6f}") if placed else "",
        "confidence": render_share_bar(tag.confidence),
        "provenance": tag.get_provenance_display(),
        "sources": sources.get(tag.pk, []),
    }


def _list_details(tag: Tag) -> list[str]:
    return [tag.label, *(part for part in (tag.address, tag.phone, tag.relation) if part)]
