"""Translate filters into a condition on the table of snapshots, which lists and deletions use."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from uuid import UUID

from django.db.models import Q, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.db.models.lookups import IContains

from memory_platform.api.requests.path_and_query import own_id
from memory_platform.compat.mem0.filters.grammar import (
    ANYTHING,
    HOLDER_IDS,
    TIMES,
    FilterTest,
    FilterTree,
    list_tests,
    list_values,
)
from memory_platform.compat.mem0.memory_scope import MARKS, NO_RUN, PREFIX_PATTERN, PREFIXES, build_subject_id
from profiles.models import Subject, SubjectAlias

# Nothing, and everything: an empty Q would vanish from an OR.
NOTHING = Q(pk__in=[])
_COLUMNS = {
    "created_at": "recorded_at",
    "updated_at": "last_validated_at",
    "timestamp": "said_at",
    "expiration_date": "expires_at",
}

SubjectIds = Mapping[str, UUID]


def load_named_subjects(tree: FilterTree) -> SubjectIds:
    """Return the ids of the subjects that a filter names, by the product's id, in the open scope."""
    names = set[str]()
    for test in list_tests(tree):
        if test.field in HOLDER_IDS:
            values = list_values(test)
            names |= {build_subject_id(test.field.removesuffix("_id"), one) for one in values if one != ANYTHING}
    return load_subject_ids(sorted(names))


def load_subject_ids(names: Sequence[str]) -> SubjectIds:
    """Return the ids of subjects by the product's ids, also by those from before a join, in the open scope."""
    if not names:
        return {}
    own = dict(Subject.objects.filter(external_id__in=names, erasing=False).values_list("external_id", "id"))
    missing = [name for name in names if name not in own]
    aliases = SubjectAlias.objects.filter(external_id__in=missing).values_list("external_id", "subject_id")
    return {**dict(aliases), **own} if missing else own


def build_row_condition(tree: FilterTree, subjects: SubjectIds) -> Q:
    """Return the condition of a filter; ``subjects`` are those that :func:`load_named_subjects` found."""
    if isinstance(tree, FilterTest):
        return _build_test(tree, subjects)
    parts = [build_row_condition(part, subjects) for part in tree.parts]
    if not parts:
        return Q()
    if tree.join == "and":
        return reduce(and_, parts)
    either = reduce(or_, parts)
    return ~either if tree.join == "not" else either


def _build_test(test: FilterTest, subjects: SubjectIds) -> Q:
    if test.field in HOLDER_IDS:
        return _build_holder(test, subjects)
    if test.field in TIMES:
        return _build_time(_COLUMNS[test.field], test)
    return _BUILDERS[test.field](test)


def _build_holder(test: FilterTest, subjects: SubjectIds) -> Q:
    kind = test.field.removesuffix("_id")
    values = list_values(test)
    is_any = ANYTHING in values
    if kind == "user":
        held = Q(subject_id__in=[subjects[one] for one in values if one in subjects])
        if is_any:
            held |= ~Q(subject__external_id__regex=PREFIX_PATTERN)
    else:
        named = [subjects[name] for one in values if (name := build_subject_id(kind, one)) in subjects]
        held = Q(subject_id__in=named) | reduce(
            or_, [_has_mark(test.field, one) for one in values if one != ANYTHING], NOTHING
        )
        if is_any:
            held |= Q(metadata__has_key=MARKS[test.field]) | Q(subject__external_id__startswith=PREFIXES[kind])
        if kind == "run":
            held |= _build_run(values, is_any=is_any)
    return ~held if test.operator == "ne" else held


def _build_run(values: Sequence[str], *, is_any: bool) -> Q:
    if is_any:
        return Q(conversation__isnull=False) & ~Q(conversation__external_id=NO_RUN)
    return Q(conversation__external_id__in=[one for one in values if one != NO_RUN])


def _has_mark(field: str, value: object) -> Q:
    return Q(metadata__contains={MARKS[field]: value})


def _build_time(column: str, test: FilterTest) -> Q:
    if test.operator == "ne":
        return ~Q(**{column: test.value})
    return Q(**{f"{column}__{test.operator}": list(test.value) if test.operator == "in" else test.value})


def _build_text(test: FilterTest) -> Q:
    if test.operator in ("contains", "icontains"):
        return Q(text__icontains=test.value)
    if test.operator == "in":
        return Q(text__in=test.value)
    return ~Q(text=test.value) if test.operator == "ne" else Q(text=test.value)


def _build_categories(test: FilterTest) -> Q:
    values = list_values(test)
    marked = [Q(metadata__contains={MARKS["categories"]: [one]}) for one in values]
    return reduce(or_, marked, Q(topics__overlap=list(values)) | Q(category__in=values))


def _build_metadata(test: FilterTest) -> Q:
    if test.operator == "contains" and isinstance(test.value, str):
        text = Coalesce(KeyTextTransform(test.key, "metadata"), Value(""), output_field=TextField())
        return Q(IContains(text, test.value))
    held = Q(metadata__contains={test.key: test.value})
    return ~held if test.operator == "ne" else held


def _build_ids(test: FilterTest) -> Q:
    return Q(id__in=[own_id(one) for one in test.value])


_BUILDERS: Mapping[str, Callable[[FilterTest], Q]] = {
    "text": _build_text,
    "keywords": _build_text,
    "keywords_search": _build_text,
    "categories": _build_categories,
    "metadata": _build_metadata,
    "memory_ids": _build_ids,
}
