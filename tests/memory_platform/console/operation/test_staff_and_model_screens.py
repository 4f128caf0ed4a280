"""Staff see what vendors keep of prompts, whose and until when; nobody else's, and no words. Rows: X9, D2, T1, T3."""

from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.services.subjects import ensure_subject
from snapshots.models import KeptPrefix
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.gemini_server import FakeGemini, gemini_server
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.prompt_cache.test_cache_prefix import keeper, name_of

LIST = "/console/snapshots/keptprefix/"


def make_prefix(house: House, subject: str = "ada", /, **columns: Any) -> KeptPrefix:
    """Make the row of a prefix."""
    values = {"endpoint": "e" * 64, "prefix_hash": f"{subject}-hash", "name": f"cachedContents/{subject}", **columns}
    with tenant_tx(house.tenant.id):
        return KeptPrefix.objects.create(subject=ensure_subject(subject), **values)


def test_a_list_says_whose_how_large_and_until_when(world: World, staff: Staff, settings: Any) -> None:
    with gemini_server() as gemini:
        name_of(world.acme, keeper(gemini))
        endpoint = configure_no_keeper(gemini, settings)
        page = staff.sam.get(LIST).content.decode()
    for words in ("ada", endpoint, "a1a1a1a1a1a1", "2,100", "stored"):
        assert words in page
    assert "花生" not in page


def configure_no_keeper(gemini: FakeGemini, settings: Any) -> str:
    """Configure no keeper: then the endpoint is named by the end of its hash."""
    settings.PROMPT_CACHE_ENDPOINT = ""
    return keeper(gemini).identity[-8:]


def test_another_tenants_are_what_is_not_there(world: World, staff: Staff) -> None:
    own, other = make_prefix(world.acme), make_prefix(world.globex, "gil", prefix_hash="gil-hash")
    assert staff.sam.get(f"{LIST}{own.pk}/change/").status_code == 200
    page = staff.sam.get(LIST).content.decode()
    assert "ada-hash" in page
    assert "gil-hash" not in page
    refused = staff.sam.get(f"{LIST}{other.pk}/change/", follow=True)
    assert "gil-hash" not in refused.content.decode()


def test_nobody_changes_or_deletes_them_here(world: World, staff: Staff) -> None:
    own = make_prefix(world.acme)
    for client in (staff.sam, staff.mia):
        assert client.post(f"{LIST}add/", {}).status_code == 403
        assert client.post(f"{LIST}{own.pk}/change/", {"tokens": "1"}).status_code == 403
        assert client.post(f"{LIST}{own.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"expires_at": timedelta(minutes=5)}, "stored"),
        ({"claim": "0198f0d2-0000-7000-8000-000000000000", "claimed_until": timedelta(minutes=1)}, "being created"),
        ({"name": "", "unnamed_until": timedelta(minutes=5)}, "possibly stored"),
        ({"expires_at": timedelta(minutes=-1)}, "ended"),
    ],
)
def test_each_state_is_told(world: World, staff: Staff, columns: dict[str, Any], told: str) -> None:
    now = utc_now()
    at = {name: now + value if isinstance(value, timedelta) else value for name, value in columns.items()}
    make_prefix(world.acme, "ada", **at)
    page = staff.sam.get(LIST).content.decode()
    row = page[page.index("result_list") :]
    assert told in row[: row.index("</table>")]
