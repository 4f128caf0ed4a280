"""What operators come for, in four looks: failed work, jobs, the purge, the models. Rows: D2, E9, G5, L1."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django_celery_beat.models import PeriodicTask
from playwright.sync_api import expect
from pytest_django.fixtures import Settings

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.kernel.clock import utc_now
from memory_platform.providers.endpoints.endpoint_health import start_recording, stop_recording
from memory_platform.providers.registry import forget_providers
from snapshots.jobs import count_embedding_spaces_job
from snapshots.models import Work, WorkState
from snapshots.scheduled_job_registry import COUNT
from tenants.isolation import tenant_tx
from tenants.models import JobRun
from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk
from tests.conftest import House, World
from tests.memory_platform.console.conftest import open_support_for
from tests.model_server import completion, model_server
from tests.snapshots.held import remember
from tests.snapshots.understanding.making import say

# Of the test world, its error and its models.
WORDS = {"olga", "globex", "tests", "valueerror", "default", "large", "hashing", "webhook"}
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
def walk(world: World, sit_down: SitDown, look: Look) -> Walk:
    """Olga, who operates the platform, before the start page. Support sessions in both tenants."""
    sync_schedule()
    User.objects.create_superuser("olga")
    open_support_for("olga", world.acme.tenant, world.globex.tenant)
    jobs = {word for name in PeriodicTask.objects.values_list("name", flat=True) for word in name.split("-")}
    return Walk(sit_down("olga", **look.settings), look, names={*WORDS, *jobs})


@pytest.fixture
def endpoint(settings: Settings) -> Iterator[None]:
    """A chat model that answers."""
    with model_server(lambda _: completion("ok")) as running:
        settings.CHAT_MODEL, settings.CHAT_BASE_URL, settings.CHAT_API_KEY = "large", running.url, "sk-secret-41"
        forget_providers()
        start_recording()
        yield
        stop_recording()
    forget_providers()


def count_states(house: House) -> dict[str, int]:
    with tenant_tx(house.tenant.id):
        states = list(Work.objects.values_list("state", flat=True))
    return {state: states.count(state) for state in set(states)}


def test_what_failed_is_found_and_replayed(world: World, walk: Walk) -> None:
    acme, page, look = world.acme, walk.page, walk.look
    say(acme, look.choose("We have a cat.", "我们养了一只猫。"))
    with tenant_tx(acme.tenant.id):
        failed = Work.objects.update(state=WorkState.DEAD, attempts=8, error_code="ValueError")
    walk.start()
    walk.open_entry("Platform", "平台")
    walk.reach("Platform", "平台")
    line = page.get_by_role("row", name=re.compile("^Acme"))
    walk.click(line.get_by_role("button"))
    walk.reach("Failed items", "失败项")
    expect(page.locator("main")).to_contain_text(look.choose("We have a cat.", "我们养了一只猫。"))
    for box in page.get_by_role("checkbox").all():
        box.check()
    walk.confirm("Replay", "重放")
    expect(page.locator(".review-empty")).to_have_text(look.choose("Nothing failed.", "没有失败项。"))
    walk.look_at_page()
    assert count_states(acme) == {"ready": failed}


def test_what_waits_and_for_how_long_is_seen(world: World, walk: Walk) -> None:
    page, look = walk.page, walk.look
    for house, hours in ((world.acme, 2), (world.globex, 5)):
        say(house, look.choose("We have a cat.", "我们养了一只猫。"))
        with tenant_tx(house.tenant.id):
            Work.objects.update(due_at=utc_now() - timedelta(hours=hours, minutes=14))
    counts = {house.tenant.name: sum(count_states(house).values()) for house in (world.acme, world.globex)}
    walk.start()
    walk.open_entry("Platform", "平台")
    walk.reach("Platform", "平台")
    tile = page.locator(".tile", has_text=look.choose("Waiting", "等待中"))
    expect(tile.locator(".tile-value")).to_have_text(str(sum(counts.values())))
    expect(tile).to_contain_text(look.choose("oldest: 5 h 14 min", "最久：5 小时 14 分钟"))
    for name, hours in (("Acme", 2), ("Globex", 5)):
        cells = page.get_by_role("row", name=re.compile(f"^{name}")).get_by_role("cell")
        expect(cells).to_have_text([str(counts[name]), look.choose(f"{hours} h 14 min", f"{hours} 小时 14 分钟"), "0"])


def test_a_job_is_run_now_and_followed_to_its_end(world: World, walk: Walk) -> None:
    page, look = walk.page, walk.look
    walk.start()
    walk.open_entry("Platform", "平台")
    walk.follow("Timetable", "时间表", page.locator("#content"))
    # The timetable stands in a tenant, and the choice of one leads on to it.
    walk.reach("Choose a tenant", "选择租户")
    walk.press("Acme", "Acme")
    walk.follow("run now", "立即运行", page.get_by_role("row").filter(has_text=COUNT))
    walk.reach("Run the job now", "立即运行作业")
    walk.confirm("Run the job now", "立即运行作业")
    badge = page.locator(".object-header .badge")
    expect(badge).to_have_text(look.choose("Waiting for a worker", "等待工作进程"))
    walk.look_at_page()
    count_embedding_spaces_job()  # as the worker that gets the task does
    # The page looks again by itself.
    expect(badge).to_have_text(look.choose("Done", "已完成"), timeout=20_000)
    assert JobRun.objects.get(job=COUNT).ended_at is not None


def test_what_the_purge_deletes_in_all_tenants_and_how_the_models_are(world: World, walk: Walk, endpoint: None) -> None:
    page, look = walk.page, walk.look
    for house in (world.acme, world.globex):
        remember(house, look.choose("I like tea.", "我喜欢喝茶。"), expires_at=utc_now() + timedelta(days=2))
    walk.start()
    walk.open_entry("Platform", "平台")
    walk.follow_to("Rows due for deletion, all tenants", "全部租户待删除的行")
    expect(page.locator("main")).to_contain_text(look.choose("in 2 tenants together", "2 个租户合计有 2 行"))
    kind = look.choose("snapshots", "快照")
    expect(page.get_by_role("row", name=re.compile(f"^{kind}"))).to_have_text(re.compile(rf"{kind}\s*2"))
    walk.open_entry("Models", "模型")
    walk.reach("Models", "模型")
    line = page.get_by_role("row", name=re.compile("^default"))
    expect(line).to_contain_text(look.choose("not called in seven days", "七天内没有调用"))
    walk.press("Test call", "测试调用", line)
    expect(page.locator(".messagelist")).to_contain_text(look.choose("default answered in", "default 在"))
    expect(line).to_contain_text(look.choose("healthy", "正常"))
    walk.look_at_page()
