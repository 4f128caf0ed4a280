"""The menu: a few entries by role, in the order of the work, and all other lists in one group at its end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.custom_pages import is_manager, is_operator
from memory_platform.console.shared.headers.shown_person import ShownPerson, load_shown_person
from memory_platform.console.shared.tenant_access import current_desk
from snapshots.understanding.believing.candidate_review import list_waiting_candidates
from tenants.errors import TenantScopeMissing
from tenants.isolation import tenant_tx
from tenants.models import Role

# From which number on it says nothing more to know how many proposals wait.
MAX_COUNTED = 99
REVIEW_PAGE = "profiles_candidate_review"
PEOPLE_PAGE = "profiles_subject_changelist"


def is_viewer(request: HttpRequest) -> bool:
    return current_desk(request) is not None


def is_support(request: HttpRequest) -> bool:
    desk = current_desk(request)
    return desk is not None and desk.has_role(Role.SUPPORT)


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One entry. ``page``: the name of the address that it opens. ``lists``: the lists below it, as ``app_model``; all
    pages of their rows belong to the entry. ``hidden``: lists that belong to it and have no line of their own.
    ``pages``: beginnings of the names of its other pages."""

    title: Any
    page: str
    may_open: Callable[[HttpRequest], bool]
    lists: Sequence[str] = ()
    pages: Sequence[str] = ()
    hidden: Sequence[str] = ()


# The groups in the order of the work: people, then the tenant, then who may do what, then the platform.
ENTRY_GROUPS: Sequence[Sequence[MenuEntry]] = (
    (
        MenuEntry(_("People"), PEOPLE_PAGE, is_viewer, ("profiles_subject",)),
        MenuEntry(_("Answers"), "snapshots_receipt_changelist", is_viewer, ("snapshots_receipt",)),
        MenuEntry(_("Review"), REVIEW_PAGE, is_viewer, ("profiles_candidate", "snapshots_memoryreview")),
        MenuEntry(
            _("Playground"),
            "playground",
            is_support,
            (),
            ("playground", "snapshots_receipt_playground"),
        ),
    ),
    (
        MenuEntry(_("Quality"), "dashboard", is_manager, ("tenants_usageday", "tenants_modelusage"), ("dashboard",)),
        MenuEntry(_("Policies"), "tenants_policyversion_changelist", is_manager, ("tenants_policyversion",)),
        MenuEntry(_("Experiments"), "tenants_experiment_changelist", is_manager, ("tenants_experiment",)),
    ),
    (
        MenuEntry(
            _("Settings"),
            "tenants_member_changelist",
            is_manager,
            (
                "tenants_member",
                "tenants_invitation",
                "tenants_apikey",
                "tenants_upstream",
                "snapshots_webhook",
                "snapshots_webhookdelivery",
                "tenants_usagelimit",
                "tenants_supportsession",
            ),
        ),
        MenuEntry(_("Audit"), "tenants_auditrecord_changelist", is_manager, ("tenants_auditrecord",)),
    ),
    (
        MenuEntry(
            _("Platform"),
            "operation",
            is_operator,
            (
                "tenants_tenant",
                "auth_user",
                "django_celery_beat_periodictask",
                "tenants_jobrun",
                "admin_logentry",
            ),
            ("operation",),
            ("admin_interface_theme",),  # a library brings it, and it is set once
        ),
        MenuEntry(
            _("Models"), "endpoints", is_operator, ("tenants_modelprice", "snapshots_embeddingspace"), ("endpoints",)
        ),
    ),
)
# The lists of "All data", in groups and in their order. Whoever manages nothing sees no other lists there.
DATA_GROUPS: Sequence[tuple[Any, Sequence[str]]] = (
    (
        _("Memories"),
        (
            "snapshots_note",
            "profiles_profilefact",
            "profiles_preference",
            "profiles_tag",
            "snapshots_snapshot",
            "snapshots_episode",
            "snapshots_memoryfile",
        ),
    ),
    (_("Conversations"), ("snapshots_conversation", "snapshots_message", "snapshots_task", "profiles_ask")),
    (_("Knowledge"), ("snapshots_document", "snapshots_documentcollection")),
    (_("Joined and erased"), ("profiles_subjectjoin", "profiles_erasure", "snapshots_forgetorder")),
)
MACHINE_ROOM = (
    _("Machine room"),
    (
        "snapshots_work",
        "snapshots_workremoved",
        "snapshots_job",
        "snapshots_consolidation",
        "snapshots_calibration",
        "snapshots_keptprefix",
    ),
)
MANAGERS_LISTS = frozenset({"profiles_subjectjoin"})
# Lists that the menu calls otherwise than their models.
LIST_TITLES: Mapping[str, Any] = {
    "admin_logentry": _("Log"),
    "django_celery_beat_periodictask": _("Timetable"),
    "snapshots_forgetorder": _("Forget requests"),
    "profiles_ask": _("Questions asked"),
    "profiles_tag": _("Places and contacts"),
}
ALL_DATA = _("All data")
# Pages of jobs, which stand below the timetable although their names do not begin as those of its list.
TIMETABLE = "django_celery_beat_periodictask"
TIMETABLE_PAGES = frozenset({"preview", "forecast"})
# Where the pages that list an app's models once were, and what has taken their place.
APP_PAGES: Mapping[str, str] = {
    "profiles": "profiles_subject_changelist",
    "snapshots": "snapshots_receipt_changelist",
    "tenants": "tenants_member_changelist",
    "django_celery_beat": "operation",
    "auth": "operation",
    "admin": "operation",
    "admin_interface": "operation",
}


@dataclass(frozen=True, slots=True)
class MenuLink:
    """One line of the menu. ``is_open``: the page belongs to it or to a line ``below``. ``is_current``: this line says
    where the page is. ``hidden``: lists that only breadcrumbs name."""

    title: Any
    address: str
    count: str = ""
    is_open: bool = False
    is_current: bool = False
    below: Sequence["MenuLink"] = ()
    hidden: Sequence["MenuLink"] = ()


@dataclass(frozen=True, slots=True)
class MenuGroup:
    """Some lists of "All data" below their title. ``is_folded``: closed, unless the page is one of them."""

    title: Any
    links: Sequence[MenuLink]
    is_folded: bool = False

    @property
    def is_open(self) -> bool:
        return any(link.is_open for link in self.links)


@dataclass(frozen=True, slots=True)
class Menu:
    """``groups`` of entries, and ``rest``: the lists of "All data". ``crumbs``: title and address of where the page is;
    "All data" has no address. ``person``: whose row the page shows. ``heading``: the menu's name of the list that is
    shown; "" for other pages."""

    groups: Sequence[Sequence[MenuLink]] = ()
    rest: Sequence[MenuGroup] = ()
    crumbs: Sequence[tuple[Any, str]] = ()
    person: ShownPerson | None = None
    heading: Any = ""
    rest_title: Any = ALL_DATA

    @property
    def is_rest_open(self) -> bool:
        return any(group.is_open for group in self.rest)


def build_menu(request: HttpRequest, apps: Iterable[Mapping[str, Any]], waiting: int | None) -> Menu:
    """Return the menu for a person. ``apps``: the lists that the person may see, as Django's admin has them.
    ``waiting``: how many proposals wait; None if nobody has counted them."""
    lists = {
        f"{app['app_label']}_{model['object_name'].lower()}": model
        for app in apps
        for model in app["models"]
        if model["admin_url"]
    }
    page = _name_page(request)
    opened = [[entry for entry in group if entry.may_open(request)] for group in ENTRY_GROUPS]
    # What a list of "All data" holds of a person belongs to the person.
    person = None if _find_claim(page) else load_shown_person(request)
    page = PEOPLE_PAGE if person else page
    groups = [[_link_entry(entry, lists, page, waiting) for entry in group] for group in opened if group]
    placed = {name for group in opened for entry in group for name in (*entry.lists, *entry.hidden)}
    rest = _group_rest({name: lists[name] for name in lists.keys() - placed}, page, request)
    crumbs = _find_crumbs(
        [link for group in groups for link in group], [link for group in rest for link in group.links]
    )
    heading = crumbs[-1][0] if crumbs and not person and page.endswith("_changelist") else ""
    return Menu(groups, rest, crumbs, person, heading)


def count_waiting(tenant_id: Any) -> int | None:
    """Return how many proposals wait for a person, at most one more than :data:`MAX_COUNTED`. A page that is rendered
    without a tenant's scope opens one for it."""
    waiting = list_waiting_candidates().order_by()[: MAX_COUNTED + 1]
    try:
        return waiting.count()
    except TenantScopeMissing:
        with tenant_tx(tenant_id):
            return waiting.count()


def find_app_page(app_label: str, request: HttpRequest) -> str | None:
    """Return the name of the page that has taken the place of an app's list of models; None for an unknown app."""
    name = APP_PAGES.get(app_label)
    may_open = {entry.page: entry.may_open for group in ENTRY_GROUPS for entry in group}
    return name if name is None or may_open[name](request) else "index"


def _name_page(request: HttpRequest) -> str:
    name = (request.resolver_match.url_name or "") if request.resolver_match else ""
    return f"{TIMETABLE}_{name}" if name in TIMETABLE_PAGES else name


def _find_claim(page: str) -> str:
    """Return the longest beginning of a page's name that an entry has as its own."""
    # The longest: the names of the playground's pages begin as those of answers do.
    names = (name for group in ENTRY_GROUPS for entry in group for name in _list_claims(entry))
    return max(filter(page.startswith, names), key=len, default="")


def _list_claims(entry: MenuEntry) -> list[str]:
    return [*entry.pages, *map(_build_claim, (*entry.lists, *entry.hidden))]


def _build_claim(list_name: str) -> str:
    """Return how the names of a list's pages begin in Django's admin."""
    return f"{list_name}_"


def _group_rest(lists: Mapping[str, Any], page: str, request: HttpRequest) -> list[MenuGroup]:
    """Return the groups of "All data". A list that has no place is for managers, and stands in the machine room."""
    shown = lists.keys() - (frozenset() if is_manager(request) else MANAGERS_LISTS)
    named = {name for _title, names in (*DATA_GROUPS, MACHINE_ROOM) for name in names}
    left = sorted(shown - named) if is_manager(request) else []
    placed = [(title, [name for name in names if name in shown]) for title, names in DATA_GROUPS]
    room = [*(name for name in MACHINE_ROOM[1] if name in shown), *left]
    groups = [MenuGroup(title, [_link_list(name, lists[name], page) for name in names]) for title, names in placed]
    groups.append(MenuGroup(MACHINE_ROOM[0], [_link_list(name, lists[name], page) for name in room], is_folded=True))
    return [group for group in groups if group.links]


def _link_list(name: str, model: Mapping[str, Any], page: str) -> MenuLink:
    is_here = page.startswith(_build_claim(name))
    title = LIST_TITLES.get(name, model["name"])
    return MenuLink(title, model["admin_url"], is_open=is_here, is_current=is_here)


def _link_entry(entry: MenuEntry, lists: Mapping[str, Any], page: str, waiting: int | None) -> MenuLink:
    """Return the link of an entry, with the lists below it while the page is one of its own."""
    count = _format_count(waiting) if entry.page == REVIEW_PAGE else ""
    address = reverse(f"admin:{entry.page}")
    if page != entry.page and _find_claim(page) not in _list_claims(entry):
        return MenuLink(entry.title, address, count)
    # The queue's page has a name that begins as those of its list do, and is not the list.
    inside = page if page != entry.page or entry.page.endswith("_changelist") else ""
    below = [_link_list(name, lists[name], inside) for name in entry.lists if name in lists]
    if [link.address for link in below] == [address]:
        below = []
    hidden = [_link_list(name, lists[name], inside) for name in entry.hidden if name in lists]
    is_inside = any(link.is_current for link in below)
    return MenuLink(entry.title, address, count, is_open=True, is_current=not is_inside, below=below, hidden=hidden)


def _find_crumbs(entries: Iterable[MenuLink], rest: Iterable[MenuLink]) -> list[tuple[Any, str]]:
    """Return title and address of where the page is, from the menu; empty for the start page."""
    for link in entries:
        if link.is_open:
            current = [(one.title, one.address) for one in (*link.below, *link.hidden) if one.is_current]
            return [(link.title, link.address), *current]
    return next(([(ALL_DATA, ""), (link.title, link.address)] for link in rest if link.is_open), [])


def _format_count(count: int | None) -> str:
    if not count:
        return ""
    return f"{MAX_COUNTED}+" if count > MAX_COUNTED else str(count)
