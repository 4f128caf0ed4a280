"""What is missing of the demo world is made again. Rows: D6, T2."""

from pathlib import Path

import pytest

from memory_platform.devstack.seed.world import seed_world
from profiles.models import Tag
from snapshots.jobs import drain_work_job
from snapshots.models import Work
from snapshots.queue.dead_work import replay_work
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, key_by_id, revoke_key


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_revoked_key_and_a_lost_file_are_replaced_and_a_dead_letter_is_not(database: None, tmp_path: Path) -> None:
    first = seed_world(tmp_path)
    caller = authenticate_key(first.keys["acme"])
    with tenant_tx(caller.tenant_id):
        assert not Tag.objects.filter(label="Emma").exists()
        assert replay_work(Work.objects.get(state="dead"), by=COMMAND_LINE, reason="The workers are well again.")
    drain_work_job(tenant_id=str(caller.tenant_id))
    with tenant_tx(caller.tenant_id):
        revoke_key(key_by_id(caller.key_id), by=COMMAND_LINE)
    second = seed_world(tmp_path)
    assert second.keys["acme"] != first.keys["acme"]
    assert second.keys["globex"] == first.keys["globex"]
    (tmp_path / "demo.json").unlink()
    third = seed_world(tmp_path)
    assert authenticate_key(third.keys["acme"]).tenant_slug == "acme"
    with tenant_tx(caller.tenant_id):
        assert Tag.objects.filter(label="Emma").exists()
        assert not Work.objects.exclude(state="done").exists()
