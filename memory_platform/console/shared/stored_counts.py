"""Counts of rows in plain words: the tables that people know by name, and a sum of the rest."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import ngettext, ngettext_lazy

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
