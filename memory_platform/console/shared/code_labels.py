"""Labels of the platform's codes, and counts of stored rows in words. An unknown code (a product's own, or a hostile
one) is shown as it is."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from memory_platform.console.shared.value_rendering import EMPTY_VALUE, format_json_value, make_column, render_value
from snapshots.models import StepStatus

DECISION_LABELS = {
    "kept": _("kept"),
    "over_budget": _("over the budget"),
    "duplicate_of_window": _("already in the window"),
    "duplicate_of_profile": _("already in the profile"),
    "duplicate_of_memory": _("already in another memory"),
    "untrusted_instruction": _("instruction from an untrusted source"),
    "below_floor": _("not similar enough to the question"),
    "not_needed": _("the question needs no memory"),
    "expired": _("expired"),
}
GUARDRAIL_LABELS = {
    "instruction": _("instruction"),
    "forged_memory": _("forged memory"),
    "unseen_characters": _("invisible characters"),
}
VERDICT_REASON_LABELS = {
    "weaker_than_current": _("less certain than the known value"),
    "older": _("older than the known value"),
    "not_a_list": _("not a list"),
    "evidence_missing": _("evidence missing"),
    "not_the_subject": _("not about this person"),
    "not_asserted": _("not stated as true"),
    "one_off": _("only temporary"),
    "schema": _("malformed"),
    "sensitive": _("sensitive"),
    "forgotten": _("forgotten"),
    "instruction": _("instruction"),
    "object_unknown": _("refers to nothing known"),
    "absent": _("did not exist"),
    "removed": _("removed"),
    "new": _("new"),
    "added": _("added to the known values"),
    "replaced": _("replaced the known value"),
    "duplicate": _("known already"),
    "contradiction": _("contradicts a known value"),
    "no_lasting_words": _("believed without lasting words to support it; rejecting retires it"),
    "unsure": _("not certain enough"),
    "unsupported": _("only guessed by a model"),
    "declined": _("rejected by a person"),
    "echo": _("repeats a memory"),
}
SORT_LABELS = {
    "explicit": _("explicit"),
    "implicit": _("implicit"),
    "change": _("change"),
    "constraint": _("constraint"),
}
INTENT_LABELS = {
    "small_talk": _("small talk"),
    "recommendation": _("recommendation"),
    "complaint": _("complaint"),
    "knowledge": _("knowledge"),
    "preference_confirmation": _("preference confirmation"),
    "navigation": _("navigation"),
    "task": _("task"),
    "general": _("general"),
}
PHASE_LABELS = {
    "opening": _("opening"),
    "in_depth": _("in depth"),
    "task_execution": _("task execution"),
    "confirmation": _("confirmation"),
    "after_sales": _("after sales"),
}
DEGRADED_LABELS = {
    "embedding_unavailable": _("embedding unavailable"),
    "pgvector_unavailable": _("vector search unavailable"),
    "redis_unavailable": _("Redis unavailable"),
    "documents_unavailable": _("documents could not be searched"),
    "rerank_timeout": _("reranking timed out"),
    "rerank_unconfigured": _("no reranker configured"),
    "rewrite_unconfigured": _("no rewriting model configured"),
    "rewrite_timeout": _("rewriting timed out"),
    "judge_unconfigured": _("no judging model configured"),
    "judge_timeout": _("judging timed out"),
    "grounding_timeout": _("checking sentences timed out"),
    "understanding_timeout": _("understanding the turn timed out"),
    "replica_lag": _("replica behind"),
    "ann_truncated": _("search cut short"),
}
SECTION_LABELS = {
    "system": _("system"),
    "guide": _("guidance"),
    "profile": _("profile"),
    "memory": _("memory"),
    "summary": _("summary"),
    "window": _("window"),
    "query": _("question"),
    "preferences": _("preferences"),
    "tags": _("tags"),
    "snapshots": _("snapshots"),
    "notes": _("notes"),
    "replies": _("assistant's words"),
    "documents": _("documents"),
    "tasks": _("tasks"),
    "user": _("user"),
    "assistant": _("assistant"),
    "tool": _("tool"),
}
KIND_LABELS = {
    "conversation": _("conversation"),
    "segment": _("segment"),
    "statement": _("statement"),
    "reply": _("assistant's words"),
    "episode": _("episode"),
    "note": _("note"),
    "consolidated": _("consolidated"),
    "manual": _("manual"),
    "preference": _("preference"),
    "tag": _("tag"),
    "place": _("place"),
    "contact": _("contact"),
}
# What previews of jobs count.
PREVIEW_COUNT_LABELS = {
    "abandoned": _("abandoned"),
    "asks": _("questions to people"),
    "blocks": _("blocks"),
    "candidates": _("proposals"),
    "changed": _("changed"),
    "chunks": _("chunks"),
    "conversations": _("conversations"),
    "corrected": _("corrected"),
    "dead": _("given up"),
    "disliked": _("disliked"),
    "due": _("due"),
    "ended_jobs": _("ended jobs"),
    "ended_keys": _("ended API keys"),
    "events": _("events"),
    "fast_lane_changes": _("immediate corrections"),
    "gone": _("not found"),
    "groups": _("groups"),
    "idempotent_replies": _("stored API replies"),
    "injections": _("included memories"),
    "jobs": _("jobs"),
    "liked": _("liked"),
    "memories": _("memories"),
    "memory_acts": _("staff actions"),
    "messages": _("messages"),
    "model_usage": _("model usage"),
    "orders": _("orders to forget"),
    "of them heard of": _("of these, with feedback"),
    "outdated": _("outdated"),
    "receipt_texts": _("texts of receipts"),
    "checkpoints": _("checkpoints"),
    "ended_items": _("store items whose life has ended"),
    "threads": _("threads of agents"),
    "thread_tombstones": _("tombstones of deleted threads"),
    "receipts": _("receipts"),
    "records": _("audit records"),
    "requests": _("requests"),
    "spaces": _("embedding spaces"),
    "stale": _("stale"),
    "subjects": _("subjects"),
    "tenant": _("tenant"),
    "tenants": _("tenants"),
    "tool_saves": _("memories saved by tools"),
    "webhook_deliveries": _("deliveries of webhooks"),
    "unread": _("not read yet"),
    "unsigned": _("unsigned"),
    "vectors": _("vectors"),
    "words": _("words"),
    "work": _("work items"),
}
ERROR_LABELS = {"lease_expired": _("the worker stopped or took too long")}
# One word per code: a code means the same wherever it stands.
CODE_LABELS: dict[str, Any] = {
    **KIND_LABELS,
    **SECTION_LABELS,
    **DECISION_LABELS,
    **GUARDRAIL_LABELS,
    **VERDICT_REASON_LABELS,
    **SORT_LABELS,
    **INTENT_LABELS,
    **PHASE_LABELS,
    **DEGRADED_LABELS,
    **PREVIEW_COUNT_LABELS,
    **ERROR_LABELS,
}
# Rows whose values a filter offers.
SCANNED_ROWS = 1_000


def render_code(code: str | None) -> str:
    """Return the label of a code, or the labels of several codes joined by commas; "" for None."""
    parts = (code or "").split(",")
    # A hostile code may hold commas itself: with an unknown part, the separators stay as they are.
    return (", " if CODE_LABELS.keys() >= set(parts) else ",").join(str(CODE_LABELS.get(part, part)) for part in parts)


def make_code_column(path: str, title: Any) -> Any:
    """Return a column or page field that shows the label of a code and sorts by the code."""
    return make_column(path, lambda code: render_code(code) or EMPTY_VALUE, title, order=path)


class OccurringValuesFilter(admin.AllValuesFieldListFilter):
    """Filters by one of the values in the newest :data:`SCANNED_ROWS` rows, or by the one already chosen. The values of
    a whole table would be read from each of its rows."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        newest = model_admin.get_queryset(request).order_by(*model_admin.get_ordering(request))
        seen = {*newest.values_list(field_path, flat=True)[:SCANNED_ROWS], *(self.lookup_val or ())}
        self.lookup_choices: Any = sorted(seen)

    def has_output(self) -> bool:
        """Return whether there is anything to choose: not if no row has a value."""
        return any(self.lookup_choices) or self.lookup_val is not None

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            yield {**choice, "display": choice["display"] or _("none")}


class OccurringCodesFilter(OccurringValuesFilter):
    """Filters by one of the codes that occur, each shown by its label."""

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            yield {**choice, "display": render_code(str(choice["display"]))}


def render_step_counts(steps: Sequence[Any]) -> str:
    """Return how many steps of a task's plan are done, of how many."""
    done = sum(step.get("status") == StepStatus.COMPLETED for step in steps)
    return f"{done}/{len(steps)}" if steps else EMPTY_VALUE


def render_counts(counts: Any) -> str:
    """Return numbers by name, or by name and kind, as an HTML table; anything else as its value."""
    if not isinstance(counts, dict) or not counts:
        return render_value(counts)
    flat: list[tuple[str, Any]] = []
    for name, value in counts.items():
        if isinstance(value, dict):
            flat += [(f"{name_count(name)}: {name_count(kind)}", number) for kind, number in value.items()]
        else:
            flat.append((name_count(name), value))
    rows = format_html_join(
        "",
        '<tr><th scope="row"><bdi>{}</bdi></th><td class="number">{}</td></tr>',
        ((name, f"{value:,}" if isinstance(value, int) else format_json_value(value)) for name, value in flat),
    )
    return format_html('<table class="console-table"><tbody>{}</tbody></table>', rows)


def name_count(name: str) -> str:
    """Return the label of a count; an unknown one without its underscores."""
    return str(CODE_LABELS.get(name, name.replace("_", " ")))


# The phrase of each table, in the order of the list.
TABLE_PHRASES: Mapping[str, Any] = {
    "conversation": ngettext_lazy("%(count)d conversation", "%(count)d conversations", "count"),
    "message": ngettext_lazy("%(count)d message", "%(count)d messages", "count"),
    "profile_fact": ngettext_lazy(
        "%(count)d value of the profile, earlier ones included",
        "%(count)d values of the profile, earlier ones included",
        "count",
    ),
    "preference": ngettext_lazy(
        "%(count)d preference, earlier ones included", "%(count)d preferences, earlier ones included", "count"
    ),
    "tag": ngettext_lazy("%(count)d person or place", "%(count)d people and places", "count"),
    "snapshot": ngettext_lazy("%(count)d snapshot", "%(count)d snapshots", "count"),
    "note": ngettext_lazy("%(count)d of them is a note", "%(count)d of them are notes", "count"),
    "receipt": ngettext_lazy("%(count)d answer", "%(count)d answers", "count"),
    "task": ngettext_lazy("%(count)d task of the assistant", "%(count)d tasks of the assistant", "count"),
    "candidate": ngettext_lazy("%(count)d proposal", "%(count)d proposals", "count"),
    "ask": ngettext_lazy("%(count)d question to the person", "%(count)d questions to the person", "count"),
    "work": ngettext_lazy("%(count)d work item in the queue", "%(count)d work items in the queue", "count"),
}


def describe_counts(counts: Mapping[str, int]) -> list[str]:
    """Return one phrase for each table of ``counts``, and one for all tables whose names tell people nothing."""
    told = [str(phrase % {"count": counts[name]}) for name, phrase in TABLE_PHRASES.items() if counts.get(name)]
    # The subject's own row is the person, not a part of what is stored.
    rest = sum(rows for name, rows in counts.items() if name not in TABLE_PHRASES and name != "subject")
    if rest:
        text = ngettext(
            "%(count)d further row: search words, links, counters and copies",
            "%(count)d further rows: search words, links, counters and copies",
            rest,
        )
        told.append(text % {"count": rest})
    return told
