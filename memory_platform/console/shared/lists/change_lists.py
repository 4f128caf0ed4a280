"""Lists of a screen's rows: bounded for a whole tenant, and safe from addresses that somebody made up."""

from collections.abc import Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, Literal, cast

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.core.exceptions import FieldDoesNotExist
from django.core.paginator import Paginator
from django.db.models import DecimalField, FloatField, IntegerField, Model, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from memory_platform.console.shared.refusals import find_compared_model, flatten_values, keep_existing_ids

# Rows that a list of a whole tenant counts and pages through; behind them, one narrows the list.
MAX_COUNTED_ROWS = 2_000
ACTION_CHECKBOX = "action_checkbox"
EMPTY_VALUES: Sequence[Any] = (None, "", [], {})
NUMBER_FIELDS = (IntegerField, FloatField, DecimalField)
# Parameters that narrow a list to what an index finds, or to a search.
NARROWING_PARAMETERS = ("subject", "conversation", "memory", "q")


class SafeChangeList(ChangeList):
    """A list that refuses a year of thirty digits like any other invalid value, and notes ids of missing rows. Columns
    that hold nothing in any row take no room."""

    # What stands above the rows, as HTML: what they are, where a link chose them.
    intro = ""
    all_columns: Sequence[Any] = ()

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: list[Any] = list(self.result_list)
        self.complete_rows(rows)
        if not self.list_editable:  # a formset needs the query
            self.result_list = rows
        self.all_columns = self.list_display
        kept = (ACTION_CHECKBOX, *(self.list_display_links or ()))
        self.list_display = [one for one in self.all_columns if one in kept or not is_empty_column(one, rows)]

    @property
    def number_classes(self) -> str:
        """Return the classes of the page that say which columns hold numbers, the first being 1."""
        numbers = (at for at, one in enumerate(self.list_display, 1) if is_number_column(one, self.model))
        return " ".join(f"numbers-{at}" for at in numbers)

    def complete_rows(self, rows: Sequence[Any]) -> None:
        """Add what the columns show beside the rows' own columns, to the rows of one page only."""

    @property
    def chosen_filters(self) -> int:
        """Return how many filters the address sets."""
        return sum(any(one in self.filter_params for one in spec.expected_parameters()) for spec in self.filter_specs)

    def get_query_string(self, new_params: Any = None, remove: Any = None) -> str:
        """Return the address of the list. Its order counts all columns, the heads count those that are shown."""
        order = (new_params or {}).get(ORDER_VAR)
        if order and self.all_columns:
            new_params = {**new_params, ORDER_VAR: ".".join(map(self._count_in_all, str(order).split(".")))}
        return super().get_query_string(new_params, remove)

    def get_ordering_field_columns(self) -> dict[int, Literal["desc", "asc"]]:
        columns = super().get_ordering_field_columns()
        if ORDER_VAR not in self.params:
            return dict(islice(columns.items(), 1))  # the numbers of several tell only whoever chose them
        if not self.all_columns:
            return columns
        shown = {self.all_columns.index(one): at for at, one in enumerate(self.list_display)}
        return {shown[at]: way for at, way in columns.items() if at in shown}

    def _count_in_all(self, part: str) -> str:
        """Return a part of an order ("-2") with the place of its column among all columns."""
        at = int(part.removeprefix("-"))
        return f"{'-' if part.startswith('-') else ''}{self.all_columns.index(self.list_display[at])}"

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


def is_number_column(column: Any, model: type[Model]) -> bool:
    """Return whether a column holds numbers: as a field of numbers, or because it says so (``is_number``)."""
    if not isinstance(column, str):
        return bool(getattr(column, "is_number", False))
    try:
        field = model._meta.get_field(column)
    except FieldDoesNotExist:
        return False
    return isinstance(field, NUMBER_FIELDS) and not field.choices


def is_empty_column(column: Any, rows: Sequence[Any]) -> bool:
    """Return whether a column that shows one stored value shows none in any row; other columns cost queries."""
    path = column if isinstance(column, str) else getattr(column, "value_path", "")
    if not path or not rows:
        return False
    if isinstance(column, str):
        try:
            type(rows[0])._meta.get_field(path)
        except FieldDoesNotExist:
            return False
    read = attrgetter(path)
    return all(read(row) in EMPTY_VALUES for row in rows)


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
