"""The filter of recall, context and documents: its check, and its grammar for the OpenAPI document."""

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework.exceptions import ErrorDetail, ValidationError

from memory_platform.api.requests.fields import JsonObjectField
from memory_platform.kernel.errors import InvalidInput
from snapshots.knowledge.search.document_filter import DOCUMENT_FIELDS
from snapshots.recall.filtering.filter_grammar import (
    FIELDS,
    MAX_CONDITIONS,
    MAX_DEPTH,
    MAX_LIST,
    MAX_STRING,
    METADATA,
    OPERATORS,
    FieldType,
    FilterNode,
    parse_filter,
)

FILTER = "filter"
FILTER_HELP = (
    "Conditions that must hold. All fields of an object must hold; `and`, `or` and `not` combine filters. In "
    "comparisons of texts and topics case counts; `contains` finds a part of a text in any case, or a whole item of a "
    "list."
)
_TEXT = {"type": "string", "maxLength": MAX_STRING}
_VALUES: dict[FieldType, dict[str, Any]] = {
    "text": _TEXT,
    "list": _TEXT,
    "number": {"type": "number"},
    "time": {"type": "string", "format": "date-time"},
    "any": {"oneOf": [_TEXT, {"type": "number"}, {"type": "boolean"}]},
}
_OPERATOR_HELP = {
    "eq": "Equal to this value.",
    "ne": "Not equal to this value; also true where the field is missing.",
    "in": "Equal to one of these values.",
    "exists": "True: the field is there. False: it is missing.",
    "contains": "Contains this text.",
    "gt": "Greater or later than this value.",
    "gte": "Greater or later than this value, or equal.",
    "lt": "Less or earlier than this value.",
    "lte": "Less or earlier than this value, or equal.",
}


class FilterField(JsonObjectField):
    """A filter of memories: a JSON object outside, a checked tree inside."""

    noun: ClassVar[str] = "memory"
    component: ClassVar[str] = "Filter"
    filter_fields: ClassVar[Mapping[str, FieldType]] = FIELDS

    def to_internal_value(self, data: Any) -> FilterNode:  # type: ignore[override]  # JSON outside, a tree inside
        """Return the filter as a tree. Raises ValidationError that names the place in the filter."""
        try:
            return parse_filter(super().to_internal_value(data), field=FILTER, fields=self.filter_fields)
        except InvalidInput as refused:
            (fault,) = refused.faults
            detail = [ErrorDetail(fault.message, code=fault.code)]
            place = fault.field.removeprefix(FILTER).lstrip(".")
            raise ValidationError({place: detail} if place else detail) from None


class DocumentFilterField(FilterField):
    """A filter of documents."""

    noun = "document"
    component = "DocumentFilter"
    filter_fields = DOCUMENT_FIELDS


class FilterShape(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # registers itself
    """Puts the grammar into the components of its name and ``<Type>Condition``."""

    target_class = FilterField
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> Any:
        for name, schema in _components(self.target).items():
            component = ResolvedComponent(  # type: ignore[no-untyped-call]
                name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=name
            )
            auto_schema.registry.register_on_missing(component)
        return _ref(self.target.component)


def _components(target: FilterField) -> dict[str, dict[str, Any]]:
    filters = {"type": "array", "minItems": 1, "maxItems": MAX_CONDITIONS, "items": _ref(target.component)}
    grammar = {
        "type": "object",
        "description": f"{FILTER_HELP} At most {MAX_DEPTH} levels and {MAX_CONDITIONS} conditions. `{METADATA}<key>` "
        f"is a field of the {target.noun}'s metadata.",
        "minProperties": 1,
        "properties": {
            "and": {**filters, "description": "All of these filters hold."},
            "or": {**filters, "description": "At least one of these filters holds."},
            "not": {"allOf": [_ref(target.component)], "description": "This filter does not hold."},
            **{
                field: {**_ref(_condition_name(kind)), "description": f"Conditions on `{field}` of the {target.noun}."}
                for field, kind in target.filter_fields.items()
            },
        },
        "additionalProperties": _ref(_condition_name("any")),
    }
    return {target.component: grammar, **{_condition_name(kind): _condition(kind) for kind in OPERATORS}}


def _condition(kind: FieldType) -> dict[str, Any]:
    value = _VALUES[kind]
    special: dict[str, dict[str, Any]] = {
        "exists": {"type": "boolean"},
        "in": {"type": "array", "items": value, "maxItems": MAX_LIST},
    }
    return {
        "type": "object",
        "description": "Conditions on one field; all of them must hold.",
        "minProperties": 1,
        "properties": {
            name: {**special.get(name, value), "description": _OPERATOR_HELP[name]} for name in OPERATORS[kind]
        },
        "additionalProperties": False,
    }


def _condition_name(kind: FieldType) -> str:
    return f"{kind.capitalize()}Condition"


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
