"""A tenant's model endpoint: set, shown, removed; its key encrypted, and encrypted anew. Rows: D10, T1."""

import base64
from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from memory_platform.kernel.errors import InvalidInput
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Upstream
from tenants.services.audit import COMMAND_LINE
from tenants.services.upstreams.secret_encryption import KeyUnreadable, SealMissing, seal_key, unseal_key
from tenants.services.upstreams.upstreams import UpstreamMissing, find_upstream, remove_upstream, set_upstream
from tests.conftest import World

URL, KEY = "https://api.openai.com/v1/", "sk-0123456789abcdef-LAST"
FIRST, SECOND = "first secret of more than thirty-two characters", "second secret of more than thirty-two letters"


def test_the_key_is_stored_encrypted_and_shown_by_its_end(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        set_upstream(URL, KEY, by=COMMAND_LINE)
        row = find_upstream()
        assert (row.base_url, row.key_end) == ("https://api.openai.com/v1", "LAST")
        assert KEY.encode() not in bytes(row.sealed_key)
        assert unseal_key(bytes(row.sealed_key)) == KEY
        assert not AuditRecord.objects.filter(reason__contains="sk-").exists()
        assert AuditRecord.objects.get(action="upstream.set").object_id == str(row.id)
    with tenant_tx(world.globex.tenant.id), pytest.raises(UpstreamMissing):
        find_upstream()


def test_a_new_one_takes_the_place_of_the_old_one(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        set_upstream(URL, KEY, by=COMMAND_LINE)
        set_upstream("https://models.example", "", by=COMMAND_LINE)
        [row] = Upstream.objects.all()
        assert (row.base_url, row.key_end, unseal_key(bytes(row.sealed_key))) == ("https://models.example", "", "")
        set_upstream(URL, "sk-short", by=COMMAND_LINE)
        assert find_upstream().key_end == "", "four of eight characters would be much of it"
        remove_upstream(by=COMMAND_LINE)
        assert not Upstream.objects.exists()
        with pytest.raises(UpstreamMissing):
            remove_upstream(by=COMMAND_LINE)


@pytest.mark.parametrize("key", ["with blank", "tab\t", "line\r\nX-Evil: 1", "钥匙", "x" * 1_001, "\x00"])
def test_a_key_that_is_no_header_is_refused(world: World, key: str) -> None:
    with tenant_tx(world.acme.tenant.id), pytest.raises(InvalidInput) as refused:
        set_upstream(URL, key, by=COMMAND_LINE)
    assert [fault.field for fault in refused.value.faults] == ["api_key"]
    assert key not in str(refused.value.faults)


def test_without_a_secret_nothing_is_stored(world: World, settings: Settings) -> None:
    settings.UPSTREAM_KEYS = []
    with tenant_tx(world.acme.tenant.id), pytest.raises(SealMissing):
        set_upstream(URL, KEY, by=COMMAND_LINE)


def test_secrets_can_be_changed_without_losing_a_key(world: World, settings: Settings) -> None:
    settings.UPSTREAM_KEYS = [FIRST]
    with tenant_tx(world.acme.tenant.id):
        set_upstream(URL, KEY, by=COMMAND_LINE)
    settings.UPSTREAM_KEYS = [SECOND, FIRST]
    told = StringIO()
    for _ in range(2):
        call_command("reseal_upstream_keys", stdout=told)
    assert told.getvalue().startswith("1 keys")
    settings.UPSTREAM_KEYS = [SECOND]
    with tenant_tx(world.acme.tenant.id):
        sealed = bytes(find_upstream().sealed_key)
    assert unseal_key(sealed) == KEY
    settings.UPSTREAM_KEYS = [FIRST]
    with pytest.raises(KeyUnreadable):
        unseal_key(sealed)
    with pytest.raises(CommandError, match="acme"):
        call_command("reseal_upstream_keys", stdout=told)


def test_what_was_changed_or_made_by_others_is_unreadable(settings: Settings) -> None:
    settings.UPSTREAM_KEYS = [FIRST]
    sealed = seal_key(KEY)
    other = Fernet(base64.urlsafe_b64encode(b"x" * 32)).encrypt(KEY.encode())
    for bad in (b"", b"x", sealed[:-4], sealed[:-2] + b"AA", other):
        with pytest.raises(KeyUnreadable):
            unseal_key(bad)
