"""Fetch the pages that questions were written on: ``manage.py fetch_documents FOLDER``."""

import subprocess
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from lab.evaluation.documents.package_texts import fetch_texts, read_sources
from lab.evaluation.documents.page_anchors import find_lost_anchors
from memory_platform.management.base_command import PlatformCommand, progress


class Command(PlatformCommand):
    help = "Fetch pages of Debian packages as Markdown, and check that each anchor stands once in its page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where packages/, en/ and zh/ are written")
        parser.add_argument("--check-only", action="store_true", help="fetch nothing; check the anchors")

    def handle(self, **options: Any) -> None:
        folder: Path = options["folder"]
        if not options["check_only"]:
            self._fetch(folder)
        lost = find_lost_anchors(folder)
        for line in lost:
            self.stderr.write(line)
        if lost:
            raise CommandError(f"{len(lost)} anchors do not stand once in their page. Fetch the versions named above.")
        self.stdout.write("Each anchor stands once in its page.")

    def _fetch(self, folder: Path) -> None:
        sources = read_sources()
        try:
            with progress(self.stdout, "fetching", len(sources), "packages") as advance:
                others = fetch_texts(folder, sources, advance)
        except FileNotFoundError as missing:
            raise CommandError(f"{missing.filename} is not there. Run this on Debian.") from None
        except subprocess.CalledProcessError as failed:
            raise CommandError(f"{failed.cmd[0]} failed. Run `apt-get update` first, on Debian 12.") from None
        for one in sources:
            if one.package in others:
                self.stdout.write(f"{one.package} is not of version {one.version}, with which anchors were checked.")
