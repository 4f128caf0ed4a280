"""Prepare your own Postgres server for the platform: ``manage.py provision --superuser-url ...``."""

import secrets
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError

from memory_platform.devstack.provision import APP, OWNER, provision

PASSWORD_BYTES = 24


class Command(BaseCommand):
    help = "Make roles, database, grants and the vector extension on a Postgres server; safe to repeat."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--superuser-url", required=True, help="postgresql://postgres:...@host/postgres")
        parser.add_argument("--database", default="memory", help="database to make (%(default)s)")
        passwords = parser.add_mutually_exclusive_group()
        passwords.add_argument(
            "--ask-passwords", action="store_true", help="ask for them; default: generate, print once"
        )
        passwords.add_argument("--keep-passwords", action="store_true", help="leave the roles' passwords as they are")

    def handle(self, **options: Any) -> None:
        owner_password, app_password = self._passwords(options)
        try:
            urls = provision(
                options["superuser_url"],
                database=options["database"],
                owner_password=owner_password,
                app_password=app_password,
            )
        except psycopg.Error as fault:
            raise CommandError(f"The server refused: {fault}") from None
        self.stdout.write("The server is ready. These addresses are shown once; keep them secret:")
        self.stdout.write(f"DATABASE_OWNER_URL={urls.owner_url}")
        self.stdout.write(f"DATABASE_URL={urls.app_url}")

    def _passwords(self, options: dict[str, Any]) -> tuple[str | None, str | None]:
        if options["keep_passwords"]:
            return None, None
        if options["ask_passwords"]:
            return getpass(f"Password of {OWNER}: "), getpass(f"Password of {APP}: ")
        return secrets.token_urlsafe(PASSWORD_BYTES), secrets.token_urlsafe(PASSWORD_BYTES)
