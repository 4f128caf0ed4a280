"""Roles say what staff may do: a permission of Django's opens nothing and is not asked for. Rows: D2, T3."""

from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tenants.models import Role
from tests.conftest import World
from tests.memory_platform.console.conftest import log_in

KEYS = "/console/tenants/apikey/"


def test_a_permission_of_django_opens_nothing(world: World) -> None:
    viewer = log_in("vera", tenant=world.acme.tenant, role=Role.VIEWER)
    refused = viewer.get(KEYS)
    User.objects.get(username="vera").user_permissions.set(Permission.objects.all())
    with CaptureQueriesContext(connection) as queries:
        answer = viewer.get(KEYS)
    assert answer.status_code == refused.status_code == 403
    assert not [query["sql"] for query in queries.captured_queries if "auth_permission" in query["sql"]]
