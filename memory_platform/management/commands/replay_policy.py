"""Replay receipts under another policy: ``manage.py replay_policy --tenant acme --from 1 --to 2``."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from memory_platform.management.base_command import PlatformCommand
from snapshots.feedback.tallies.arm_figures import ShareEstimate
from snapshots.policies.policy_replay import ALWAYS_UNTOLD, PolicyReplay, ReplayRefusal, replay_policy
from tenants.errors import PolicyUnknown, TenantUnknown
from tenants.isolation import tenant_tx
from tenants.selectors import tenant_by_slug

RECEIPTS = 1_000
EXAMPLES = 10


def read_whole_number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:  # noqa: PLR2004 - more digits than any version or count has
        raise ArgumentTypeError("must be a whole number")
    return int(text)


class Command(PlatformCommand):
    help = "Order the candidates of stored receipts anew under another version of the policy. Changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument(
            "--from", dest="before", required=True, type=read_whole_number, help="version that made the receipts"
        )
        parser.add_argument("--to", dest="after", required=True, type=read_whole_number, help="version to try on them")
        parser.add_argument(
            "--receipts", type=read_whole_number, default=RECEIPTS, help="newest receipts to read (%(default)s)"
        )
        parser.add_argument(
            "--examples", type=read_whole_number, default=EXAMPLES, help="contexts to list (%(default)s)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        try:
            with tenant_tx(tenant_by_slug(options["tenant"]).id):
                told = replay_policy(
                    options["before"], options["after"], receipts=options["receipts"], examples=options["examples"]
                )
        except TenantUnknown:
            raise CommandError(f"There is no tenant {options['tenant']!r}.") from None
        except PolicyUnknown:
            raise CommandError("The tenant's policy has no such version; GET /v1/policies lists them.") from None
        if options["json"]:
            self.stdout.write(json.dumps(asdict(told), default=str))
            return
        for line in render_report(told, options["before"], options["after"]):
            self.stdout.write(line)


def render_report(replay: PolicyReplay, before: int, after: int) -> list[str]:
    refused = [describe_refusal(one) for one in replay.refused]
    if not replay.compared:
        return [*refused, f"None of {replay.receipts:,} receipts of version {before} has candidates to order anew."]
    return [
        *refused,
        f"{replay.receipts:,} receipts of version {before}, {replay.compared:,} with memories to choose from.",
        f"  come out as they were under version {before} itself: {format_share(replay.reproduced)}",
        f"  would hold other memories under version {after}: {format_share(replay.changed)}",
        f"  memories entering: {replay.entering:,}, leaving: {replay.leaving:,}",
        "  tokens of snapshots in a context, on average: "
        f"{replay.tokens_before:,} before, {replay.tokens_after:,} after",
        f"  leaving memories that replies had used: {format_share(replay.utilised_leaving)}",
        f"  staying memories that replies had used: {format_share(replay.utilised_staying)}",
        *(
            f"  {one.receipt_id}: enter {_list_memory_ids(one.entering)}; leave {_list_memory_ids(one.leaving)}"
            for one in replay.examples
        ),
        "Receipts cannot tell:",
        *(f"  what {name} does" for name in replay.untold),
        *(f"  {words}" for words in ALWAYS_UNTOLD),
    ]


def describe_refusal(one: ReplayRefusal) -> str:
    what = one.reason.removeprefix("other_")
    return (
        f"{one.receipts:,} receipts are left out: {what} {one.made_by} made them, and {one.now} would judge them now."
    )


def format_share(share: ShareEstimate) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "nothing is known"
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%}; {share.count:,} of {share.of:,})"


def _list_memory_ids(memories: tuple[str, ...]) -> str:
    return ", ".join(memories) or "none"
