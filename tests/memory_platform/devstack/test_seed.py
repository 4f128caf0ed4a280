"""The demo world is made once, by the ordinary verbs, and made whole again when parts are missing. Rows: D6, C1."""

from pathlib import Path

from django.contrib.auth.models import User

from memory_platform.devstack.demo import demo_access
from memory_platform.devstack.seed import OPERATOR, SUPPORT, seed_world
from memory_platform.devstack.seed_data import ADA, WORLD
from profiles.models import Subject
from snapshots.models import Message
from tenants.isolation import tenant_tx
from tenants.models import Scope
from tenants.selectors import roles_of_staff, tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, key_by_id, revoke_key


def test_each_tenant_gets_a_key_with_every_scope(database: None, tmp_path: Path) -> None:
    access = seed_world(tmp_path)
    assert set(access.keys) == {"acme", "globex"}
    for slug, token in access.keys.items():
        caller = authenticate_key(token)
        assert (caller.tenant_slug, caller.scopes) == (slug, frozenset(Scope.values))


def test_staff_see_their_own_tenant_only_and_the_operator_all(database: None, tmp_path: Path) -> None:
    access = seed_world(tmp_path)
    for name, slug in SUPPORT.items():
        user = User.objects.get(username=name)
        assert user.check_password(access.logins[name])
        assert roles_of_staff(user.pk) == {tenant_by_slug(slug).id: "support"}
    assert User.objects.get(username=OPERATOR).is_superuser


def test_what_was_said_is_stored_in_order_and_apart(database: None, tmp_path: Path) -> None:
    seed_world(tmp_path)
    with tenant_tx(tenant_by_slug("acme").id):
        said = Message.objects.filter(subject__external_id="ada").order_by("said_at").values_list("content", flat=True)
        assert list(said) == [words for talk in ADA.talks for _, words in talk.turns]
    with tenant_tx(tenant_by_slug("globex").id):
        assert list(Subject.objects.values_list("external_id", flat=True)) == ["gil"]


def test_a_second_run_changes_nothing(database: None, tmp_path: Path) -> None:
    first = seed_world(tmp_path)
    assert seed_world(tmp_path) == first == demo_access(tmp_path)
    for plan in WORLD:
        with tenant_tx(tenant_by_slug(plan.slug).id):
            assert Message.objects.count() == sum(len(t.turns) for s in plan.subjects for t in s.talks)


def test_a_revoked_key_and_a_lost_file_are_replaced(database: None, tmp_path: Path) -> None:
    first = seed_world(tmp_path)
    caller = authenticate_key(first.keys["acme"])
    with tenant_tx(caller.tenant_id):
        revoke_key(key_by_id(caller.key_id), by=COMMAND_LINE)
    second = seed_world(tmp_path)
    assert second.keys["acme"] != first.keys["acme"]
    assert second.keys["globex"] == first.keys["globex"]
    (tmp_path / "demo.json").unlink()
    third = seed_world(tmp_path)
    assert authenticate_key(third.keys["acme"]).tenant_slug == "acme"
