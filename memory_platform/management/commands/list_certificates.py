"""``manage.py list_certificates``: list every tenant's certificates of erasure, to be kept outside of the database."""

from argparse import ArgumentTypeError
from datetime import datetime

import orjson
from django.core.management.base import CommandParser

from memory_platform.management.base_command import PlatformCommand
from profiles.models import Erasure, ErasureState
from profiles.services.erasure_certificates import build_certificate
from tenants.isolation import tenant_tx
from tenants.selectors import all_tenant_ids


def parse_moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ArgumentTypeError("must be a time with its offset, such as 2026-01-31T00:00:00Z")
    return moment


class Command(PlatformCommand):
    help = "Print certificates of erasure, one a line, as replay_erasures and verify_certificate read them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--since", type=parse_moment, help="only those signed at that time or later")

    def handle(self, *args: object, since: datetime | None, **options: object) -> None:
        for tenant_id in all_tenant_ids():
            with tenant_tx(tenant_id):
                done = Erasure.objects.filter(state=ErasureState.DONE).order_by("erased_at", "id")
                for erasure in done.filter(erased_at__gte=since) if since else done:
                    self.stdout.write(orjson.dumps(build_certificate(erasure)).decode())
