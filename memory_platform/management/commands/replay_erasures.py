"""``manage.py replay_erasures FILE``: after a restore, and before opening traffic, repeat the erasures since the
backup."""

from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from memory_platform.management.base_command import PlatformCommand
from memory_platform.management.certificate_reader import read_certificates
from memory_platform.providers.redis.client import RedisAway
from profiles.services.erasure_certificates import is_genuine
from snapshots.portability.replay_erasures import drop_restored_windows, replay_erasure


class Command(PlatformCommand):
    help = "Erase again what certificates tell of, after a restore. Each is checked first; what is gone stays gone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="+", help="certificates, or answers that hold one, a line each")

    def handle(self, *args: object, file: list[Path], **options: object) -> None:
        certificates = [certificate for path in file for certificate in read_certificates(path)]
        if not all(map(is_genuine, certificates)):
            raise CommandError("Not all of them are genuine: see verify_certificate. Nothing was erased.")
        try:
            drop_restored_windows()
        except RedisAway:
            raise CommandError("Redis does not answer: it may hold windows newer than what was restored.") from None
        done = [replay_erasure(certificate) for certificate in certificates]
        self.stdout.write(f"{len(done)} certificates, {sum(done)} erased again, {done.count(False)} had nothing left")
