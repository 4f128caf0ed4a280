"""The demo world is made once, by the ordinary verbs, and made whole again when parts are missing. Rows: D6, C1."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from memory_platform.devstack.private_files import DemoAccess, demo_access
from memory_platform.devstack.seed.data import ADA, STAFF, WORLD
from memory_platform.devstack.seed.world import OPERATOR, seed_world
from profiles.models import Candidate, Subject
from snapshots.models import Indicator, Message, QueueDay, Receipt, Work
from snapshots.receipts.read import list_explained_candidates, unpack_rendered_prompt
from tenants.isolation import tenant_tx
from tenants.models import Scope, UsageDay
from tenants.selectors import roles_of_staff, tenant_by_slug
from tenants.services.keys import authenticate_key

pytestmark = pytest.mark.xdist_group("demo world")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def access(shared_database: None, data_dir: Path) -> DemoAccess:
    """The ways into a demo world, which no test of this module changes."""
    return seed_world(data_dir)


def test_each_tenant_gets_a_key_with_every_scope(access: DemoAccess) -> None:
    assert set(access.keys) == {"acme", "globex"}
    for slug, token in access.keys.items():
        caller = authenticate_key(token)
        assert (caller.tenant_slug, caller.scopes) == (slug, frozenset(Scope.values))


def test_staff_see_their_own_tenant_only_and_the_operator_all(access: DemoAccess) -> None:
    assert {name for name, staff in STAFF.items() if staff.role == "manager"} == {"mia"}
    for name, staff in STAFF.items():
        user = User.objects.get(username=name)
        assert user.check_password(access.logins[name])
        assert roles_of_staff(user.pk) == {tenant_by_slug(staff.tenant).id: staff.role}
    assert User.objects.get(username=OPERATOR).is_superuser


def test_what_was_said_is_stored_in_order_and_apart(access: DemoAccess) -> None:
    with tenant_tx(tenant_by_slug("acme").id):
        said = (
            Message.objects.filter(subject__external_id="ada")
            .order_by("said_at", "seq")
            .values_list("content", flat=True)
        )
        told = [words for talk in ADA.talks for _, words in talk.turns]
        assert list(said) == told + [words for one in ADA.answers for words in (one.query, one.reply, one.next)]
    with tenant_tx(tenant_by_slug("globex").id):
        assert list(Subject.objects.values_list("external_id", flat=True)) == ["gil"]


def test_a_second_run_changes_nothing(access: DemoAccess, data_dir: Path) -> None:
    assert seed_world(data_dir) == access == demo_access(data_dir)
    for plan in WORLD:
        with tenant_tx(tenant_by_slug(plan.slug).id):
            talks = sum(len(t.turns) for s in plan.subjects for t in s.talks)
            answers = [answer for subject in plan.subjects for answer in subject.answers]
            assert Message.objects.count() == talks + 3 * len(answers)
            assert Receipt.objects.count() == len(answers)


def test_answers_show_what_was_remembered_and_what_the_user_made_of_it(access: DemoAccess) -> None:
    with tenant_tx(tenant_by_slug("acme").id):
        home, lunch, chinese = Receipt.objects.order_by("created_at")
        assert "12 Willow Lane" in str(unpack_rendered_prompt(home))
        assert {one["user_feedback_signal"] for one in list_explained_candidates(home)} >= {"positive"}
        said_again = [one for one in list_explained_candidates(lunch) if one["user_feedback_signal"] == "positive"]
        assert said_again, "the allergy that had to be told twice"
        assert "锦绣路100号" in str(unpack_rendered_prompt(chinese))
        assert Candidate.objects.filter(verdict="pending", subject__external_id="ada").count() == 1


def test_the_dashboard_has_figures_before_any_job_has_run(access: DemoAccess) -> None:
    with tenant_tx(tenant_by_slug("acme").id):
        assert sum(day.contexts for day in Indicator.objects.all()) == 3
        assert sum(day.done for day in QueueDay.objects.all()) == Work.objects.filter(state="done").count() > 0
        assert sum(day.contexts for day in UsageDay.objects.all()) == 3
