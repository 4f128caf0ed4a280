"""JSON objects become dataclasses. Nothing that a newer or an older server sends makes this fail."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

T = TypeVar("T")
Convert = Callable[[Any], Any]


@dataclass(frozen=True, kw_only=True)
class Meta:
    """What stands beside an answer. ``etag`` is for ``if_match``; ``replayed`` marks the first answer, sent again."""

    status: int
    request_id: str | None
    etag: str | None
    replayed: bool


class Answer:
    """An object of the platform. A field that an older server does not send is None."""

    meta: ClassVar[Meta | None] = None
    """Of the answer as a whole; None on the objects inside it."""
    extra: ClassVar[Mapping[str, Any]] = {}
    """What a newer server sent and this version of the client does not know."""

    @classmethod
    def complete_fields(cls, values: dict[str, Any]) -> None:
        """Fill in what the platform leaves to the reader; subclasses do."""


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list; ``next_cursor`` is None on the last."""

    data: list[T]
    next_cursor: str | None
    meta: Meta | None = None


@cache
def find_decoder(kind: Any) -> Convert | None:
    """Return what makes a value of this type of JSON, or None where JSON is it already."""
    if kind in _DATES:
        return _DATES[kind]
    if is_dataclass(kind) and isinstance(kind, type):
        return ObjectDecoder(kind)
    arguments = [one for one in typing.get_args(kind) if one is not type(None)]
    make = _COMBINED.get(typing.get_origin(kind))
    return make(arguments) if make else None


class ObjectDecoder:
    """Makes a dataclass of a JSON object."""

    def __init__(self, kind: type[Any]) -> None:
        self.kind = kind
        hints = typing.get_type_hints(kind)
        own = [field for field in fields(kind) if field.init]
        self.plan = [(one.name.rstrip("_"), one.name, find_decoder(hints[one.name])) for one in own]
        self.known = frozenset(name for name, _, _ in self.plan)

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        values: dict[str, Any] = {}
        for name, attribute, convert in self.plan:
            one = value.get(name)
            values[attribute] = one if convert is None or one is None else convert(one)
        if not self.known.issuperset(value):
            values["extra"] = {name: one for name, one in value.items() if name not in self.known}
        self.kind.complete_fields(values)
        made = object.__new__(self.kind)
        made.__dict__.update(values)
        return made


def attach_meta(answer: Any, meta: Meta) -> None:
    """Let an answer tell what stood beside it."""
    if isinstance(answer, Answer | Page):
        answer.__dict__["meta"] = meta


def _decode_page(arguments: list[Any]) -> Convert:
    decode_all = _decode_list(arguments) or list

    def decode(value: Any) -> Page[Any]:
        return Page(decode_all(value.get("data", [])), value.get("next_cursor"))

    return decode


def _decode_list(arguments: list[Any]) -> Convert | None:
    convert = find_decoder(arguments[0])
    if convert is None:
        return None
    return lambda value: [convert(one) for one in value] if isinstance(value, list) else value


def _decode_dict(arguments: list[Any]) -> Convert | None:
    convert = find_decoder(arguments[1])
    if convert is None:
        return None
    return lambda value: {key: convert(one) for key, one in value.items()} if isinstance(value, dict) else value


def _decode_union(kinds: list[Any]) -> Convert | None:
    """Of several classes, that one is made which knows most of an object's fields."""
    decoders = [decoder for decoder in map(find_decoder, kinds) if decoder is not None]
    objects = [decoder for decoder in decoders if isinstance(decoder, ObjectDecoder)]
    if len(objects) > 1:
        return lambda value: max(objects, key=lambda one: len(one.known & set(value)))(value)
    return decoders[0] if decoders else None


def _decode_datetime(value: Any) -> Any:
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00"))  # Python 3.10 does not know Z
    except (AttributeError, ValueError):
        return value


def _decode_date(value: Any) -> Any:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return value


_DATES: dict[Any, Convert] = {datetime: _decode_datetime, date: _decode_date}
_COMBINED: dict[Any, Callable[[list[Any]], Convert | None]] = {
    Page: _decode_page,
    list: _decode_list,
    dict: _decode_dict,
    typing.Union: _decode_union,
    types.UnionType: _decode_union,
}
