"""Import memory from another system: ``manage.py import_from mem0 FILE --tenant acme``."""

import time
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import orjson
from django.core.management.base import CommandError
from django.db import OperationalError

from memory_platform.importers.foreign_rows import REFUSED, STORED, UNCHANGED, ReadingOptions, RowVerdict
from memory_platform.importers.foreign_systems import SYSTEMS
from memory_platform.importers.own_export_files import ExportFiles
from memory_platform.importers.row_storing import RowStorage, split_batches
from memory_platform.kernel.product_ids import find_product_id_fault
from memory_platform.management.base_command import (
    NO_DATABASE,
    PlatformCommand,
    choose_tenants,
    progress,
    silence_events,
)

AGAIN = "Run the same command again: what is stored already is skipped."
# Refused rows that are printed when no file takes the verdicts.
SHOWN = 20


class Command(PlatformCommand):
    help = "Import memory that another system kept, word for word and without a model; safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = "Files:\n" + "\n".join(f"  {one.name:12} {one.file}" for one in SYSTEMS.values())
        parser.add_argument("system", choices=SYSTEMS, help="where the file comes from")
        parser.add_argument("file", type=Path, help="the file")
        target = parser.add_mutually_exclusive_group(required=True)
        target.add_argument("--tenant", help="slug of the tenant that the subjects belong to")
        target.add_argument(
            "--write-exports", type=Path, metavar="DIR", help="write memories as exports for POST /v1/import instead"
        )
        parser.add_argument("--subject", type=read_subject_id, help="the subject of all rows, whatever they name")
        parser.add_argument("--dry-run", action="store_true", help="check every row and store nothing")
        parser.add_argument("--verdicts", type=Path, help="write a verdict for each row to this file, as JSON lines")
        parser.add_argument("--zone", type=read_zone, default=UTC, help="where times without a zone are: Asia/Shanghai")
        parser.add_argument("--when", type=read_default_time, help="the time of rows without one: 2026-03-01T10:00:00Z")
        parser.add_argument("--encoding", type=read_encoding, default="utf-8", help="of the file: gb18030, utf-16")

    def handle(self, **options: Any) -> None:
        system, path = SYSTEMS[options["system"]], options["file"]
        reading = ReadingOptions(
            options["subject"], options["zone"], self._compute_default_time(options), options["encoding"]
        )
        counts, started = Counter[str](), time.monotonic()
        try:
            size, storage = path.stat().st_size, self._open_storage(system.name, options)
            with (
                self._open_verdict_sink(options["verdicts"]) as record,
                silence_events(),
                progress(self.stdout, path.name, size, "bytes") as advance,
            ):
                for batch in split_batches(system.read(path, reading, advance)):
                    for verdict in storage.store_batch(batch):
                        counts[verdict.verdict] += 1
                        record(verdict)
                storage.finish()
        except OSError as fault:
            raise CommandError(f"Cannot read or write {fault.filename or path}: {fault.strerror}.") from None
        except OperationalError:
            raise CommandError(f"{NO_DATABASE} {counts[STORED]:,} rows were stored. {AGAIN}") from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped after {counts.total():,} rows. {AGAIN}", returncode=130) from None
        self._report(counts, time.monotonic() - started, dry_run=options["dry_run"])

    @staticmethod
    def _open_storage(system: str, options: dict[str, Any]) -> RowStorage | ExportFiles:
        if options["write_exports"] is not None:
            return ExportFiles(system, options["write_exports"])
        [tenant] = choose_tenants(options["tenant"])
        return RowStorage(tenant, system, dry_run=options["dry_run"])

    @staticmethod
    def _compute_default_time(options: dict[str, Any]) -> datetime | None:
        given: datetime | None = options["when"]
        return given if given is None or given.tzinfo else given.replace(tzinfo=options["zone"])

    @contextmanager
    def _open_verdict_sink(self, path: Path | None) -> Iterator[Any]:
        """Yield a function that takes verdicts: to a file, or the first refused ones to the terminal."""
        if path is not None:
            with path.open("wb") as file:
                yield lambda verdict: file.write(orjson.dumps(verdict, option=orjson.OPT_APPEND_NEWLINE))
            self.stdout.write(f"Verdicts: {path}.")
            return
        refused: list[RowVerdict] = []
        yield lambda verdict: refused.append(verdict) if verdict.verdict == REFUSED and len(refused) < SHOWN else None
        for one in refused:
            self.stdout.write(f"  {one.place}: {one.reason}. {one.message}")

    def _report(self, counts: Counter[str], seconds: float, *, dry_run: bool) -> None:
        rate = round(counts.total() / max(seconds, 0.001))
        self.stdout.write(f"{counts.total():,} rows in {seconds:.1f} s ({rate:,} a second).")
        stored = "would be stored" if dry_run else "stored"
        self.stdout.write(f"{counts[STORED]:,} {stored}, {counts[UNCHANGED]:,} unchanged, {counts[REFUSED]:,} refused.")
        if counts[REFUSED] > SHOWN:
            self.stdout.write("All verdicts with their reasons: --verdicts FILE.")


def read_subject_id(text: str) -> str:
    fault = find_product_id_fault(text)
    if fault:
        raise ArgumentTypeError(f"A subject's id {fault[1][0].lower()}{fault[1][1:]}")
    return text


def read_zone(text: str) -> ZoneInfo:
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ArgumentTypeError(f"{text!r} is no time zone; write one as Asia/Shanghai.") from None


def read_default_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no time; write one as 2026-03-01T10:00:00Z.") from None


def read_encoding(text: str) -> str:
    try:
        "".encode(text)
    except (LookupError, ValueError):
        raise ArgumentTypeError(f"{text!r} is no encoding; utf-8, gb18030 and utf-16 are.") from None
    return text
