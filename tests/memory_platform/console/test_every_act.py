"""Every act of staff can be taken back by another one, or its form says beforehand that it cannot. Rows: D2, T7, E8.

The acts are those that the pages offer: whoever adds one says here what takes it back, or that nothing can on its page.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from admin_interface.models import Theme
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import PeriodicTask

from memory_platform.beat_scheduler import sync_schedule
from tenants.isolation import tenant_tx
from tenants.models import Experiment, Member, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.shared.desks import switch_tenant
from tests.memory_platform.console.test_every_page import Rows, pages_of
from tests.memory_platform.console.test_guards import PUBLIC, name_of

# By act, the act that takes it back. An act on a page is named by the page, or by its verb on the page of a memory; an
# action of a list by its code.
WAYS_BACK: Mapping[str, str] = {
    "add_note": "act:retire",
    "add_preference": "act:retire",
    **dict.fromkeys(("act:confirm", "act:correct", "act:retire", "act:vital"), "act:undo"),
    **dict.fromkeys(("list:confirm", "list:retire", "list:keep"), "act:undo"),
    **dict.fromkeys(("list:approve", "list:reject"), "list:reopen"),
    "list:enable": "list:disable",
    "list:disable": "list:enable",
    "list:remove": "tenants_invitation_add",
    "tenants_member_delete": "tenants_invitation_add",
    "tenants_invitation_add": "list:revoke",
    "tenants_apikey_add": "tenants_apikey_revoke",
    "tenants_experiment_start": "tenants_experiment_end",
    "tenants_supportsession_start": "tenants_supportsession_end",
    "tenants_supportsession_end": "tenants_supportsession_start",
    "tenants_modelroute_add": "tenants_modelroute_delete",
    "tenants_modelroute_delete": "tenants_modelroute_add",
    "tenants_usagelimit_add": "tenants_usagelimit_change",
    "tenants_modelprice_add": "tenants_modelprice_add",  # a price with the same first day replaces it
    "admin_interface_theme_add": "admin_interface_theme_delete",
    "admin_interface_theme_delete": "admin_interface_theme_add",
    "snapshots_webhook_add": "snapshots_webhook_delete",
    "auth_user_add": "auth_user_change",
}
# Acts that are taken back by the same form, with what stood there before.
ITS_OWN_WAY_BACK = {
    *(f"{form}_change" for form in ("auth_user", "django_celery_beat_periodictask", "snapshots_webhook")),
    *(f"tenants_{form}_change" for form in ("experiment", "member", "modelroute", "tenant", "upstream", "usagelimit")),
    *("admin_interface_theme_change", "snapshots_webhook_switch", "tenants_supportsession_members"),
    *("auth_user_password_change", "password_change", "tenants_policyversion_activate"),
}
# Forms that change nothing that staff could want back: they show, send, or do again or earlier what is done anyway.
HARMLESS = {
    *("snapshots_receipt_playground", "snapshots_document_playground", "tenants_policyversion_fields"),
    *("profiles_subject_export", "tenants_auditrecord_export", "profiles_erasure_letter", "switch"),
    *("snapshots_webhook_test", "snapshots_webhookdelivery_again", "snapshots_work_replay", "list:replay"),
    *("snapshots_document_reindex", "snapshots_documentcollection_reindex", "django_celery_beat_periodictask_run"),
    *("list:restore", "list:bring_back", "list:take_apart", "tenants_policyversion_add", "tenants_experiment_add"),
}
WARNING = re.compile(r"cannot be undone\.")
FORM = re.compile(r'<form\b[^>]*method="post"[^>]*>.*?</form>', re.DOTALL)
BUTTON = re.compile(r"<(?:button|input)\b[^>]*\bsubmit\b[^>]*>")
ACTION = re.compile(r'name="action" value="(\w+)"')


@pytest.fixture
def rows(world: World) -> Rows:
    """One row of everything; Mia has a second factor and is logged in."""
    sync_schedule()
    with tenant_tx(world.acme.tenant.id):
        made = make_one_of_each("peanuts")
        Experiment.objects.update(status="running")
        return {**made, Member: Member.objects.first(), Tenant: world.acme.tenant}


@pytest.fixture
def operator(world: World, staff: Staff, rows: Rows) -> Client:
    """Olga at acme's desk, who may do everything there."""
    mia = User.objects.get(username="mia")
    assert staff.mia.get("/console/").status_code == 200
    Authenticator.objects.create(user=mia, type=Authenticator.Type.TOTP, data={})
    others: Any = {User: mia, PeriodicTask: PeriodicTask.objects.first(), Theme: Theme.objects.first()}
    rows |= others
    switch_tenant(staff.olga, world.acme)
    return staff.olga


def list_pages(world: World, rows: Rows) -> Iterator[str]:
    """Yield the pages that may offer an act."""
    yield from (page for page in pages_of(rows) if name_of(page) not in PUBLIC and not page.endswith("/history/"))
    yield "/console/tenants/invitation/?state=all"
    with tenant_tx(world.acme.tenant.id):
        draft = Experiment.objects.create(name="draft", arms=rows[Experiment].arms)
    yield reverse("admin:tenants_experiment_start", args=[draft.pk])


def list_acts(page: str, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the acts that a page offers, each with whether the page says before the button that it is final."""
    main = text.partition("<main")[2]
    for form in FORM.finditer(main):
        codes, target = ACTION.findall(form[0]), re.search(r'\baction="(/[^"]*)"', form[0].partition(">")[0] + ">")
        name = name_of(target[1]) if target else name_of(page.partition("?")[0])
        if name.endswith("_act"):
            name = f"act:{page.rstrip('/').rpartition('/')[2]}" if "/act/" in page else "act:undo"
        if codes:
            finals = re.findall(r"“([^”]+)” cannot be undone\.", form[0])
            labels = dict(re.findall(r'value="(\w+)"[^>]*>([^<]+)</button>', form[0]))
            yield from ((f"list:{code}", labels.get(code) in finals) for code in codes)
        elif BUTTON.search(form[0]) and 'name="index"' not in form[0]:
            button = list(BUTTON.finditer(form[0]))[-1]
            yield name, bool(WARNING.search(main[: form.start() + button.start()]))


@pytest.mark.slow
def test_every_act_can_be_taken_back_or_says_that_it_cannot(world: World, operator: Client, rows: Rows) -> None:
    final: set[str] = set()
    open_acts: set[str] = set()
    for page in list_pages(world, rows):
        answer: Any = operator.get(page)
        if answer.status_code == 200 and not answer.streaming and "html" in answer["Content-Type"]:
            for act, says_final in list_acts(page, answer.content.decode()):
                (final if says_final else open_acts).add(act)
    assert open_acts - set(WAYS_BACK) - ITS_OWN_WAY_BACK - HARMLESS - set(WAYS_BACK.values()) == set()
    assert final & (set(WAYS_BACK) | ITS_OWN_WAY_BACK | HARMLESS) == set()
    assert final >= {"act:forget", "list:forget", "list:discard", "list:revoke", "list:renew", "list:rotate"}
    assert final >= {"profiles_subject_erase", "snapshots_document_remove", "snapshots_memoryfile_delete"}
    assert final >= {"snapshots_work_dead", "snapshots_work_discard", "auth_user_access", "tenants_apikey_revoke"}
    assert set(WAYS_BACK.values()) <= open_acts | final | {"list:reopen"}
