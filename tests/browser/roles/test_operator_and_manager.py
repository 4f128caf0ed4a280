"""What operators and managers come for, on a phone and in Chinese. Rows: D2, C3, E9, G5, T2."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django_celery_beat.models import PeriodicTask
from playwright.sync_api import Page, expect

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.console.shared.value_rendering import build_list_address
from memory_platform.kernel.clock import utc_now
from snapshots.jobs import count_embedding_spaces_job
from snapshots.models import Receipt, ReceiptMemory, Work, WorkState
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_subject
from snapshots.scheduled_job_registry import COUNT
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, JobRun, Role
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_console_pages import find_hidden_parts
from tests.browser.test_stories import CHINESE, ask_for_context, tell_story
from tests.conftest import House, World
from tests.memory_platform.console.conftest import open_support_for
from tests.snapshots.understanding.making import say

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


def send_reason(page: Page, button: str) -> None:
    """Give a reason on a page that nothing hides at the side of, and press its button."""
    assert find_hidden_parts(page) == []
    page.fill("#id_reason", "工单 4711")
    page.click(button)


def count_states(house: House) -> dict[str, int]:
    with tenant_tx(house.tenant.id):
        states = list(Work.objects.values_list("state", flat=True))
    return {state: states.count(state) for state in set(states)}


def test_an_operator_replays_what_failed_and_follows_a_job(world: World, sit_down: SitDown) -> None:
    acme = world.acme
    say(acme, "我们养了一只猫。")
    with tenant_tx(acme.tenant.id):
        failed = Work.objects.update(state=WorkState.DEAD, attempts=8, error_code="ValueError")
    sync_schedule()
    User.objects.create_superuser("olga")
    open_support_for("olga", acme.tenant)
    page = sit_down("olga", **CHINESE.looks)
    page.goto("/console/switch/")
    page.click(f".switch-tenant button[value='{acme.tenant.id}']")
    page.goto("/console/")
    page.click(f"#content a[href='{reverse('admin:snapshots_work_dead')}']")
    for box in page.locator("[name=group]").all():
        box.check()
    send_reason(page, "[name=verb][value=replay]")
    expect(page.locator(".review-empty")).to_be_visible()
    assert count_states(acme) == {"ready": failed}
    page.goto(build_list_address(PeriodicTask))
    job = PeriodicTask.objects.get(name=COUNT)
    page.click(f"a[href='{reverse('admin:django_celery_beat_periodictask_run', args=[job.pk])}']")
    send_reason(page, ".act-submit button")
    expect(page.locator(".object-header .badge")).to_have_text("等待工作进程")
    count_embedding_spaces_job()  # as the worker that gets the task does
    # The page looks again by itself.
    expect(page.locator(".object-header .badge")).to_have_text("已完成", timeout=20_000)
    assert JobRun.objects.get(job=COUNT).ended_at is not None


def test_a_manager_goes_from_a_bad_figure_to_its_answer_and_changes_a_key(
    world: World, site: str, sit_down: SitDown
) -> None:
    acme = world.acme
    tell_story(acme, CHINESE)
    ask_for_context(acme, site, CHINESE)
    with tenant_tx(acme.tenant.id):
        write_memory_rows_of_subject(acme.subject.pk)
        ReceiptMemory.objects.update(signal="negative", utilised=False)
        Receipt.objects.update(replied_at=utc_now())
        key = ApiKey.objects.get()
    create_staff("mia", acme.tenant, Role.MANAGER)
    page = sit_down("mia", **CHINESE.looks)
    page.goto("/console/dashboard/")
    assert find_hidden_parts(page) == []
    page.click(".figure-answers a[href*='outcome=bad']")
    page.locator("#result_list th a").first.click()
    expect(page.locator(".object-header h1")).to_have_text(CHINESE.question)
    page.goto(build_list_address(ApiKey))
    page.click(f"a[href$='{key.pk}/rotate/']")
    send_reason(page, ".act-submit button")
    expect(page.locator("input.secret")).to_have_value(re.compile("mk_live_.{20}"))
    assert find_hidden_parts(page) == []
    page.click("#content-main .button")
    expect(page.locator("#result_list tbody tr")).to_have_count(2)
    assert "mk_live_" not in re.sub(r"mk_live_\w{12}…", "", page.content()), "a secret is shown once"
