"""Change lists that count only up to a bound, and reject malformed parameters."""

from dataclasses import dataclass
from typing import Any, cast

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

# Rows that a list of a whole tenant counts and pages through; behind them, one narrows the list.
MAX_COUNTED_ROWS = 2_000
# Parameters that narrow a list to what an index finds, or to a search.
NARROWING_PARAMETERS = ("subject", "conversation", "memory", "q")


@dataclass(frozen=True, slots=True)
class TitledRow:
    """A row under the title of its page, for the checkbox of a list: ``str(row)`` is made for logs."""

    pk: Any
    title: str

    def __str__(self) -> str:
        return self.title


class SafeChangeList(ChangeList):
    """A list that rejects a year or month of thirty digits like any other invalid parameter."""

    def get_filters(self, request: HttpRequest) -> Any:
        try:
            return super().get_filters(request)
        except OverflowError as fault:
            raise IncorrectLookupParameters(fault) from None


class SubjectRowsChangeList(SafeChangeList):
    """A list of subjects' rows. For a whole tenant it counts only the newest rows and offers no date hierarchy."""

    is_whole = False

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        self.is_whole = is_whole_tenant_list(request)
        if self.is_whole:
            self.date_hierarchy = None
        return super().get_queryset(request, *args, **kwargs)

    @property
    def stops_counting(self) -> bool:
        return self.is_whole and self.result_count >= MAX_COUNTED_ROWS


class BoundedPaginator(Paginator[Any]):
    """Counts at most COUNTED rows: nobody pages through a tenant's whole table."""

    @cached_property
    def count(self) -> int:
        # A slice before the count lets Postgres stop early.
        rows = cast(QuerySet[Any], self.object_list)
        return rows[:MAX_COUNTED_ROWS].count()


def is_whole_tenant_list(request: HttpRequest) -> bool:
    """Return whether the list shows a whole tenant's rows: no subject, conversation, memory or search narrows it."""
    return not any(request.GET.get(name) for name in NARROWING_PARAMETERS)
