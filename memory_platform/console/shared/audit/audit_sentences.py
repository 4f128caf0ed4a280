"""Audit records in words: actor, act, object and person, with links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any

from django.contrib import admin
from django.db.models import CharField, Model, OuterRef, Q, QuerySet, Subquery, Value
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.audit.audit_reasons import split_reason
from memory_platform.console.shared.audit.audited_object_names import annotate_object_names, name_personal_objects
from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.support_session_guard import is_support_session_missing
from memory_platform.console.shared.tenant_access import annotate_actor_names
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    build_list_address,
    parse_uuid,
    render_line,
    shorten_id,
)
from profiles.models import Subject
from tenants.models import ApiKey, AuditRecord, Member, PolicyVersion, Tenant

ACTS: Mapping[str, Any] = {
    "api_key.bound": _("created an API key for one person"),
    "api_key.created": _("created an API key"),
    "api_key.revoked": _("revoked an API key"),
    "api_key.rotated": _("rotated an API key"),
    "audit.exported": _("exported the audit trail"),
    "candidate.approved": _("accepted a proposal"),
    "candidate.rejected": _("rejected a proposal"),
    "candidate.reopened": _("reopened a proposal"),
    "console.form": _("sent a form of another tenant"),
    "console.page": _("asked for a page"),
    "conversation.erased": _("erased a conversation"),
    "conversation.restored": _("restored a conversation"),
    "document_playground.asked": _("tried a search of documents"),
    "document_playground.opened": _("opened the search of documents"),
    "document_collection.reindexed": _("had a collection indexed again"),
    "document.deleted": _("deleted a document"),
    "document.edited": _("changed a document"),
    "document.reindexed": _("had a document indexed again"),
    "document.replaced": _("uploaded a document again"),
    "document.stored": _("uploaded a document"),
    "document_collection.created": _("created a collection of documents"),
    "document_collection.deleted": _("deleted a collection of documents"),
    "document_collection.relabelled": _("changed the access label of a collection"),
    "experiment.created": _("created an experiment"),
    "experiment.ended": _("ended an experiment"),
    "experiment.shared_out": _("reassigned the people of an experiment"),
    "experiment.started": _("started an experiment"),
    "invitation.revoked": _("revoked an invitation"),
    "job.previewed": _("previewed a job"),
    "member.accepted": _("accepted an invitation"),
    "member.invited": _("invited somebody"),
    "member.kept": _("kept the role of a member"),
    "member.removed": _("removed a member"),
    "member.set": _("set the role of a member"),
    "memory.added": _("added a memory"),
    "memory.added_undone": _("took an added memory back"),
    "memory.confirmed": _("confirmed a memory"),
    "memory.confirmed_undone": _("undid the confirmation of a memory"),
    "memory.corrected": _("corrected a memory"),
    "memory.corrected_undone": _("undid the correction of a memory"),
    "thread.deleted": _("deleted an agent's thread"),
    "memory.erased": _("forgot a memory for good"),
    "memory.kept": _("kept a memory that was under review"),
    "memory.kept_undone": _("put a memory under review again"),
    "memory.merged": _("merged memories"),
    "memory.merged_undone": _("undid a merge of memories"),
    "memory.retired": _("retired a memory"),
    "memory.retired_undone": _("brought a retired memory back"),
    "memory.taken_apart": _("took merged memories apart"),
    "memory.vital_changed_undone": _("undid a change of whether a note is vital"),
    "memory.withheld": _("forgot a memory"),
    "memory.withheld_undone": _("brought a forgotten memory back"),
    "memory_file.changed": _("changed a memory file"),
    "memory_file.created": _("created a memory file"),
    "memory_file.deleted": _("deleted a memory file"),
    "memory_file.renamed": _("renamed a memory file"),
    "memory_file.said": _("noted a line that was added to a memory file"),
    "memory_file.viewed": _("read a memory file"),
    "note.vital_changed": _("changed whether a note is vital"),
    "playground.asked": _("tried a question in the playground"),
    "playground.opened": _("opened the playground"),
    "policy.activated": _("activated a policy"),
    "policy.created": _("created a policy"),
    "preference.retracted": _("retired a preference"),
    "profile.retracted": _("retired a profile field"),
    "snapshot.retired": _("retired a snapshot"),
    "start.viewed": _("viewed the home page"),
    "subject.erased": _("erased a person"),
    "subject.exported": _("exported a person"),
    "subject.join_undone": _("parted two people who had been joined"),
    "subject.joined": _("joined two people"),
    "subject.searched": _("searched for people"),
    "support.ended": _("ended a support session"),
    "support.needed": _("required support sessions of members"),
    "support.not_needed": _("no longer requires support sessions of members"),
    "support.opened": _("opened a support session"),
    "tag.changed": _("changed a place or contact"),
    "tag.deleted": _("deleted a place or contact"),
    "tenant.changed": _("changed the tenant"),
    "tenant.created": _("created the tenant"),
    "tenant.switch": _("asked for another tenant"),
    "upstream.removed": _("removed the upstream"),
    "upstream.set": _("set the upstream"),
    "usage_limit.set": _("set a limit"),
    "webhook.changed": _("changed the webhook"),
    "webhook.created": _("added the webhook"),
    "webhook.deleted": _("deleted the webhook"),
    "webhook.replayed": _("sent the delivery again"),
    "webhook.rotated": _("rotated the secret of the webhook"),
    "webhook.switched_off": _("switched the webhook off"),
    "webhook.tested": _("sent a test to the webhook"),
    "work.discarded": _("discarded dead work"),
    "work.replayed": _("replayed dead work"),
}
# What screens record of every table.
VERBS: Mapping[str, Any] = {
    "viewed": _("viewed: %(what)s"),
    "listed": _("viewed the list: %(what)s"),
    "history_viewed": _("viewed the audit trail of: %(what)s"),
    "added": _("added: %(what)s"),
    "changed": _("changed: %(what)s"),
    "deleted": _("deleted: %(what)s"),
    "erased": _("erased: %(what)s"),
}
# Acts that name the page that somebody asked for.
REFUSABLE = ("console.page", "console.form")
# What a link to a row without a name says.
NAMELESS: Mapping[str, Any] = {
    "erasure": _("certificate"),
    "subject_join": _("the join"),
    "webhook_delivery": _("the delivery"),
    "support_session": _("the session"),
}
LOOKS = ("viewed", "listed", "history_viewed", "searched", "previewed", "opened")


# The console says "person" and "answer" where the API says subject and receipt: one of it, and many.
OWN_WORDS: Mapping[str, tuple[Any, Any]] = {
    "subject": (_("person"), _("people")),
    "receipt": (_("answer"), _("answers")),
    "tag": (_("place or contact"), _("places and contacts")),
}


def build_looks_condition() -> Q:
    """Return the condition of records of who has seen something."""
    looks = Q()
    for verb in LOOKS:
        looks |= Q(action__endswith=f".{verb}")
    return looks & ~Q(action="support.opened")


class LooksFilter(ConditionFilter):
    """Filters the trail by acts and looks. Acts are the default: looks are many times as many."""

    title = _("kind")
    parameter_name = "show"
    has_default = True

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        looks = build_looks_condition()
        return {"acts": (_("actions"), ~looks), "looks": (_("views"), looks), "all": (_("All"), Q())}

    def value(self) -> str:
        chosen = super().value() or "acts"
        return chosen if chosen in ("acts", "looks", "all") else "acts"

    def choices(self, changelist: Any) -> Any:
        """Yield the choices without Django's own “All”, which would be the default."""
        yield from list(super().choices(changelist))[1:]


class ActionFilter(admin.AllValuesFieldListFilter):
    """Filters the trail by act, in the words of its sentences."""

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        yield first
        told: list[Any] = [{**one, "display": describe_action(str(one["display"]))} for one in others]
        yield from sorted(told, key=itemgetter("display"))


class TimeFilter(admin.DateFieldListFilter):
    """Filters the trail by when something was done."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = _("time")


@dataclass(frozen=True, slots=True)
class AuditTrail:
    """The newest records about one object, the newest first: acts on it, and who has seen it."""

    acts: Sequence[Any]
    views: Sequence[Any]


def load_audit_trail(records: QuerySet[AuditRecord], request: HttpRequest, most: int) -> AuditTrail:
    """Return the trail of one thing, at most so many records of each half."""
    looks = build_looks_condition()
    named = annotate_object_names(annotate_actor_names(annotate_people(records, request)))
    trail = AuditTrail(list(named.filter(~looks)[:most]), list(named.filter(looks)[:most]))
    name_personal_objects([*trail.acts, *trail.views], request)
    for record in (*trail.acts, *trail.views):
        record.sentence, record.why = render_sentence(record), render_reason(record)
    return trail


def annotate_people(records: QuerySet[AuditRecord], request: HttpRequest) -> QuerySet[AuditRecord]:
    """Annotate records with ``person``, the product's id of the subject; "" for one who is erased, and for everybody
    while the reader needs a support session and has none: the id may be an e-mail address."""
    if is_support_session_missing(request):
        return records.annotate(person=Value("", CharField()))
    subject = Subject.objects.filter(pk=OuterRef("subject_ref"), erasing=False)
    return records.annotate(person=Subquery(subject.values("external_id")[:1], CharField()))


def describe_action(action: str) -> str:
    """Return an action in words; an unknown one as it is."""
    if action in ACTS:
        return str(ACTS[action])
    table, _dot, verb = action.partition(".")
    if table == "api":
        return gettext("called the API, scope %(scope)s") % {"scope": verb}
    model = find_model(table)
    if model is None or verb not in VERBS:
        return action
    words = OWN_WORDS.get(table, (model._meta.verbose_name, model._meta.verbose_name_plural))
    return str(VERBS[verb]) % {"what": words[verb == "listed"]}


def name_viewed_page(page: str) -> str:
    """Return the name of a page of the console, by that of its address; an unknown one without its underscores."""
    for model in admin.site._registry:
        screen = f"{model._meta.app_label}_{model._meta.model_name}_"
        if page.startswith(screen):
            one, many = OWN_WORDS.get(model._meta.db_table, (model._meta.verbose_name, model._meta.verbose_name_plural))
            return str(many if page.removeprefix(screen) == "changelist" else one)
    return page.replace("_", " ")


def find_model(table: str) -> type[Model] | None:
    """Return the model of a screen by its table."""
    return next((model for model in admin.site._registry if model._meta.db_table == table), None)


def render_reason(record: Any) -> str:
    """Return a reason in a line. The role, the limits or the minutes before it are told with the act."""
    return render_line(split_reason(record)[1])


def mark_same_acts(records: Sequence[Any]) -> None:
    """Mark records, the newest first, whose reason stands with the one before it in time: an act and what it
    entailed."""
    for record, earlier in pairwise(records):
        same = [(one.request_id, one.actor_id, one.reason) for one in (record, earlier)]
        record.is_same_act = bool(record.reason) and same[0] == same[1]


def render_reason_once(record: Any) -> str:
    if getattr(record, "is_same_act", False):
        return format_html('<span class="faint">{}</span>', gettext("as below: the same act"))
    return render_reason(record)


@admin.display(description=_("what"), ordering="action")
def render_sentence(record: Any) -> SafeString:
    """Return act, object and person as HTML with links."""
    parts: list[str] = [describe_action(record.action)]
    parts += [part for part in (_render_object(record), split_reason(record)[0], _render_person(record)) if part]
    return format_html(" · ".join(["{}"] * len(parts)), *parts)


def _render_object(record: Any) -> str:
    name = getattr(record, "object_name", record.object_id)
    if record.object_kind == Tenant._meta.db_table:
        return ""  # the trail is of one tenant
    if record.action in REFUSABLE:
        return name_viewed_page(record.object_kind)
    if not record.object_id or str(record.object_id) == str(record.subject_ref):
        return ""
    listed: Mapping[str, tuple[type[Model], str, str]] = {
        "api_key": (ApiKey, record.object_id, name),
        "member": (Member, name, name),
        "policy_version": (PolicyVersion, name, gettext("version %s") % name),
    }
    if record.object_kind in listed and parse_uuid(record.object_id) is None:
        listed_model, words, text = listed[record.object_kind]
        return _link(build_list_address(listed_model, q=words), text)
    model = find_model(record.object_kind)
    row_id = parse_uuid(record.object_id)
    if row_id is None:
        return format_html("<bdi>{}</bdi>", name)
    text = str(NAMELESS.get(record.object_kind, shorten_id(row_id))) if name == record.object_id else name
    return _link(build_change_address(model, row_id), text) if model else format_html("<bdi>{}</bdi>", text)


def _render_person(record: Any) -> str:
    if record.subject_ref is None:
        return ""
    name = getattr(record, "person", "") or gettext("person %(id)s") % {"id": shorten_id(record.subject_ref)}
    return _link(build_change_address(Subject, record.subject_ref), name)


def _link(address: str, text: str) -> str:
    return format_html('<a href="{}"><bdi>{}</bdi></a>', address, text)
