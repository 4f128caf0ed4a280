"""A program that works at a round until it is killed; it tells which tenant and subject it came to."""

import sys
import time
from datetime import timedelta

import django

django.setup()

from memory_platform.kernel.ids import new_id  # noqa: E402 - after the set-up
from tenants.config import RunConfig  # noqa: E402 - as above
from tenants.services.job_runs import TenantTurn, run_round  # noqa: E402 - as above

POLICY = RunConfig(mark_every=timedelta(0))


def work(turn: TenantTurn) -> int:
    turn.mark_reached(new_id(), 1)
    sys.stdout.write(f"{turn.tenant_id} {turn.after}\n")
    sys.stdout.flush()
    time.sleep(float(sys.argv[1]))
    return 0


run_round("nap", timedelta(days=1), work, config=POLICY)
