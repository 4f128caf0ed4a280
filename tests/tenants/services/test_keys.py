"""API keys: shown once, stored hashed, refused alike. Rows: T2, T7. Matrix: 18."""

import re
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import InvalidInput
from tenants.errors import InvalidKey
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, ApiKeyDigest, AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import (
    SCANNER_PATTERN,
    authenticate_key,
    create_key,
    key_by_id,
    make_key_parts,
    parse_token,
    revoke_key,
    rotate_key,
)
from tests.conftest import World


def test_a_key_tells_who_calls_and_what_it_may_do(world: World) -> None:
    caller = authenticate_key(world.acme.token)
    assert (caller.tenant_id, caller.tenant_slug) == (world.acme.tenant.id, "acme")
    assert caller.scopes == {"memory:read", "memory:write", "knowledge:write", "admin"}


def test_the_written_key_is_found_by_the_published_scanner_pattern(world: World) -> None:
    assert re.fullmatch(SCANNER_PATTERN, world.acme.token)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"),
        lambda token: token[:25] + ("0" if token[25] != "0" else "1") + token[26:],
        lambda token: token.lower(),
        lambda token: make_key_parts().token,
        lambda token: "",
        lambda token: "Bearer " + token,
        lambda token: token + " ",
        lambda token: "mk_live_" + "a" * 10_000,
        lambda token: "mk_live_密钥" + token[10:],
        lambda token: token.replace("mk_live_", "mk_test_"),
        lambda token: token + "\x00",
    ],
)
def test_a_spoilt_key_is_refused_like_an_unknown_one(world: World, spoil: object) -> None:
    with pytest.raises(InvalidKey):
        authenticate_key(spoil(world.acme.token))  # type: ignore[operator]  # one of the lambdas above


def test_the_secret_of_one_key_does_not_open_another(world: World) -> None:
    acme, globex = parse_token(world.acme.token), parse_token(world.globex.token)
    assert acme
    assert globex
    mixed = type(acme)(acme.key_id, globex.secret)
    with pytest.raises(InvalidKey):
        authenticate_key(mixed.token)


def test_an_expired_key_is_refused(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        past = utc_now() - timedelta(seconds=1)
        token = create_key(name="old", scopes=["memory:read"], by=COMMAND_LINE, expires_at=past).token
    with pytest.raises(InvalidKey):
        authenticate_key(token)


def test_a_revoked_key_is_refused_at_once(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        revoke_key(ApiKey.objects.get(), by=COMMAND_LINE, reason="leaked")
    with pytest.raises(InvalidKey):
        authenticate_key(world.acme.token)


def test_rotation_lets_both_keys_live_until_the_chosen_end(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        successor = rotate_key(ApiKey.objects.get(), by=COMMAND_LINE, overlap=timedelta(minutes=5))
    assert authenticate_key(world.acme.token).scopes == authenticate_key(successor.token).scopes
    with tenant_tx(world.acme.tenant.id):
        old = key_by_id(world.acme.token[8:20])
        assert old.rotated_to_id == successor.api_key.id
        assert old.expires_at is not None
        assert old.expires_at <= utc_now() + timedelta(minutes=5)


def test_rotation_never_prolongs_a_key_that_ends_sooner(world: World) -> None:
    soon = utc_now() + timedelta(minutes=1)
    with tenant_tx(world.acme.tenant.id):
        key = create_key(name="short", scopes=["memory:read"], by=COMMAND_LINE, expires_at=soon).api_key
        rotate_key(key, by=COMMAND_LINE, overlap=timedelta(days=1))
        assert key.expires_at == soon


def test_use_is_noted_but_not_more_than_once_a_minute(world: World) -> None:
    authenticate_key(world.acme.token)
    with tenant_tx(world.acme.tenant.id):
        first = ApiKey.objects.get().last_used_at
    authenticate_key(world.acme.token)
    with tenant_tx(world.acme.tenant.id):
        assert ApiKey.objects.get().last_used_at == first
        assert first is not None


def test_the_secret_is_nowhere_in_the_database(world: World) -> None:
    parts = parse_token(world.acme.token)
    assert parts
    with connection.cursor() as cursor:
        cursor.execute("SELECT a::text FROM app.auth_key(%s) a", [parts.key_id])
        assert parts.secret not in str(cursor.fetchall())


def test_the_serving_role_cannot_read_a_digest(world: World) -> None:
    with pytest.raises(DatabaseError), tenant_tx(world.acme.tenant.id):
        list(ApiKeyDigest.objects.all())


@pytest.mark.parametrize("scopes", [[], ["memory:rule"], ["memory:read", ""]])
def test_a_key_needs_known_scopes(world: World, scopes: list[str]) -> None:
    with pytest.raises(InvalidInput), tenant_tx(world.acme.tenant.id):
        create_key(name="odd", scopes=scopes, by=COMMAND_LINE)


def test_making_and_revoking_a_key_leaves_audit_records(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        revoke_key(ApiKey.objects.get(), by=COMMAND_LINE, reason="leaked")
        trail = list(AuditRecord.objects.order_by("at").values_list("action", "reason"))
    assert trail == [("tenant.created", ""), ("api_key.created", ""), ("api_key.revoked", "leaked")]
