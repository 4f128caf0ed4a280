"""Base classes of inputs, which refuse unknown fields, and of outputs, which render answers."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, ClassVar, cast

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request

from memory_platform.api.requests.fields import ProductIdField, QueryText, RoundedField, TextField
from memory_platform.api.requests.json_guard import printable_key

# Known fields that an error lists.
NAMES_SHOWN = 20


class StrictSerializer(serializers.Serializer[Any]):
    """Unknown fields are faults, and null in an optional field means absent.

    A field named ``from_`` is called ``from`` outside.
    """

    null_is_absent: ClassVar[bool] = True
    default_error_messages: ClassVar[dict[str, Any]] = {"invalid": "Must be a JSON object."}

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = {name.removesuffix("_"): field for name, field in super().get_fields().items()}
        for field in fields.values():
            field.error_messages.update(required="This field is required.", null="Must not be null.")
            field.allow_null = self.null_is_absent and not field.required
        return fields

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            message = f"Must be a JSON object. {describe_allowed_fields(self.fields)}"
            raise ValidationError([ErrorDetail(message, code="not_an_object")])
        unknown = [key for key in data if key not in self.fields]
        # Once: a body may hold a thousand unknown keys.
        hints = chain([f" {describe_allowed_fields(self.fields)}"], repeat(""))
        faults: dict[str, Any] = {
            printable_key(str(key)): [ErrorDetail(f"This field is unknown.{hint}", code="unknown_field")]
            for key, hint in zip(unknown, hints, strict=False)
        }
        given = {key: value for key, value in data.items() if value is not None and key in self.fields}
        value: dict[str, Any] = {}
        try:
            value = super().to_internal_value(given)
        except ValidationError as error:
            faults |= dict(error.detail)  # type: ignore[arg-type]  # of an object it is always a dictionary
        if faults:
            raise ValidationError(faults)
        return value


class Input(StrictSerializer):
    """The body of a request."""

    @classmethod
    def parse(cls, request: Request) -> dict[str, Any]:
        """Return the values of the body without absent fields that have no default. Raises ValidationError."""
        return dict(_get_shared_serializer(cls).run_validation(request.data))


class NothingInput(Input):
    """The body of a request without fields: nothing, or an empty object."""


class QueryInput(StrictSerializer):
    """The query string of a request. A parameter is given once, unless it is a list."""

    null_is_absent = False  # there is no null in a query string

    @classmethod
    def parse(cls, request: Request) -> dict[str, Any]:
        """Return the values of the query without absent ones that have no default. Raises ValidationError."""
        serializer = _get_shared_serializer(cls)
        return dict(serializer.run_validation(_query_values(serializer, request)))


class NoQueryInput(QueryInput):
    """The query string of a request that takes no parameters."""


class Output(serializers.Serializer[Any]):
    """An answer, declared once: the OpenAPI document reads its fields, and ``render`` fills them.

    Each field is read from the attribute of its name, or from ``source=`` (a dotted path; ``*`` is the object itself),
    or from the static method ``render_<field>``, which takes the object. A nested output renders that value. A nullable
    text shows an empty string as null; a field with ``required=False`` is left out when it is None. A field named
    ``data_`` is called ``data`` outside.
    """

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name.removesuffix("_"): field for name, field in super().get_fields().items()}

    @classmethod
    def render(cls, source: Any, **members: Any) -> dict[str, Any]:
        """Return ``source`` as JSON-ready members; those in ``members`` are taken as they are, not read from
        ``source``. A dictionary is taken for an answer that is rendered already."""
        if isinstance(source, dict):
            return {**source, **members}
        plan = _build_render_plan(cls)
        if members and not members.keys() <= plan.keys():
            raise TypeError(f"{cls.__name__} has no field {', '.join(members.keys() - plan.keys())}")
        answer: dict[str, Any] = {}
        for name, (read, convert, optional) in plan.items():
            value = members[name] if name in members else read(source)
            if convert is not None and value is not None and name not in members:
                value = convert(value)
            if value is not None or not optional:
                answer[name] = value
        return answer

    @classmethod
    def render_many(cls, sources: Iterable[Any]) -> list[dict[str, Any]]:
        return [cls.render(source) for source in sources]


Plan = dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any] | None, bool]]


@cache
def _build_render_plan(output: type[Output]) -> Plan:
    """Return how each field is read and converted, and whether it may be absent. REST framework's ``to_representation``
    costs about ten times as much, and a recall answers in 5 ms."""
    plan: Plan = {}
    for name, field in output().fields.items():
        read = getattr(output, f"render_{name}", None) or _choose_reader(str(field.source))
        plan[name] = read, _choose_converter(field), not field.required
    return plan


def _choose_reader(source: str) -> Callable[[Any], Any]:
    return (lambda whole: whole) if source == "*" else attrgetter(source)


def _choose_converter(field: serializers.Field[Any, Any, Any, Any]) -> Callable[[Any], Any] | None:
    if isinstance(field, serializers.ListSerializer):
        return cast(type[Output], type(field.child)).render_many
    if isinstance(field, Output):
        return type(field).render
    if isinstance(field, RoundedField):
        return field.round
    is_text = isinstance(field, serializers.CharField | serializers.ChoiceField)
    if is_text and field.allow_null and not getattr(field, "allow_blank", False):
        return lambda value: value or None
    return None


def describe_allowed_fields(fields: Iterable[str]) -> str:
    names = list(fields)
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"Allowed: {', '.join(names[:NAMES_SHOWN])}{more}." if names else "No field is allowed here."


@cache
def page_of(row: type[Output]) -> type[Output]:
    """Return the output ``{data: [row, ...], next_cursor}`` of a list."""
    name = f"{row.__name__.removesuffix('Output')}PageOutput"
    cursor = serializers.CharField(
        allow_null=True, help_text="Send it as `cursor` to get the next page; null on the last page."
    )
    data = row(many=True, help_text="The items of this page.")
    return type(name, (Output,), {"__doc__": "One page of a list.", "data_": data, "next_cursor": cursor})


@cache
def _get_shared_serializer(cls: type[StrictSerializer]) -> StrictSerializer:
    """Return one instance for each class: validation does not change it, and making one is slow."""
    return cls()


def _query_values(serializer: StrictSerializer, request: Request) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, given in request.query_params.lists():
        field = serializer.fields.get(name)
        if isinstance(field, serializers.ListField):
            values[name] = [QueryText(one) for one in given]
        elif len(given) > 1:
            raise ValidationError({printable_key(name): [ErrorDetail("Must be given once.", code="repeated")]})
        elif given[0] or not isinstance(field, TextField) or isinstance(field, ProductIdField):
            values[name] = QueryText(given[0])
    return values
