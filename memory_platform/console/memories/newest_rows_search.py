"""Text search in large tables: all rows of a chosen subject, else only the newest rows."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from memory_platform.console.shared.base_screens import SubjectOwnedAdmin
from memory_platform.console.shared.value_rendering import parse_uuid
from profiles.selectors import all_subjects

# Rows of a whole tenant whose words are read: no index may serve a search for a part of a text behind the wall.
MAX_SEARCHED_ROWS = 10_000
CHOOSING_PARAMETERS = ("subject", "conversation", "memory")


class NewestRowsSearchAdmin(SubjectOwnedAdmin):
    """A screen of a large table whose search is bounded, and says so."""

    sorts_whole_tenant: ClassVar[bool] = False

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        """Return the rows of the subject with exactly this id, or the row with this id. Other terms are searched in the
        chosen rows, or in the tenant's newest."""
        term = search_term.strip()
        if not term or any(request.GET.get(name) for name in CHOOSING_PARAMETERS):
            return self.search_words(request, queryset, search_term)
        named: Any = all_subjects().filter(external_id=term).values_list("pk", flat=True).first()
        row_id: Any = parse_uuid(term)
        if named or row_id:
            found = (
                self.filter_rows_of_subject(queryset, named) if named else self.filter_rows_with_id(queryset, row_id)
            )
            return found, False
        return self.search_words(request, self._newest_rows(request, queryset), search_term)

    def search_words(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        return super().get_search_results(request, queryset, search_term)

    def filter_rows_of_subject(self, queryset: Any, subject_id: UUID) -> Any:
        return queryset.filter(subject_id=subject_id)

    def filter_rows_with_id(self, queryset: Any, row_id: UUID) -> Any:
        return queryset.filter(pk=row_id)

    def _newest_rows(self, request: HttpRequest, queryset: Any) -> Any:
        """Return the rows among the tenant's newest ones; show a notice if there are more."""
        field = str(self.ordering[0]).removeprefix("-")  # type: ignore[index]  # ours all have one
        times = self.model._default_manager.order_by(*self.ordering).values_list(field, flat=True)  # type: ignore[misc]
        begin = times[MAX_SEARCHED_ROWS : MAX_SEARCHED_ROWS + 1].first()
        if begin is None:
            return queryset
        # A list action posts to the same address and needs no notice.
        if request.method == "GET":
            text = _(
                "Only the newest %(count)s were searched. To search all rows of a person, choose the person or "
                "search for the exact id."
            )
            self.message_user(request, text % {"count": number_format(MAX_SEARCHED_ROWS)}, messages.INFO)
        return queryset.filter(**{f"{field}__gt": begin})
