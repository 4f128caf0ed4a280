"""Screens whose pages of one row begin with the same head, and whose forms have one button, named for its act."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib.admin.utils import quote
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.headers.object_header import HeaderAct, ObjectHeader
from memory_platform.console.shared.headers.shown_person import note_shown_person
from memory_platform.console.shared.status_badges import StatusBadge


class HeadedPages:
    """The head of a row's page; screens say more in the methods after ``build_header``."""

    opts: Any

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row, and remember whose it is for the breadcrumbs of its pages."""
        found: Any = super().get_object(request, object_id, from_field)  # type: ignore[misc]  # a mixin of screens
        note_shown_person(request, found)
        return found

    def title_of(self, obj: Any) -> str:
        """Return the title of a row's page. It is only displayed, never stored: it may hold personal data."""
        return str(obj)

    def name_kind(self) -> str:
        """Return the kind of a row of the screen, in a word."""
        return capfirst(str(self.opts.verbose_name))

    def build_header(self, request: HttpRequest, obj: Any) -> ObjectHeader:
        """Return the head of a row's page."""
        sentence, kind = self.describe_row(obj), self.name_kind()
        return ObjectHeader(
            sentence,
            kind="" if kind == sentence else kind,
            badge=self.get_badge(obj),
            facts=self.list_facts(obj),
            acts=self.list_acts(request, obj),
            ids=self.list_ids(obj),
        )

    def describe_row(self, obj: Any) -> str:
        """Return the words of the row, for the head of its page; its kind, if it has only an id."""
        title = self.title_of(obj)
        return self.name_kind() if title == str(obj.pk) else title

    def get_badge(self, obj: Any) -> StatusBadge | None:
        return None

    def list_facts(self, obj: Any) -> Sequence[Any]:
        """Return who and when, as text or HTML; "" where unknown."""
        return ()

    def list_acts(self, request: HttpRequest, obj: Any) -> Sequence[HeaderAct]:
        """Return the acts that the person may do with the row."""
        address = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_history", args=[quote(obj.pk)])
        return [HeaderAct(_("Audit trail"), address)]

    def list_ids(self, obj: Any) -> Sequence[tuple[Any, str]]:
        return [(_("Copy id"), str(obj.pk))]


class NamedButtons:
    """``add_title``: the title of the form for a new row and of the button that leads to it. ``empty_text``: the text
    of a list without rows. ``hides_short_search``: whether a list of a few rows has no search."""

    add_title: ClassVar[Any] = ""
    add_button: ClassVar[Any] = gettext_lazy("Save")
    change_button: ClassVar[Any] = gettext_lazy("Save")
    empty_text: ClassVar[Any] = ""
    hides_short_search: ClassVar[bool] = False

    def render_change_form(
        self, request: HttpRequest, context: Any, add: bool = False, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context.setdefault("save_label", self.add_button if add else self.change_button)
        if add and self.add_title:
            context["title"] = self.add_title
        if "adminform" in context:
            context["adminform"].form.label_suffix = ""  # a label above its field, or beside a fact, has no colon
        shown: HttpResponse = super().render_change_form(request, context, add, *args, **kwargs)  # type: ignore[misc]  # a mixin of Django's screens
        return shown
