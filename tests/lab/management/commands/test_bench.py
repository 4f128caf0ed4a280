"""``manage.py bench``: a small world is made once, and a second time nothing is. Rows: D4, E9."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory_platform.env.environment import environment
from snapshots.intake.conversation_rows import end_conversation_on_request
from snapshots.jobs import drain_work_job
from snapshots.models import Snapshot
from snapshots.scheduled_job_registry import COUNT, JOBS
from tenants.isolation import tenant_tx
from tenants.selectors import tenant_by_slug
from tests.conftest import World
from tests.snapshots.held import say

SMALL = ("--snapshots=70", "--subjects=6", "--large=1x30", "--medium=1x20", "--small=2x5", "--pool=60")


def bench(*arguments: str) -> str:
    said = StringIO()
    call_command("bench", *arguments, stdout=said)
    return said.getvalue()


def test_a_world_is_made_once(database: None) -> None:
    assert "bench: 70 snapshots of 6 subjects; 6 are new." in bench("build", *SMALL)
    with tenant_tx(tenant_by_slug("bench").id):
        assert Snapshot.objects.filter(subject__external_id="bench-30-00001").count() == 30
    assert "; 0 are new." in bench("build", *SMALL)


def test_a_world_that_cannot_be_or_is_another_one_is_refused_in_one_sentence(database: None) -> None:
    with pytest.raises(CommandError, match="--snapshots 10 are fewer than the 400,000 of the cohorts"):
        bench("build", "--snapshots=10")
    with pytest.raises(CommandError, match=r"--subjects 20 are fewer than the 1,210 of the cohorts \(--large, "):
        bench("build", "--subjects=20")
    bench("build", *SMALL)
    with pytest.raises(CommandError, match="name another one with --tenant"):
        bench("build", *SMALL, "--seed=2")
    with pytest.raises(CommandError, match="'x' is no cohort such as 10x10000"):
        bench("build", "--large=x")


def test_a_run_without_a_world_says_what_to_do_first(database: None) -> None:
    with pytest.raises(CommandError, match=r"no tenant 'nowhere': run `manage.py bench build` first"):
        bench("run", "--tenant=nowhere")


@pytest.mark.slow
def test_a_run_asks_the_stack_that_the_settings_name(database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    bench("build", *SMALL)
    monkeypatch.setenv("STACK_URL", "http://127.0.0.1:9")
    environment.cache_clear()
    try:
        with pytest.raises(CommandError, match=r"127.0.0.1:9 does not answer .*name the stack's address with --base"):
            bench("run", "--sizes=30", "--clients=1", "--no-peers")
    finally:
        environment.cache_clear()


@pytest.mark.slow
def test_each_job_tells_what_it_foretold_and_did(world: World) -> None:
    acme = world.acme
    say(acme, *(f"I walked {number} miles to the lighthouse" for number in range(100)), conversation="old")
    with tenant_tx(acme.tenant.id):
        end_conversation_on_request(acme.subject.external_id, "old")
    for _ in range(3):
        drain_work_job(tenant_id=str(acme.tenant.id))
    rows = [line.strip("| ").split(" | ") for line in bench("care", "--tenant=acme", "--room=20").splitlines()[3:]]
    told = {job.strip("`"): (preview, run, again) for job, preview, run, again in rows}
    assert set(told) == {*JOBS, "restore of one conversation", "evict-memories, room for 20"}
    assert told["archive-messages"][0] == "1 conversations, 100 messages"
    assert told["archive-messages"][1].startswith("100 rows in ")
    assert told["restore of one conversation"][1].startswith("100 rows in ")
    assert told["purge-expired"][0] == "40 snapshots, 1 ended_keys"
    assert "3 corrected" in told["calibrate-confidence"][0]
    anew = {job for job, (_, _, again) in told.items() if not again.startswith("0 rows in ")}
    assert anew == {"sweep-queue", "roll-up-indicators", COUNT}, "these do the same again"


@pytest.mark.slow
def test_what_documents_add_to_a_context_is_printed(database: None) -> None:
    printed = bench("documents", "docs", "--chunks=40", "--questions=3")
    assert "40 chunks: a context p50" in printed and "ms more; the search" in printed
    with pytest.raises(CommandError, match="too few words"):
        bench("documents", "docs/console")
