"""Facts on the page of a candidate: its evidence, and the values that it would replace or that it contradicts."""

from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.headers.belief_names import ATTRIBUTE_PREFIX, label_belief, label_target
from memory_platform.console.shared.headers.memory_sentences import (
    describe_fact,
    describe_preference,
    describe_tag,
    load_subject_name,
)
from memory_platform.console.shared.value_rendering import (
    format_json_value,
    mark_span,
    render_named,
    render_row_link,
    render_share_bar,
    render_text,
    render_value,
    render_word,
)
from memory_platform.console.transcript.message_links import render_message_link
from profiles.models import Candidate, CandidateKind, Preference, ProfileFact, Tag
from profiles.services.profile import FactName
from profiles.services.quantities import is_measured
from profiles.services.tags.tags import CLEARABLE
from profiles.services.value_claims import have_same_value
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Message
from snapshots.understanding.believing.belief_reviews import NO_LASTING_WORDS
from snapshots.understanding.believing.candidate_review import load_source_messages

# Messages shown around the evidence.
MESSAGES_BEFORE, MESSAGES_AFTER = 2, 1


def describe_effect(row: Candidate, against: Sequence[Any]) -> str:
    """Return in a sentence which value accepting a candidate replaces; "" if it replaces none."""
    if row.reason == NO_LASTING_WORDS:
        return ""
    if row.kind == CandidateKind.TAG:
        tags = [one for one in against if isinstance(one, Tag)]
        steps = [(getattr(tag, name, ""), value) for tag in tags for name, value in get_proposed_tag(row).items()]
        changed = [(format_json_value(old), format_json_value(new)) for old, new in steps if old and old != new]
    else:
        # An entry of a list replaces no other.
        is_single = (row.proposal or {}).get("mode") in (None, "set", "overwrite")
        beliefs = [one for one in against if is_single and not isinstance(one, Tag) and _name_place(one) == row.target]
        steps = [(one.value, row.value) for one in beliefs if not have_same_value(one.value, row.value)]
        changed = [(format_json_value(old), format_json_value(new)) for old, new in steps]
    pattern = _("Accepting replaces {} with {}.")
    return format_html_join(" ", "{}", ((format_html(pattern, *map(render_word, one)),) for one in changed))


def _name_place(belief: Any) -> str:
    if isinstance(belief, Preference):
        return f"{belief.category}/{belief.key}"
    return FactName(belief.field, is_attribute=belief.is_attribute).path


def load_evidence_messages(row: Candidate) -> list[dict[str, Any]]:
    """Return the candidate's source message with its quote marked, and the messages around it."""
    message = load_source_messages([row]).get(row.message_ref) if row.message_ref else None
    if message is None:
        return []
    quote = row.quote_start, row.quote_end
    around = Message.objects.filter(
        subject_id=row.subject_id,
        conversation_id=message.conversation_id,
        seq__gte=message.seq - MESSAGES_BEFORE,
        seq__lte=message.seq + MESSAGES_AFTER,
    )
    return [
        {
            "who": one.get_role_display(),
            "at": one.said_at,
            "link": render_message_link(one),
            "is_evidence": one.id == message.id,
            "words": mark_span(one.content or "", *quote) if one.id == message.id else one.content or "",
        }
        for one in add_archived_words(list(around.order_by("seq")))
    ]


def render_candidate_facts(row: Candidate) -> list[tuple[Any, Any]]:
    return [
        (_("Would become"), _name_target(row)),
        (_("value"), _render_proposed_value(row)),
        (_("Why it waits"), render_code(row.reason)),
        (_("confidence"), render_share_bar(row.confidence)),
        (_("provenance"), row.get_provenance_display()),
    ]


def _name_target(row: Candidate) -> Any:
    kind = row.get_kind_display()
    return render_named(kind, label_target(row.kind, row.target)) if row.target else kind


def _render_proposed_value(row: Candidate) -> str:
    """Return the value as words: "24 °C", "office, 88 Mill Avenue"; a nested value of a product as it is."""
    if row.value is None:
        return render_word(", ".join(map(format_json_value, get_proposed_tag(row).values())))
    return render_text(format_json_value(row.value)) if is_measured(row.value) else render_value(row.value)


def render_contradicted_belief(belief: Any) -> dict[str, Any]:
    is_tag = isinstance(belief, Tag)
    says_now = (
        ", ".join(filter(None, (belief.address, belief.phone, belief.relation)))
        if is_tag
        else format_json_value(belief.value)
    )
    return {
        "link": render_row_link(belief, belief.label if is_tag else label_belief(belief)),
        "says": render_word(says_now),
        "confidence": render_share_bar(belief.confidence),
        "provenance": belief.get_provenance_display(),
        "since": belief.created_at if is_tag else belief.valid_at,
    }


def summarize_candidate(row: Candidate) -> str:
    value = format_json_value(row.value if row.value is not None else get_proposed_tag(row))
    return ": ".join(filter(None, (label_target(row.kind, row.target), value)))


def describe_candidate(row: Candidate) -> str:
    """Return the memory that a candidate would become, as a sentence: "Ada’s climate preference: temperature: 23 °C";
    "" if its words were erased."""
    who, details = load_subject_name(row.subject), get_proposed_tag(row)
    if row.kind == CandidateKind.TAG:
        shown = {name: str(details[name]) for name in ("kind", "relation", "address", "phone") if name in details}
        return describe_tag(Tag(label=row.target, **shown), who) if row.target else ""
    if not row.target or row.value is None:
        return ""
    if row.kind == CandidateKind.PREFERENCE:
        category, _slash, key = row.target.partition("/")
        return describe_preference(Preference(category=category, key=key, value=row.value), who)
    name, is_attribute = row.target.removeprefix(ATTRIBUTE_PREFIX), row.target.startswith(ATTRIBUTE_PREFIX)
    return describe_fact(ProfileFact(field=name, is_attribute=is_attribute, value=row.value), who)


def get_proposed_tag(row: Candidate) -> dict[str, Any]:
    known = row.proposal or {}
    return {name: known[name] for name in (*CLEARABLE, "kind") if known.get(name)}
