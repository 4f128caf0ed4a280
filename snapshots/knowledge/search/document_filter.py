"""A filter on documents as a condition in SQL, with the meaning that filters of memories have.

Each condition is true or false, never null: a field that is missing matches only ``ne`` and ``exists: false``. What
``Document.answering`` holds goes first: it belongs to the text that is searched.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from snapshots.recall.filtering.filter_grammar import (
    METADATA,
    AllOf,
    AnyOf,
    Condition,
    EvaluatedPart,
    FieldType,
    FilterNode,
    FilterValue,
    NotOf,
)

DOCUMENT_FIELDS: Mapping[str, FieldType] = {
    "document_id": "text",
    "title": "text",
    "collection": "text",
    "content_type": "text",
    "source_url": "text",
    "created_at": "time",
    "updated_at": "time",
}
_COLUMNS = {
    "document_id": "d.external_id",
    "title": "coalesce(d.answering ->> 'title', nullif(d.title, ''), nullif(d.found_title, ''), d.external_id)",
    "collection": "(SELECT k.external_id FROM document_collection k WHERE k.tenant_id = d.tenant_id"
    " AND k.id = coalesce((d.answering ->> 'collection')::uuid, d.collection_id))",
    "content_type": "coalesce(d.answering ->> 'content_type', d.content_type)",
    "source_url": "nullif(coalesce(d.answering ->> 'source_url', d.source_url), '')",
    "created_at": "d.created_at",
    "updated_at": "d.updated_at",
}
_ORDERS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def build_document_condition(node: FilterNode, values: list[Any]) -> str:
    """Return the condition on the document ``d``; its values are appended to those of the statement."""
    if isinstance(node, EvaluatedPart):
        raise TypeError("A filter of documents has no part that was evaluated for memories.")
    if isinstance(node, NotOf):
        return f"NOT {build_document_condition(node.part, values)}"
    if isinstance(node, AllOf | AnyOf):
        join = " AND " if isinstance(node, AllOf) else " OR "
        return f"({join.join(build_document_condition(part, values) for part in node.parts)})"
    if node.field.startswith(METADATA):
        name = _bind(values, node.field.removeprefix(METADATA), "text")
        json_at = f"(coalesce(d.answering -> 'metadata', d.metadata) -> {name})"
        return _build_json_condition(json_at, node, values)
    kind = "timestamptz" if DOCUMENT_FIELDS[node.field] == "time" else "text"
    return _build_column_condition(_COLUMNS[node.field], kind, node, values)


def _build_column_condition(column: str, kind: str, one: Condition, values: list[Any]) -> str:
    if one.operator == "exists":
        return f"({column} IS NOT NULL) = {_bind(values, one.value, 'boolean')}"
    if one.operator == "ne":
        return f"{column} IS DISTINCT FROM {_bind(values, one.value, kind)}"
    if isinstance(one.value, tuple):
        return f"coalesce({column} = ANY({_bind(values, list(one.value), f'{kind}[]')}), false)"
    value = _bind(values, one.value, kind)
    if one.operator == "contains":
        return f"coalesce({_contain(column, value)}, false)"
    return f"coalesce({column} {_ORDERS.get(one.operator, '=')} {value}, false)"


def _build_json_condition(json_at: str, one: Condition, values: list[Any]) -> str:
    """Lists equal each value that they hold; values of two kinds have no order."""
    if one.operator == "exists":
        return f"coalesce(jsonb_typeof({json_at}) <> 'null', false) = {_bind(values, one.value, 'boolean')}"
    if isinstance(one.value, tuple):
        some = _bind(values, [orjson.dumps(each).decode() for each in one.value], "jsonb[]")
        return f"coalesce({json_at} @> ANY({some}), false)"  # reads the metadata once, however many values there are
    if one.operator in ("eq", "ne"):
        return f"{'NOT ' if one.operator == 'ne' else ''}{_equal(json_at, one.value, values)}"
    text, is_text = f"({json_at} #>> '{{}}')", isinstance(one.value, str)
    if one.operator == "contains":
        part = f"WHEN 'string' THEN {_contain(text, _bind(values, one.value, 'text'))} " if is_text else ""
        return (
            f"CASE jsonb_typeof({json_at}) {part}WHEN 'array' THEN {_equal(json_at, one.value, values)} ELSE false END"
        )
    order = _ORDERS[one.operator]
    if is_text:
        compared = f"WHEN 'string' THEN {text} COLLATE \"C\" {order} {_bind(values, one.value, 'text')}"
    elif isinstance(one.value, bool):
        return f"({json_at} IS NULL AND false)"  # each value that is bound must be used
    else:
        compared = f"WHEN 'number' THEN {json_at} {order} {_bind_json(values, one.value)}"
    return f"CASE jsonb_typeof({json_at}) {compared} ELSE false END"


def _equal(json_at: str, value: object, values: list[Any]) -> str:
    return f"coalesce({json_at} @> {_bind_json(values, value)}, false)"


def _contain(text: str, part: str) -> str:
    return f'strpos(lower({text} COLLATE "default"), lower({part})) > 0'


def _bind_json(values: list[Any], value: object) -> str:
    return _bind(values, orjson.dumps(value).decode(), "jsonb")


def _bind(values: list[Any], value: FilterValue | list[FilterValue] | Any, kind: str) -> str:
    values.append(value)
    return f"${len(values)}::{kind}"
