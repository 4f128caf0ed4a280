"""B1: a form that was opened in one tenant wrote into another, chosen meanwhile in a second tab. Rows: T3, D2."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, Invitation, Member, UsageLimit
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.navigation import check_page, choose_tenant, expect_tenant, fill_field, open_page, press_control
from tests.browser.conftest import SitDown
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
Words = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AddForm:
    """A form that adds something: its list in the menu, and the words of its link, fields and button, in English and
    Chinese. ``values``: what is typed into each field."""

    place: Words
    link: Words
    values: tuple[tuple[Words, Words], ...]
    button: Words


REASON = (("Reason", "原因"), ("new here", "新来的"))
FORMS = (
    AddForm(
        ("Members", "成员"),
        ("Invite a member", "邀请成员"),
        ((("For whom", "邀请对象"), ("sam", "sam")), (("Role", "角色"), ("viewer", "查看者")), REASON),
        ("Create invitation link", "创建邀请链接"),
    ),
    AddForm(
        ("API keys", "API 密钥"),
        ("New API key", "新建 API 密钥"),
        ((("Name", "名称"), ("meant for acme", "只给 acme")),),
        ("Create key", "创建密钥"),
    ),
    AddForm(
        ("Limits", "限额"),
        ("New limit", "新建限额"),
        ((("Messages a day", "每日消息数"), ("500", "500")), REASON),
        ("Set the limit", "设置限额"),
    ),
)


def open_form(tab: Page, look: Look, form: AddForm) -> None:
    """Go from the members to the form, and fill it in."""
    open_page(tab, look, *form.place)
    press_control(tab, look, *form.link)
    fill_form(tab, look, form)


def fill_form(tab: Page, look: Look, form: AddForm) -> None:
    for label, value in form.values:
        fill_field(tab, look, *label, look.choose(*value))


def count_made(house: House) -> dict[str, int]:
    """Count what the forms make; a tenant of the test world has one key already."""
    models: tuple[Any, ...] = (Member, Invitation, ApiKey, UsageLimit)
    with tenant_tx(house.tenant.id):
        return {model.__name__: model.objects.count() for model in models}


def test_no_form_of_one_tab_writes_into_the_tenant_of_the_other(world: World, look: Look, sit_down: SitDown) -> None:
    User.objects.create_superuser("olga")
    with tenant_tx(world.acme.tenant.id):
        key_id = ApiKey.objects.get().key_id
    page = sit_down("olga", **look.settings)
    page.goto("/console/switch/")
    press_control(page, look, "Acme", "Acme")
    open_page(page, look, "Settings", "设置")
    tabs = [page.context.new_page() for _form in FORMS]
    for tab, form in zip(tabs, FORMS, strict=True):
        tab.goto(page.url)
        open_form(tab, look, form)
        check_page(tab, look, names=key_id)
    choose_tenant(page, look, "Globex")
    nothing = {"Member": 0, "Invitation": 0, "ApiKey": 1, "UsageLimit": 0}
    for tab, form in zip(tabs, FORMS, strict=True):
        press_control(tab, look, *form.button)
        expect(tab.get_by_role("alert")).to_have_text(
            look.choose(
                "You switched to Globex in another tab. This form was for Acme. Nothing was saved.",
                "您已在另一个标签页中切换到 Globex。此表单属于 Acme。未保存任何内容。",
            )
        )
        expect_tenant(tab, look, "Globex")
        check_page(tab, look)
        assert [count_made(house) for house in (world.acme, world.globex)] == [nothing, nothing]
    press_control(tab, look, "Switch back to Acme", "切换回 Acme")
    expect_tenant(tab, look, "Acme")
    fill_form(tab, look, form)
    press_control(tab, look, *form.button)
    assert count_made(world.acme) == {**nothing, "UsageLimit": 1}
    assert count_made(world.globex) == nothing
    with tenant_tx(world.globex.tenant.id):
        assert list(AuditRecord.objects.filter(refused=True).values_list("action", flat=True)) == ["console.form"] * 3
