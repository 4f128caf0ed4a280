"""The time that the OpenAI proxy adds to a call of a model: ``manage.py proxy_bench``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from lab.benchmarks.benchmark_run import create_temporary_key
from lab.benchmarks.load.load_target import parse_target
from lab.benchmarks.proxy.made_up_model import MODEL_HOST
from lab.benchmarks.proxy.overhead import CallPlan, measure_overhead, prepare_subject, start_made_up_model
from lab.benchmarks.worlds.sentences import make_texts
from lab.evaluation.datasets.scratch_tenant import ensure_tenant, finish_work
from memory_platform.env.environment import environment
from memory_platform.management.base_command import PlatformCommand, progress, silence_events
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.upstreams.allowed_urls import is_allowed_host
from tenants.services.upstreams.upstreams import set_upstream


class Command(PlatformCommand):
    help = (
        "Call a made-up model directly and through the proxy of a running stack, in turns, and print both. The stack "
        f"and this command need UPSTREAM_HOSTS={MODEL_HOST}."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", default="proxy", help="slug of the tenant that is measured (%(default)s)")
        parser.add_argument("--base", default=environment().stack_url, help="where the stack listens (%(default)s)")
        parser.add_argument("--memories", type=int, default=200, help="messages of the subject (%(default)s)")
        parser.add_argument("--calls", type=int, default=250, help="by each way (%(default)s)")
        parser.add_argument("--tokens", type=int, help="X-Memory-Tokens of each call; the policy's when left out")
        parser.add_argument("--pause", type=float, default=0.05, help="seconds before each call (%(default)s)")

    def handle(self, **options: Any) -> None:
        if not is_allowed_host(MODEL_HOST, 0):
            raise CommandError(
                f"The made-up model listens at {MODEL_HOST}, which UPSTREAM_HOSTS does not allow. Set "
                f"UPSTREAM_HOSTS={MODEL_HOST} for the stack and for this command, and start both anew."
            )
        tenant_id = ensure_tenant(options["tenant"], "Benchmark")
        with silence_events(), create_temporary_key(tenant_id) as key, start_made_up_model() as upstream:
            target = parse_target(options["base"], key)
            with tenant_tx(tenant_id):
                set_upstream(upstream, "", by=COMMAND_LINE)
            prepare_subject(target, make_texts(2, options["memories"]))
            finish_work(tenant_id)
            lines = ["| call | way | p50, ms | p95, ms | more, ms | ratio |", "|---|---|---|---|---|---|"]
            for name, is_streamed in (("whole answer", False), ("first event of a stream", True)):
                with progress(self.stdout, name, options["calls"], "rounds") as advance:
                    plan = CallPlan(
                        options["calls"], options["pause"], is_streamed=is_streamed, tokens=options["tokens"]
                    )
                    lines += measure_overhead(target, upstream, plan, advance=advance).lines(name)
        for line in lines:
            self.stdout.write(line)
