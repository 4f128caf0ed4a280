"""The Chinese catalogue: Babel finds the texts, keeps the translations and compiles them, without gettext's tools.

Only ``manage.py translate`` and the tests import this file: Babel is a package of development.
"""

from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_javascript
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from memory_platform.env.environment import PROJECT_ROOT

LOCALE = PROJECT_ROOT / "memory_platform" / "locale" / "zh_Hans" / "LC_MESSAGES"
PO_FILE, MO_FILE = LOCALE / "django.po", LOCALE / "django.mo"
PACKAGES = ("memory_platform", "tenants", "profiles", "snapshots")
KEYWORDS: dict[str, tuple[Any, ...] | None] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    # A word that means two things: "ready" of work in the queue, and of a document.
    "pgettext_lazy": ((1, "c"), 2),
}
# Texts of libraries that bring no Chinese of their own, or another than the console's: a colon, "6 days ago", and
# sentences that say "you" as to a friend.
LIBRARY_TEXTS: tuple[str | tuple[str, str], ...] = (
    ":",
    ("%(num)d day", "%(num)d days"),
    "Your password can’t be too similar to your other personal information.",
    (
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
    ),
    "Your password can’t be a commonly used password.",
    "Themes",
    "Model name",
    "Add link",
    "users",
    "Change or view list link",
)


def extract_template(file: Any, keywords: Any, comment_tags: Any, options: Any) -> Any:
    # Django turns the tags into gettext calls amid other characters: no Python, but Babel's JavaScript lexer reads it.
    return extract_javascript(BytesIO(templatize(file.read().decode()).encode()), keywords, comment_tags, options)


def extract_texts() -> Catalog:
    """Return every translatable text of our own Python files and templates."""
    found = Catalog()
    methods: Any = [("**.py", "python"), ("**/templates/**.html", extract_template)]
    for package in PACKAGES:
        for _path, _line, text, _comments, context in extract_from_dir(
            PROJECT_ROOT / package, methods, keywords=KEYWORDS
        ):
            found.add(text, context=context)
    for text in LIBRARY_TEXTS:
        found.add(text)
    return found


def read_catalogue() -> Catalog:
    with PO_FILE.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def update_catalogue(catalogue: Catalog, texts: Catalog) -> list[str]:
    """Add new texts, drop those that are gone, and return the texts without a translation."""
    catalogue.update(texts, no_fuzzy_matching=True, update_creation_date=False)
    catalogue.obsolete.clear()
    return [str(message.id) for message in catalogue if message.id and not all(list_translations(message))]


def list_translations(message: Message) -> tuple[str, ...]:
    """Return the translations of a text: one, or one per plural form; "" for a missing one."""
    return (message.string or "",) if isinstance(message.string, str | None) else tuple(message.string)


def save_catalogue(catalogue: Catalog, folder: Path = LOCALE) -> None:
    """Write the catalogue and its compiled form."""
    with (folder / PO_FILE.name).open("wb") as file:
        write_po(file, catalogue, width=120, sort_output=True)
    with (folder / MO_FILE.name).open("wb") as file:
        write_mo(file, catalogue)
