"""Translate filters for recall, which searches one subject: tests of users are decided, the others become recall's own.

Recall may find more than the filter allows, never less: conditions that it cannot test are left open, and the rows
found are tested again.
"""

from dataclasses import dataclass
from typing import Any

from memory_platform.compat.mem0.filters.grammar import ANYTHING, HOLDER_IDS, TIMES, FilterTest, FilterTree, list_values
from memory_platform.compat.mem0.memory_scope import MARKS, NO_RUN, build_subject_id, split_subject_id
from snapshots.recall.filtering.filter_grammar import METADATA, AllOf, AnyOf, Condition, FilterNode, NotOf, is_number

_FIELDS = {"created_at": "created_at", "timestamp": "said_at", "expiration_date": "expires_at"}


@dataclass(frozen=True, slots=True)
class RecallCondition:
    """A condition for one subject: ``node`` is tested by recall; None stands for ``holds``, for every memory or none.

    ``exact``: it lets through exactly the rows that the filter allows. An inexact one lets more through.
    """

    node: FilterNode | None = None
    holds: bool = True
    exact: bool = True


OPEN = RecallCondition(exact=False)


def build_recall_condition(tree: FilterTree, subject_names: frozenset[str]) -> RecallCondition:
    """Return the condition of a filter for the subject that the product calls by these ids."""
    if isinstance(tree, FilterTest):
        return _build_test(tree, subject_names)
    parts = [build_recall_condition(part, subject_names) for part in tree.parts]
    if tree.join == "and":
        return _join_all(parts)
    either = _join_any(parts)
    return _negate(either) if tree.join == "not" else either


def _join_all(parts: list[RecallCondition]) -> RecallCondition:
    exact = all(part.exact for part in parts)
    if any(part.node is None and not part.holds for part in parts):
        return RecallCondition(holds=False)
    nodes = tuple(part.node for part in parts if part.node is not None)
    if not nodes:
        return RecallCondition(exact=exact)
    return RecallCondition(nodes[0] if len(nodes) == 1 else AllOf(nodes), exact=exact)


def _join_any(parts: list[RecallCondition]) -> RecallCondition:
    exact = all(part.exact for part in parts)
    if any(part.node is None and part.holds for part in parts):
        return RecallCondition(exact=any(part.node is None and part.holds and part.exact for part in parts))
    nodes = tuple(part.node for part in parts if part.node is not None)
    if not nodes:
        return RecallCondition(holds=False, exact=exact)
    return RecallCondition(nodes[0] if len(nodes) == 1 else AnyOf(nodes), exact=exact)


def _negate(condition: RecallCondition) -> RecallCondition:
    if not condition.exact:
        return OPEN
    if condition.node is None:
        return RecallCondition(holds=not condition.holds)
    return RecallCondition(NotOf(condition.node))


def _build_test(test: FilterTest, subject_names: frozenset[str]) -> RecallCondition:
    if test.field in HOLDER_IDS:
        return _build_holder(test, subject_names)
    if test.field in TIMES:
        return _build_time(test)
    if test.field == "metadata":
        return _build_metadata(test)
    return OPEN


def _build_holder(test: FilterTest, subject_names: frozenset[str]) -> RecallCondition:
    kind = test.field.removesuffix("_id")
    values = list_values(test)
    is_own = any(build_subject_id(kind, one) in subject_names for one in values)
    if kind == "user":
        is_user = any(split_subject_id(name)[0] == "user" for name in subject_names)
        held = is_own or (ANYTHING in values and is_user)
        return RecallCondition(holds=held != (test.operator == "ne"))
    if ANYTHING in values:
        return OPEN
    if is_own:
        return RecallCondition(holds=test.operator != "ne")
    tests: list[FilterNode] = [Condition(METADATA + MARKS[test.field], "in", tuple(values))]
    if kind == "run":
        tests += (
            [Condition("conversation_id", "in", named)]
            if (named := tuple(one for one in values if one != NO_RUN))
            else []
        )
    held_node = tests[0] if len(tests) == 1 else AnyOf(tuple(tests))
    return RecallCondition(NotOf(held_node) if test.operator == "ne" else held_node)


def _build_time(test: FilterTest) -> RecallCondition:
    if test.field not in _FIELDS:
        return OPEN
    return RecallCondition(Condition(_FIELDS[test.field], test.operator, test.value))


def _build_metadata(test: FilterTest) -> RecallCondition:
    if not _is_scalar(test.value) or test.operator != "eq":
        return OPEN
    return RecallCondition(Condition(METADATA + test.key, "eq", test.value), exact=False)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | bool) or is_number(value)
