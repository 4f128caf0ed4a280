"""The time of the console's pages in a world: found by following links, asked for over HTTP."""

import http.client
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib import import_module
from time import perf_counter
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit
from uuid import UUID

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.urls import Resolver404, resolve, reverse

from lab.benchmarks.load.client import WAIT_S
from lab.benchmarks.load.load_target import MeasuredStack, MeasurementRefused
from lab.benchmarks.load.timings import percentile
from lab.benchmarks.worlds.receipts import find_most_used_snapshot
from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member

WANTED_MS = 300
FLOOR = "/health/live"
OK = 200
HTML = "text/html"
# Parts of names and paths that end the visit, or answer with a file.
SKIPPED = ("logout", "password", "jsi18n", "export", "i18n")


@dataclass(slots=True)
class PageSeen:
    """One kind of page: its address' name with the names of its parameters, and its answers in milliseconds."""

    name: str
    addresses: list[str] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    status: int = OK

    def render_line(self, floor: float) -> str:
        """Return the page as a line; ``floor`` is the time of an empty view, in milliseconds."""
        p50, most = percentile(self.ms, 50), max(self.ms)
        told = f"{self.name}: p50 {p50:.0f} ms ({p50 / floor:.0f} x), most {most:.0f} ms of {len(self.ms)}"
        if self.status != OK:
            told += f", answered {self.status}"
        return told + (f"  OVER {WANTED_MS} ms" if p50 > WANTED_MS else "")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is logged in to the console of a running stack."""

    target: MeasuredStack
    cookie: str

    def get(self, address: str) -> tuple[int, str, float]:
        """Return the status, the page ("" if it is not HTML) and the milliseconds. Raises MeasurementRefused."""
        connection = http.client.HTTPConnection(self.target.host, self.target.port, timeout=WAIT_S)
        try:
            connection.connect()
            began = perf_counter()
            connection.request("GET", address, headers={"Cookie": self.cookie, "Accept": HTML})
            answer = connection.getresponse()
            said = answer.read()
            spent = (perf_counter() - began) * 1_000
        except (OSError, http.client.HTTPException) as gone:
            raise MeasurementRefused(
                f"{self.target.host}:{self.target.port} broke off ({type(gone).__name__})"
            ) from None
        finally:
            connection.close()
        is_page = (answer.headers.get("Content-Type") or "").startswith(HTML)
        return answer.status, said.decode(errors="replace") if is_page else "", spent


class LinkParser(HTMLParser):
    """Collects where the links of a page lead."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for name, value in attrs if name == "href" and value]


def measure_linked_pages(
    visitor: Visitor, starts: Sequence[str], each: int, rounds: int, *, advance: Callable[[int], object]
) -> list[PageSeen]:
    """Follow links from ``starts``; ask for ``each`` pages of a kind, ``rounds`` times each after once unmeasured."""
    pages: dict[str, PageSeen] = {}
    waiting, met = deque(starts), set(starts)
    while waiting:
        address = waiting.popleft()
        name = classify_page(address)
        if name is None:
            continue
        page = pages.setdefault(name, PageSeen(name))
        if len(page.addresses) >= each:
            continue
        page.addresses.append(address)
        page.status, text, _ = visitor.get(address)
        page.ms += [visitor.get(address)[2] for _ in range(rounds)]
        advance(1)
        for link in find_console_links(text, address):
            if link not in met:
                met.add(link)
                waiting.append(link)
    return sorted(pages.values(), key=lambda page: -percentile(page.ms, 50))


def find_console_links(text: str, address: str) -> Iterator[str]:
    links, root = LinkParser(), reverse("admin:index")
    links.feed(text)
    for found in links.found:
        parts = urlsplit(urldefrag(urljoin(address, found)).url)
        if not parts.netloc and parts.path.startswith(root):
            yield parts.geturl()


def classify_page(address: str) -> str | None:
    """Return the view's name with the names of the parameters, or None for a page that is not measured."""
    parts = urlsplit(address)
    try:
        name = resolve(parts.path).view_name
    except Resolver404:
        return None
    if any(part in name or part in parts.path for part in SKIPPED):
        return None
    given = sorted({key for key, _ in parse_qsl(parts.query)})
    return name + (f"?{'&'.join(given)}" if given else "")


def list_start_pages(tenant_id: UUID, subjects: Sequence[str]) -> list[str]:
    """Return where a visit begins: the start page, the pages of these subjects, and those of the newest answer of each
    and of the memory that most of its answers used."""
    with tenant_tx(tenant_id):
        ids = dict(Subject.objects.filter(external_id__in=subjects).values_list("external_id", "id"))
        known = [ids[name] for name in subjects if name in ids]
        answers = [found for found in map(find_most_used_snapshot, known) if found]
    return [
        reverse("admin:index"),
        *(reverse("admin:profiles_subject_change", args=[subject]) for subject in known),
        *(reverse("admin:snapshots_receipt_change", args=[receipt]) for receipt, _ in answers),
        *(reverse("admin:snapshots_snapshot_change", args=[memory]) for _, memory in answers),
        *(f"{reverse('admin:snapshots_receipt_changelist')}?memory={memory}" for _, memory in answers),
    ]


def measure_floor(visitor: Visitor, rounds: int) -> float:
    """Return the milliseconds of a view that does nothing, a connection each as for pages."""
    return percentile([visitor.get(FLOOR)[2] for _ in range(rounds)], 50)


@contextmanager
def log_in_visitor(target: MeasuredStack, tenant_id: UUID) -> Iterator[Visitor]:
    """Log a manager of the tenant in for the time of a visit; they and their session are gone afterwards."""
    user = User.objects.create(username=f"bench-{new_id()}", is_staff=True)
    user.set_unusable_password()
    user.save()
    with tenant_tx(tenant_id):
        member = set_member(user.pk, Role.MANAGER, by=COMMAND_LINE, reason="bench console")
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    try:
        yield Visitor(target, f"{settings.SESSION_COOKIE_NAME}={session.session_key}")
    finally:
        session.delete()
        with tenant_tx(tenant_id):
            member.delete()
        user.delete()
