"""Lists of a screen's rows: bounded for a whole tenant, and safe from addresses that somebody made up."""

from typing import Any, cast

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from memory_platform.console.shared.refusals import find_compared_model, flatten_values, keep_existing_ids

# Rows that a list of a whole tenant counts and pages through; behind them, one narrows the list.
MAX_COUNTED_ROWS = 2_000
# Parameters that narrow a list to what an index finds, or to a search.
NARROWING_PARAMETERS = ("subject", "conversation", "memory", "q")


class SafeChangeList(ChangeList):
    """A list that refuses a year of thirty digits like any other invalid value, and notes ids of missing rows."""

    @property
    def has_default_filter(self) -> bool:
        """Return whether rows may be left out although nobody has chosen a filter: then an empty list needs them."""
        return any(getattr(spec, "has_default", False) for spec in self.filter_specs)

    @property
    def count_text(self) -> str:
        """Return how many rows there are, in the words of the screen."""
        count, words = self.result_count, getattr(self.model_admin, "count_text", None)
        if words is not None:
            return str(words % {"count": count})
        names = self.opts.verbose_name if count == 1 else self.opts.verbose_name_plural
        return _("%(count)s %(name)s") % {"count": count, "name": names}

    def get_filters(self, request: HttpRequest) -> Any:
        try:
            filters = super().get_filters(request)
        except OverflowError as fault:
            raise IncorrectLookupParameters(fault) from None
        for lookup, values in filters[2].items():
            model = find_compared_model(self.model, lookup)
            if model is not None:
                keep_existing_ids(request, model._default_manager.all(), flatten_values(values))
        return filters


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


def is_list(request: HttpRequest, screen: Any) -> bool:
    """Return whether the page is the list of a screen, not a page of one row."""
    match = request.resolver_match
    return match is not None and match.url_name == f"{screen.opts.app_label}_{screen.opts.model_name}_changelist"


def is_whole_tenant_list(request: HttpRequest) -> bool:
    """Return whether the list shows a whole tenant's rows: no subject, conversation, memory or search narrows it."""
    return not any(request.GET.get(name) for name in NARROWING_PARAMETERS)
