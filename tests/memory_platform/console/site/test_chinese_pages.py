"""Every page of the console in Chinese has no English word left over. Rows: D2.

Names stay as they are (people, products, ids, addresses), and so do the settings and jobs that documents and logs name.
"""

import re
from collections import defaultdict
from html.parser import HTMLParser

import pytest
from django.test import Client

from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_every_page import Rows, open_page, pages_of, people

SAID = "花生"
READ_OUT = {"title", "placeholder", "aria-label", "alt"}
SILENT = {"script", "style", "svg", "code", "kbd", "pre", "template"}
BREAKS = re.compile(r"[A-Za-z][A-Za-z'’]+")
# An id, an address, the beginning of a key, the name of a setting, a job or an act on record.
CODE = re.compile(
    r"[\w%{}]*[A-Za-z0-9%}][_.:/@+=-][\w./:@=+%{}-]*|\w*\d\w*|#\w+"
    r"|\w*(?:[a-z][A-Z]|[A-Z]{2}[a-z])\w*"
)
# Names of people, tenants and products, units, and values of settings as documents and the API write them.
NAMES = frozenset(
    [
        "API",
        "Webhook",
        "UTC",
        "JSON",
        "LDAP",
        "CSV",
        "POI",
        "USD",
        "URL",
        "ID",
        "Id",
        "id",
        "token",
        "English",
        "Acme",
        "Globex",
        "acme",
        "globex",
        "ada",
        "mia",
        "olga",
        "sam",
        "vic",
        "gus",
    ]
) | frozenset(
    [
        "tests",
        "viewer",  # a role, as the reason of its setting
        "support",
        "manager",
        "admin",
        "judge",
        "import",
        "hyperbolic",
        "light",
        "middle",
        "strong",
        "ranks",
        "scores",
        "steps",
        "episode",
        "hashing",
        "none",
        "True",
        "False",
        "None",
    ]
)
# Documents of policies, the origin of prices, and what a list calls a key.
DATA = re.compile(r"^[\[{\"]|read on|^\S+ - ")
# Forms of libraries for the operator: the theme's editor, time zones and the language of cron.
LIBRARIES_OWN = ("/admin_interface/theme/", "/django_celery_beat/")


class PageReader(HTMLParser):
    """What somebody reads on a page, or has read out."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in SILENT
        self.told += [value or "" for name, value in attrs if name in READ_OUT]
        given = dict(attrs)
        if tag == "input" and given.get("type") in {"submit", "button"}:
            self.told.append(given.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in SILENT

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.told.append(data)


def untranslated_texts(html: str) -> set[str]:
    read = PageReader()
    read.feed(html)
    told = (CODE.sub(" ", one).strip() for one in read.told if not DATA.search(one.strip()))
    return {one for one in told if set(BREAKS.findall(one)) - NAMES}


@pytest.fixture
def rows(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each(SAID)


def in_chinese(client: Client, page: str) -> str:
    client.cookies["django_language"] = "zh-hans"
    answer = open_page(client, page)
    return answer.content.decode() if "html" in answer["Content-Type"] else ""


@pytest.mark.slow
def test_no_page_has_an_english_word_left_over(world: World, staff: Staff, rows: Rows) -> None:
    left: dict[str, set[str]] = defaultdict(set)
    for client in people(world, staff):
        for page in pages_of(rows):
            if not any(own in page for own in LIBRARIES_OWN):
                for words in untranslated_texts(in_chinese(client, page)):
                    left[words].add(page)
    assert dict(left) == {}


def test_what_is_left_over_is_found_and_what_may_stay_is_not() -> None:
    read = '<p title="go on">花生 <b>peanuts</b></p><script>let x</script><td>memory.viewed top_k mia 2026-03-01</td>'
    assert untranslated_texts(read) == {"go on", "peanuts"}
