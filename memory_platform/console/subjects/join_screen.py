"""Joins of subjects: their list, the page of one as a letter, and its undo."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.code_labels import describe_counts
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.headers.object_header import HeaderAct
from memory_platform.console.shared.tenant_access import annotate_user_names, make_actor
from memory_platform.console.shared.value_rendering import make_column, make_folded_fieldset, render_value, render_word
from memory_platform.kernel.errors import NotFound
from profiles.models import SubjectJoin
from snapshots.joins.errors import (
    ChoiceIsGone,
    IdIsTaken,
    ImportIsRunning,
    JoinedWithItself,
    JoinNotUndone,
    JoinUndoneAlready,
    LaterJoinFirst,
    OrderIsOpen,
    TooLargeToJoin,
    WordsAreWithheld,
)
from snapshots.joins.undo_join import check_undoable, undo_join
from tenants.isolation import current_tenant_id

# Why there is no join, or no undo, by the kind of the refusal.
REFUSAL_TEXTS: Mapping[type[Exception], Any] = {
    JoinedWithItself: gettext_lazy("This is the same person. Nobody can be joined with themselves."),
    TooLargeToJoin: gettext_lazy(
        "The other person has too much data to be moved at once. Join this one into the other one instead."
    ),
    ImportIsRunning: gettext_lazy("An import of one of the two has not ended. Wait until it has."),
    WordsAreWithheld: gettext_lazy(
        "The other person has asked to forget something, which is withheld for a day. Wait until it is erased."
    ),
    ChoiceIsGone: gettext_lazy(
        "One of the two values has changed since. Nothing was joined: look at the preview again."
    ),
    JoinUndoneAlready: gettext_lazy("This join was undone already."),
    LaterJoinFirst: gettext_lazy("Somebody else was joined later. Undo that join first."),
    OrderIsOpen: gettext_lazy(
        "They have asked to forget something, which is withheld for a day. Undo the join once it is erased."
    ),
    IdIsTaken: gettext_lazy("The id of the joined person now belongs to somebody else."),
}

who_column = make_column("who", render_word, gettext_lazy("who"), order="actor_ref")


class UndoForm(forms.Form):
    """The reason for an undo."""

    reason = ReasonField()


@dataclass(frozen=True, slots=True)
class JoinLetter:
    """A join in words. ``refusal``: why it cannot be undone, "" if it can."""

    join: SubjectJoin
    moved: Sequence[str]
    changes: Sequence[str]
    returned: Sequence[str]
    refusal: str


def describe_refusal(refused: Exception) -> str:
    return str(REFUSAL_TEXTS.get(type(refused), refused))


def write_join_letter(join: SubjectJoin) -> JoinLetter:
    return JoinLetter(
        join, describe_counts(join.counts), _describe_changes(join), _describe_return(join), _find_refusal(join)
    )


@admin.register(SubjectJoin)
class JoinScreen(SubjectOwnedAdmin):
    """Joins, newest first. Managers undo one."""

    change_form_template = "console/subjects/join.html"
    list_display = ("joined_at", subject_column, "former_external_id", who_column, "reason", "undone_at")
    list_display_links = ("joined_at",)
    list_filter = ("joined_at",)
    search_fields = ("subject__external_id", "former_external_id")
    search_help_text = gettext_lazy("Id of a person, also the joined one")
    date_hierarchy = "joined_at"
    empty_text = _(
        "Two ids of the same human, such as a visitor who logged in, are joined on a person’s page. Nobody was joined."
    )
    ordering = ("-joined_at", "-id")
    fieldsets = (
        make_folded_fieldset(
            gettext_lazy("Technical details"),
            make_column("counts", render_value, gettext_lazy("moved")),
            make_column("verified", render_value, gettext_lazy("verified")),
            make_column("former_id", str, gettext_lazy("former id")),
            "id",
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[SubjectJoin]:
        # Long lists, only for the undo.
        return annotate_user_names(super().get_queryset(request), "actor_ref").defer("moved", "former")

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("<path:object_id>/undo/", self.undo_view, "profiles_subjectjoin_undo"),
            *super().get_urls(),
        ]

    def title_of(self, obj: SubjectJoin) -> str:
        return _("“%(joined)s” joined into “%(kept)s”, %(date)s") % {
            "joined": obj.former_external_id,
            "kept": obj.subject.external_id,
            "date": f"{obj.joined_at:%Y-%m-%d}",
        }

    def list_acts(self, request: HttpRequest, obj: Any) -> Sequence[HeaderAct]:
        acts = list(super().list_acts(request, obj))
        if self.has_manager_permission(request) and not _find_refusal(obj):
            acts.append(HeaderAct(_("Undo"), reverse("admin:profiles_subjectjoin_undo", args=[obj.pk])))
        return acts

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["letter"] = write_join_letter(kwargs["obj"])
        return super().render_change_form(request, context, *args, **kwargs)

    def undo_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show which rows an undo moves and which stay, ask for a reason, and undo the join."""
        require_permission(self.has_manager_permission, request)
        join = self.get_or_404(request, object_id)
        refusal = _find_refusal(join)
        form = UndoForm(request.POST or None)
        if refusal or not form.is_valid():
            return render_console_page(
                request,
                "console/subjects/join_undo.html",
                _("Undo the join"),
                letter=write_join_letter(join),
                subtitle=join.former_external_id,
                form=form,
            )
        tenant_id = current_tenant_id()
        # The undo opens scopes of its own.
        return AfterCommitResponse(lambda: self._undo(request, tenant_id, join))

    def _undo(self, request: HttpRequest, tenant_id: Any, join: SubjectJoin) -> HttpResponse:
        page = redirect("admin:profiles_subjectjoin_change", join.pk)
        try:
            undo_join(tenant_id, join.pk, by=make_actor(request), reason=read_reason(request))
        except NotFound:
            raise Http404 from None
        except JoinNotUndone as refused:  # somebody was faster
            self.message_user(request, describe_refusal(refused), messages.WARNING)
            return page
        self.message_user(request, _("Undone. Each row is with the person it came from."), messages.SUCCESS)
        return page


def _find_refusal(join: SubjectJoin) -> str:
    try:
        check_undoable(join)
    except JoinNotUndone as refused:
        return describe_refusal(refused)
    return ""


def _describe_changes(join: SubjectJoin) -> list[str]:
    told = []
    # An undo empties the list, and counts what it did with each.
    ended = len(join.ended) or join.returned.get("reinstated", 0) + join.returned.get("not_reinstated", 0)
    if ended:
        text = ngettext(
            "%(count)d value was superseded by a newer one and stays in the history.",
            "%(count)d values were superseded by newer ones and stay in the history.",
            ended,
        )
        told.append(text % {"count": ended})
    told += [
        _("“%(name)s” is called “%(new_name)s” since, because both had one.")
        % {"name": one["name"], "new_name": one["new_name"]}
        for one in join.renamed
    ]
    return told


def _describe_return(join: SubjectJoin) -> list[str]:
    if join.undone_at is None:
        return []
    told = describe_counts(join.returned.get("rows", {}))
    back, not_back = join.returned.get("reinstated", 0), join.returned.get("not_reinstated", 0)
    if back:
        text = ngettext(
            "%(count)d superseded value is current again.", "%(count)d superseded values are current again.", back
        )
        told.append(text % {"count": back})
    if not_back:
        text = ngettext(
            "%(count)d superseded value stays ended, because a newer one has replaced it since.",
            "%(count)d superseded values stay ended, because newer ones have replaced them since.",
            not_back,
        )
        told.append(text % {"count": not_back})
    return told
