"""The operator sees how far a change of the embedding model is; the page counts nothing itself. Rows: S5, D2, T3."""

from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from snapshots.jobs import count_embedding_spaces_job
from snapshots.models import EmbeddingSpace
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.embedding.world import store

SPACES = "/console/snapshots/embeddingspace/"


def test_the_operator_sees_the_last_count_and_writes_nothing(world: World, staff: Staff) -> None:
    with override_settings(EMBEDDER="hashing:64"):
        store(world.acme, "allergic to peanuts", "likes the aisle")
    with override_settings(EMBEDDER="hashing:32,hashing:64"):
        count_embedding_spaces_job()
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    with CaptureQueriesContext(connection) as asked:
        page = staff.olga.get(SPACES).content.decode()
    assert "in use" in page
    assert "2 missing" in page
    assert not [query for query in asked.captured_queries if "snapshot_vector" in query["sql"]]
    space = EmbeddingSpace.objects.get(name="hashing-32")
    assert staff.olga.get(f"{SPACES}{space.pk}/change/").status_code == 200
    assert staff.olga.post(f"{SPACES}{space.pk}/delete/", {"post": "yes"}).status_code == 403


def test_staff_of_tenants_do_not_see_the_platforms_numbers(world: World, staff: Staff) -> None:
    for client in (staff.mia, staff.sam, staff.vic):
        assert client.get(SPACES).status_code == 403
