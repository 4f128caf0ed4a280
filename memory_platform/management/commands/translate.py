"""``manage.py translate``: update and compile the console's Chinese catalogue. For developers."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """Find the texts, add new ones to the catalogue, drop old ones, compile; list missing translations."""

    help = "Bring memory_platform/locale up to date with the code and compile it (no gettext tools needed)."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Rewrite the catalogue and its compiled form. Raises CommandError naming texts without a translation."""
        # Babel comes with the packages of developers only.
        from memory_platform.console.site import translation_catalogue  # noqa: PLC0415

        chinese = translation_catalogue.read_catalogue()
        missing = translation_catalogue.update_catalogue(chinese, translation_catalogue.extract_texts())
        translation_catalogue.save_catalogue(chinese)
        if missing:
            listed = "\n".join(f"  {text}" for text in missing)
            raise CommandError(f"Translate these in {translation_catalogue.PO_FILE}:\n{listed}")
        self.stdout.write(f"{len(chinese)} texts are translated and compiled.")
