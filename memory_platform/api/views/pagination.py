"""Lists in pages: a limit, an opaque cursor and a stable order. Only the last page may be short."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self, TypeVar
from uuid import UUID

import orjson
from django.core.signing import BadSignature, Signer
from django.db.models import Model, Q, QuerySet
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from rest_framework.request import Request

from memory_platform.api.access import caller_of
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import TextField, WholeField
from memory_platform.api.requests.serializers import QueryInput
from memory_platform.kernel.errors import FieldFault, InvalidInput

CURSOR_CHARS = 1_024
Row = TypeVar("Row", bound=Model)
State = TypeVar("State")


class PageInput(QueryInput):
    """Parameters of a list. Lists with more parameters declare a subclass."""

    limit = WholeField(
        least=1, most=API_CONFIG.page_most, default=API_CONFIG.page_default, help_text="Items on a page."
    )
    cursor = TextField(
        max_bytes=CURSOR_CHARS, required=False, help_text="`next_cursor` of the page before; none for the first page."
    )


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a list. The last field is unique, so that a cursor marks one place."""

    fields: tuple[str, ...] = ("created_at", "id")
    newest_first: bool = False

    def names(self) -> list[str]:
        return [f"-{name}" for name in self.fields] if self.newest_first else list(self.fields)

    def filter_after(self, place: Sequence[Any]) -> Q:
        """Return the condition for rows after ``place``, which has one value for each field."""
        step = "lt" if self.newest_first else "gt"
        # The first condition alone is implied by the second; it is what an index can use.
        condition = Q(**{f"{self.fields[0]}__{step}e": place[0]})
        following = Q()
        for index, name in enumerate(self.fields):
            equal = Q(**dict(zip(self.fields[:index], place[:index], strict=True)))
            following |= equal & Q(**{f"{name}__{step}": place[index]})
        return condition & following


BY_AGE = Order()
NEWEST_FIRST = Order(newest_first=True)


@dataclass(frozen=True, slots=True)
class Page:
    """A requested page."""

    limit: int
    place: tuple[Any, ...] | None
    order: Order
    list_name: str

    @classmethod
    def from_request(cls, request: Request, query: dict[str, Any], order: Order = BY_AGE) -> Self:
        """Return the page that a parsed :class:`PageInput` asks for. Raises InvalidInput for a foreign cursor. A cursor
        is bound to its tenant and list."""
        list_name = f"{caller_of(request).tenant_id} {request._request.path_info}"
        cursor = query.get("cursor")
        place = None if cursor is None else read_cursor(cursor, list_name, len(order.fields))
        return cls(int(query["limit"]), place, order, list_name)

    def load_page(self, rows: QuerySet[Row]) -> tuple[list[Row], str | None]:
        """Return the rows of the page and the cursor of the next one, None on the last page. Takes one query."""
        ordered = rows.order_by(*self.order.names())
        if self.place is not None:
            ordered = ordered.filter(self.order.filter_after(self.place))
        found = list(ordered[: self.limit + 1])
        kept = found[: self.limit]
        return kept, self._cursor(kept[-1]) if len(found) > self.limit else None

    def answer(self, rows: QuerySet[Row], render: Callable[[Row], Any]) -> dict[str, Any]:
        kept, cursor = self.load_page(rows)
        return {"data": [render(row) for row in kept], "next_cursor": cursor}

    def slice_versions(
        self, states: Sequence[State], version_of: Callable[[State], int]
    ) -> tuple[list[State], str | None]:
        """Return the page of a history in memory, oldest version first, and the cursor of the next page."""
        reached = self.place[0] if self.place else 0
        later = [state for state in states if version_of(state) > reached]
        kept = later[: self.limit]
        return kept, write_cursor([version_of(kept[-1])], self.list_name) if len(later) > len(kept) else None

    def _cursor(self, row: Model) -> str:
        return write_cursor([getattr(row, name) for name in self.order.fields], self.list_name)


def write_cursor(place: Sequence[Any], list_name: str) -> str:
    tagged = [_tag_value(value) for value in place]
    return urlsafe_base64_encode(_signer(list_name).sign(orjson.dumps(tagged).decode()).encode())


def read_cursor(cursor: str, list_name: str, length: int) -> tuple[Any, ...]:
    """Return the place of a cursor of this list. Raises InvalidInput for any other text."""
    try:
        signed = urlsafe_base64_decode(str(cursor)).decode()
        place = [_untag_value(kind, value) for kind, value in orjson.loads(_signer(list_name).unsign(signed))]
    except (ValueError, BadSignature):
        place = []
    if len(place) != length:
        raise InvalidInput(faults=[FieldFault("cursor", "not_a_cursor", "Must be a next_cursor of this list.")])
    return tuple(place)


def _signer(list_name: str) -> Signer:
    return Signer(salt=f"cursor {list_name}")


def _tag_value(value: Any) -> tuple[str, Any]:
    if isinstance(value, datetime):
        return "t", value.isoformat()
    if isinstance(value, UUID):
        return "u", str(value)
    return "v", value


def _untag_value(kind: str, value: Any) -> Any:
    if kind == "t":
        return datetime.fromisoformat(value)
    return UUID(value) if kind == "u" else value
