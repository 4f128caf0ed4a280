"""Lists that are read piece by piece leave nothing open outside of a transaction. Rows: D6."""

from django.db import connection, transaction

from tenants.models import Tenant
from tests.conftest import World


def count_cursors() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors WHERE name LIKE '\\_django%%'", [])
        return int(cursor.fetchone()[0])


def test_a_list_is_read_in_pieces_within_a_transaction_alone(world: World) -> None:
    for is_within, cursors in ((True, 1), (False, 0)):
        with transaction.atomic() if is_within else connection.cursor():
            slugs = Tenant.objects.order_by("slug").values_list("slug", flat=True).iterator(chunk_size=1)
            assert next(slugs) == "acme"
            assert count_cursors() == cursors
            assert list(slugs) == ["globex"]
