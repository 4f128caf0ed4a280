"""The demo world is made once, by the ordinary verbs, and made whole again when parts are missing. Rows: D6, C1."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Max, Sum

from memory_platform.console.figures.daily_indicators import compute_saved_share, compute_share
from memory_platform.console.site.start_page import load_bad_answers
from memory_platform.devstack.private_files import DemoAccess, read_demo_access
from memory_platform.devstack.seed.demo_people import STAFF, WORLD, load_talks
from memory_platform.devstack.seed.events_beside_talks import RIGHT_ADDRESS
from memory_platform.devstack.seed.world import OPERATOR, seed_world
from memory_platform.kernel.clock import utc_now
from profiles.models import Candidate, Preference, Subject, Tag
from snapshots.feedback.tallies.arm_figures import COUNTS
from snapshots.models import Conversation, Indicator, Message, QueueDay, Receipt, ReceiptMemory, Work
from snapshots.queue.config import QUEUE_CONFIG
from snapshots.receipts.read import list_explained_candidates, unpack_rendered_prompt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, PolicyVersion, Scope, UsageDay, UsageEvent
from tenants.selectors import roles_of_staff, tenant_by_slug
from tenants.services.keys import authenticate_key
from tenants.services.policies import active_number

ACME = WORLD[0]
TWO_WEEKS = 14
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demo world"), pytest.mark.timeout(300)]


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
        assert list(said) == [line for talk in load_talks(ACME) if talk.subject == "ada" for line in talk.lines]
        assert set(Subject.objects.values_list("external_id", flat=True)) == {"ada", "lin-yue", "noah"}
    with tenant_tx(tenant_by_slug("globex").id):
        assert list(Subject.objects.values_list("external_id", flat=True)) == ["gil"]


def test_all_that_belongs_to_an_answer_happened_when_it_was_given(access: DemoAccess) -> None:
    now, first_day = utc_now(), utc_now().date() - timedelta(days=TWO_WEEKS - 1)
    for plan in WORLD:
        with tenant_tx(tenant_by_slug(plan.slug).id):
            for said, accepted in Message.objects.values_list("said_at", "accepted_at"):
                assert abs(accepted - said) < timedelta(minutes=5)
            for receipt in Receipt.objects.all():
                assert first_day <= receipt.created_at.date()
                assert receipt.replied_at
                assert timedelta(0) <= receipt.replied_at - receipt.created_at < timedelta(minutes=5)
            for work in Work.objects.filter(state="done"):
                assert work.done_at
                assert timedelta(0) < work.done_at - work.created_at < timedelta(minutes=5)
                assert work.message is None or abs(work.created_at - work.message.said_at) < timedelta(minutes=5)
            assert not Preference.objects.filter(recorded_at__gt=now - timedelta(days=2)).exists()
    with tenant_tx(tenant_by_slug("acme").id):
        # Nobody moves the audit trail.
        assert min(AuditRecord.objects.values_list("at", flat=True)).date() >= now.date() - timedelta(days=1)


def test_a_second_run_changes_nothing(access: DemoAccess, data_dir: Path) -> None:
    before = {plan.slug: describe_rows(plan.slug) for plan in WORLD}
    assert seed_world(data_dir) == access == read_demo_access(data_dir)
    assert {plan.slug: describe_rows(plan.slug) for plan in WORLD} == before
    for plan in WORLD:
        talks = load_talks(plan)
        with tenant_tx(tenant_by_slug(plan.slug).id):
            assert Message.objects.count() == sum(len(talk.lines) for talk in talks)
            assert Receipt.objects.count() == sum(talk.answer_count for talk in talks)


def describe_rows(slug: str) -> list[Any]:
    models = (Message, Receipt, ReceiptMemory, Work, Preference, Tag, PolicyVersion, Indicator, QueueDay, UsageDay)
    with tenant_tx(tenant_by_slug(slug).id):
        return [list(model.objects.order_by("id").values()) for model in models]


def test_answers_show_what_was_remembered_and_what_the_user_made_of_it(access: DemoAccess) -> None:
    with tenant_tx(tenant_by_slug("acme").id):
        home = Receipt.objects.get(conversation__external_id="way-home")
        assert "12 Willow Lane" in str(unpack_rendered_prompt(home))
        assert {one["user_feedback_signal"] for one in list_explained_candidates(home)} >= {"positive"}
        chinese = Receipt.objects.get(conversation__external_id="回家")
        assert "锦绣路100号" in str(unpack_rendered_prompt(chinese))
        lunch = Receipt.objects.get(conversation__external_id="lunch-again")
        said_again = [one for one in list_explained_candidates(lunch) if one["user_feedback_signal"] == "positive"]
        assert said_again, "the allergy that had to be told twice"
        assert "Where could we have lunch?" in [one.question for one in load_bad_answers()]
        (silent,) = Receipt.objects.filter(answered_at=None)
        assert silent.conversation and silent.conversation.external_id == "wrong-door"


def test_staff_have_something_to_do_and_something_done(access: DemoAccess) -> None:
    with tenant_tx(tenant_by_slug("acme").id):
        waiting = Candidate.objects.filter(verdict="pending").order_by("subject__external_id")
        assert list(waiting.values_list("subject__external_id", "target")) == [
            ("ada", "climate/temperature"),
            ("ada", "climate/temperature"),
            ("noah", "climate/temperature"),
        ]
        (dead,) = Work.objects.filter(state="dead")
        assert (dead.kind, dead.error_code, dead.attempts) == (
            "extract",
            "lease_expired",
            QUEUE_CONFIG.extract_attempts,
        )
        assert not Work.objects.exclude(state__in=("done", "dead")).exists()
        assert Conversation.objects.filter(status="ended").exists()
        assert Tag.objects.get(subject__external_id="noah", label="office").address == RIGHT_ADDRESS
        by_sam = AuditRecord.objects.get(action="memory.corrected")
        assert by_sam.actor_id == str(User.objects.get(username="sam").pk) and "Noah called" in by_sam.reason
        second = PolicyVersion.objects.get(number=2)
        assert second.author == str(User.objects.get(username="mia").pk)
        assert active_number() == 2


def test_the_dashboard_has_two_weeks_before_any_job_has_run(access: DemoAccess) -> None:
    last_days = {utc_now().date() - timedelta(days=back) for back in range(TWO_WEEKS)}
    answers = sum(talk.answer_count for talk in load_talks(ACME))
    with tenant_tx(tenant_by_slug("acme").id):
        assert {day.day for day in Indicator.objects.filter(contexts__gt=0)} == last_days
        assert sum(day.contexts for day in Indicator.objects.all()) == answers
        assert {day.day for day in QueueDay.objects.all()} >= last_days
        assert sum(day.contexts for day in UsageDay.objects.all()) == answers
        assert not UsageEvent.objects.exists()
        assert any(day.negative for day in Indicator.objects.filter(policy_version="1"))
        first, second = (
            Indicator.objects.filter(policy_version=version).aggregate(
                **{name: Sum(name) for name in COUNTS}, p95=Max("fast_lane_p95_ms")
            )
            for version in ("1", "2")
        )
    saved_first, saved_second = (compute_saved_share(each) or 0 for each in (first, second))
    assert 0.1 < saved_first < saved_second - 0.1
    right_first, right_second = (compute_share("precision", each).value or 0 for each in (first, second))
    assert right_first < right_second
    assert first["corrected"]
