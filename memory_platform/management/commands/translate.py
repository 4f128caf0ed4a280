"""``manage.py translate``: update and compile the console's Chinese catalogue. For developers."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """Find the texts, add new ones to the catalogue, drop old ones, compile; list missing translations."""

    help = "Bring memory_platform/locale up to date with the code and compile it (no gettext tools needed)."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Rewrite the catalogue and its compiled form. Raises CommandError if translations are missing."""
        from memory_platform.console.site import catalogue  # noqa: PLC0415 - needs polib, which only developers have

        chinese = catalogue.read_catalogue()
        missing = catalogue.bring_up_to_date(chinese, catalogue.texts())
        catalogue.save(chinese)
        if missing:
            listed = "\n".join(f"  {text}" for text in missing)
            raise CommandError(f"Translate these in {catalogue.PO}:\n{listed}")
        self.stdout.write(f"{len(chinese)} texts are translated and compiled.")
