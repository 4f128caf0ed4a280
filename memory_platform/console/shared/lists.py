"""The rows of the console's lists: counted to a bound, and careful with what an address asks for."""

from dataclasses import dataclass
from typing import Any, cast

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

# Rows that a list of a whole tenant counts and pages through; behind them, one narrows the list.
COUNTED = 2_000
# Parameters that narrow a list to what an index finds, or to a search.
NARROWING = ("subject", "conversation", "memory", "q")


@dataclass(frozen=True, slots=True)
class TitledRow:
    """A row as the box that chooses it names it: models say only what stands in logs."""

    pk: Any
    title: str

    def __str__(self) -> str:
        return self.title


class CarefulList(ChangeList):
    """A list that answers a year or month of thirty digits like any other wrong one."""

    def get_filters(self, request: HttpRequest) -> Any:
        try:
            return super().get_filters(request)
        except OverflowError as fault:
            raise IncorrectLookupParameters(fault) from None


class OwnedList(CarefulList):
    """A list of subjects' rows. Of a whole tenant, which may hold millions, it counts the newest and has no dates."""

    is_whole = False

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        self.is_whole = is_whole(request)
        if self.is_whole:
            self.date_hierarchy = None
        return super().get_queryset(request, *args, **kwargs)

    @property
    def stops_counting(self) -> bool:
        """Whether there may be more rows than are counted."""
        return self.is_whole and self.result_count >= COUNTED


class NewestPaginator(Paginator[Any]):
    """Counts no further than COUNTED: a tenant's whole table is not counted for a list that nobody pages through."""

    @cached_property
    def count(self) -> int:
        """Rows, at most COUNTED."""
        rows = cast(QuerySet[Any], self.object_list)
        return rows[:COUNTED].count()


def is_whole(request: HttpRequest) -> bool:
    """Does the list show a whole tenant's rows, with no subject, conversation, memory or search to narrow it?"""
    return not any(request.GET.get(name) for name in NARROWING)
