"""Print the tables of documents anew: ``manage.py print_figures``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lab.documents.run_tables import ROOT, TableUnknown, list_documents, replace_tables


class Command(BaseCommand):
    help = "Print the tables in the documents anew, from the runs in lab/runs."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        for path in list_documents():
            text = path.read_text(encoding="utf-8")
            try:
                printed = replace_tables(text)
            except TableUnknown as unknown:
                raise CommandError(f"{path.relative_to(ROOT)}: {unknown.detail}") from None
            if printed != text:
                path.write_text(printed, encoding="utf-8")
                self.stdout.write(f"{path.relative_to(ROOT)}: tables printed anew.")
