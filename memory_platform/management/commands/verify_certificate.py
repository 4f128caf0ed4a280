"""``manage.py verify_certificate FILE``: check that certificates are this platform's and unchanged."""

from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from memory_platform.management.base_command import PlatformCommand
from memory_platform.management.certificate_reader import read_certificates
from profiles.services.erasure_certificates import is_genuine


class Command(PlatformCommand):
    help = "Check certificates of erasure: one JSON object a line. Fails when one is not genuine."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="certificates, or answers that hold one, a line each")

    def handle(self, *args: object, file: Path, **options: object) -> None:
        certificates = read_certificates(file)
        forged = [certificate for certificate in certificates if not is_genuine(certificate)]
        for certificate in certificates:
            self.stdout.write(f"{certificate.get('id')} {'not genuine' if certificate in forged else 'genuine'}")
        if forged:
            raise CommandError(f"{len(forged)} of {len(certificates)} are not genuine.")
