"""The filters of a call, wherever its client writes them: in ``filters``, beside them, or in the query string."""

from collections.abc import Mapping, Sequence
from typing import Any

from memory_platform.compat.mem0.filters.grammar import (
    HOLDER_IDS,
    FilterTree,
    join_filters,
    read_filters,
    read_query_value,
)
from memory_platform.kernel.errors import FieldFault, InvalidInput

_BESIDE = ("categories", "keywords")


def read_requested_filters(values: Mapping[str, Any], *, free_fields: bool = False, needed: bool = True) -> FilterTree:
    """Return the filters of a body or query. Raises InvalidInput for malformed ones, and for none if some are
    ``needed``: nothing is read or deleted of everybody by an oversight."""
    given = values.get("filters")
    tree = read_filters(read_query_value(given) if isinstance(given, str) else given, free_fields=free_fields)
    beside: dict[str, Any] = {name: str(values[name]) for name in HOLDER_IDS if values.get(name)}
    if values.get("session_id") and "run_id" not in beside:
        beside["run_id"] = str(values["session_id"])
    beside |= {name: values[name] for name in _BESIDE if values.get(name)}
    if values.get("metadata"):
        metadata = values["metadata"]
        beside["metadata"] = read_query_value(metadata) if isinstance(metadata, str) else metadata
    dates = {"gte": values.get("start_date"), "lte": values.get("end_date")}
    if any(dates.values()):
        beside["created_at"] = {name: value for name, value in dates.items() if value}
    whole = join_filters(tree, read_filters(beside))
    if needed and whole == join_filters():
        message = "Name at least one of user_id, agent_id, app_id and run_id ('*' for any), here or in `filters`."
        raise InvalidInput(faults=[FieldFault("filters", "required", message)])
    return whole


def read_fields(values: Mapping[str, Any]) -> Sequence[str] | None:
    """Return the fields of a memory that an answer is to hold; None for all. Raises InvalidInput."""
    fields = values.get("fields")
    if not fields:
        return None
    if isinstance(fields, str):
        fields = fields.split(",")
    if not isinstance(fields, list) or not all(isinstance(one, str) for one in fields):
        raise InvalidInput(faults=[FieldFault("fields", "wrong_type", "Must be a list of names.")])
    return [one.strip() for one in fields]
