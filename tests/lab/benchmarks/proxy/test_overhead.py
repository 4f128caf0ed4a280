"""Calls through the proxy are measured beside calls of the same model without it. Rows: D4, D10."""

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from lab.benchmarks.load.load_target import parse_target
from lab.benchmarks.proxy.overhead import (
    TALK,
    CallPlan,
    Overhead,
    measure_overhead,
    prepare_subject,
    start_made_up_model,
)
from snapshots.models import Conversation, Message
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.upstreams.upstreams import set_upstream
from tests.conftest import World
from tests.serving import serve_app


@pytest.mark.processes
def test_both_ways_are_measured_and_nothing_is_learned_of_them(world: World, settings: Settings) -> None:
    settings.UPSTREAM_HOSTS = ["127.0.0.1"]
    with start_made_up_model() as upstream, serve_app() as port:
        with tenant_tx(world.acme.tenant.id):
            set_upstream(upstream, "", by=COMMAND_LINE)
        target = parse_target(f"http://127.0.0.1:{port}", world.acme.token)
        prepare_subject(target, ["I own a red boat."])
        for is_streamed in (False, True):
            plan = CallPlan(2, 0.0, is_streamed=is_streamed, warm=1)
            seen = measure_overhead(target, upstream, plan, advance=lambda step: None)
            assert [
                len(values) for values in (seen.direct, seen.without_memory, seen.with_memory, seen.context_alone)
            ] == [2] * 4
    with tenant_tx(world.acme.tenant.id):
        assert not Conversation.objects.get(external_id=TALK).remember
        assert Message.objects.filter(conversation__external_id=TALK, role="assistant").exists()


def test_without_its_host_among_the_allowed_ones_the_command_says_what_to_set(settings: Settings) -> None:
    settings.UPSTREAM_HOSTS = ["127.0.0.1:8000"]
    with pytest.raises(CommandError, match=r"Set UPSTREAM_HOSTS=127.0.0.1 for the stack and for this command"):
        call_command("proxy_bench")


def test_the_lines_tell_what_is_added_to_the_floor() -> None:
    direct, *others = Overhead([1.0, 2.0, 3.0], [3.0, 4.0, 5.0], [10.0, 12.0, 14.0], [9.0]).lines("whole")
    assert direct == "| whole | direct | 2.0 | 3.0 | - | 1x |"
    assert others[1] == "| whole | through the proxy | 12.0 | 14.0 | +10.0 / +11.0 | 6.0x |"
