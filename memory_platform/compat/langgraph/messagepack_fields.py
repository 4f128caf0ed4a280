"""The fields of bodies in MessagePack. Each member of a body is checked as strictly as one of the REST API."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memory_platform.api.requests.fields import Direct, JsonField, TextField, raise_field_error
from memory_platform.api.requests.json_guard import value_faults
from memory_platform.kernel.character_checks import UNSTORABLE
from snapshots.threads.config import THREADS
from snapshots.threads.values import PackedValue, WriteToStore

MAX_DEPTH = 32
CHANNELS = 1_000
PLACE_LEAST, PLACE_MOST = -(2**31), 2**31 - 1
PACKED_PARTS, WRITE_PARTS = 2, 4


def name_field(max_bytes: int, **options: Any) -> TextField:
    return TextField(max_bytes=max_bytes, **options)


class OpaqueField(Direct, serializers.Field[Any, Any, Any, Any]):
    """A member that is checked here as a whole."""


class PackedField(OpaqueField):
    """``[format, bytes]``."""

    def to_internal_value(self, data: Any) -> PackedValue:
        if not _is_packed(data):
            raise_field_error("not_packed", "Must be a list of a format's name and bytes.")
        return PackedValue(data[0], data[1])


class PackedMapField(OpaqueField):
    """``{channel: [format, bytes]}``."""

    def to_internal_value(self, data: Any) -> dict[str, PackedValue]:
        if not isinstance(data, dict) or not all(_is_name(name) and _is_packed(one) for name, one in data.items()):
            raise_field_error("not_packed", "Must be a map of names of channels to lists of a format's name and bytes.")
        return {name: PackedValue(one[0], one[1]) for name, one in data.items()}


class VersionsField(OpaqueField):
    """``{channel: version}``; a version is a text or a number."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict) or len(data) > CHANNELS:
            raise_field_error("not_versions", f"Must be a map of at most {CHANNELS} names of channels to versions.")
        if not all(_is_name(name) and _is_version(one) for name, one in data.items()):
            raise_field_error("not_versions", "A version must be a text or a number, and the name of a channel a text.")
        return data


class WritesField(OpaqueField):
    """``[[place, channel, format, bytes], ...]``."""

    def to_internal_value(self, data: Any) -> list[WriteToStore]:
        if not isinstance(data, list) or not all(_is_write(one) for one in data):
            raise_field_error("not_writes", "Must be a list of lists: place, channel, a format's name, and bytes.")
        return [WriteToStore(place, channel, PackedValue(form, value)) for place, channel, form, value in data]


class MetadataField(OpaqueField):
    """A JSON object: values of MessagePack that JSON lacks are refused."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict) or not _is_json(data, MAX_DEPTH):
            raise_field_error(
                "not_an_object", f"Must be a map of texts to what JSON has, at most {MAX_DEPTH} levels deep."
            )
        for fault in value_faults(data):
            raise_field_error(fault.code, fault.message)
        JsonField(max_bytes=THREADS.metadata_bytes).to_internal_value(data)
        return data


def _is_packed(value: Any) -> bool:
    return isinstance(value, list) and len(value) == PACKED_PARTS and _is_name(value[0]) and isinstance(value[1], bytes)


def _is_write(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != WRITE_PARTS:
        return False
    place, channel, *packed = value
    is_place = isinstance(place, int) and not isinstance(place, bool) and PLACE_LEAST <= place <= PLACE_MOST
    return is_place and _is_name(channel) and _is_packed(packed)


def _is_name(value: Any) -> bool:
    return (
        isinstance(value, str)
        and len(value.encode("utf-8", "surrogatepass")) <= THREADS.channel_bytes
        and not UNSTORABLE.search(value)
    )


def _is_version(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= THREADS.name_bytes and not UNSTORABLE.search(value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_json(value: Any, depth: int) -> bool:
    if depth < 0:
        return False
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_json(one, depth - 1) for name, one in value.items())
    if isinstance(value, list):
        return all(_is_json(one, depth - 1) for one in value)
    return value is None or isinstance(value, str | int | float)
