"""What is missing of the demo world is made again. Rows: D6, T2."""

from pathlib import Path

import pytest

from memory_platform.devstack.seed.world import seed_world
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, key_by_id, revoke_key


@pytest.mark.slow
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
