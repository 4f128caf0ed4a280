"""The texts we show and their translations, without gettext's tools: found by parsing, compiled by polib.

Only ``manage.py translate`` and the tests import this file: polib is a package of development.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import polib
from django.utils.translation.template import templatize

from memory_platform.env.table import PROJECT_ROOT

LOCALE = PROJECT_ROOT / "memory_platform" / "locale" / "zh_Hans" / "LC_MESSAGES"
PO, MO = LOCALE / "django.po", LOCALE / "django.mo"
PACKAGES = ("memory_platform", "tenants", "profiles", "snapshots")
ONE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
MANY = {"ngettext", "ngettext_lazy"}
# Texts of libraries that bring no Chinese of their own, where every operator sees them.
OF_LIBRARIES = (
    "Themes",
    "Model name",
    "Add link",
    "Change or view list link",
    "After you’ve created a user, you’ll be able to edit more user options.",
)

# A text and its plural; the plural is empty where there is none.
Text = tuple[str, str]

_LITERAL = r"""(u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*")"""
_IN_TEMPLATE = re.compile(rf"\b(?:_|gettext)\(\s*{_LITERAL}\s*\)")
_COUNTED = re.compile(rf"\bngettext\(\s*{_LITERAL},\s*{_LITERAL},")


def texts() -> set[Text]:
    found: set[Text] = {(text, "") for text in OF_LIBRARIES}
    for package in PACKAGES:
        for path in sorted((PROJECT_ROOT / package).rglob("*.py")):
            found.update(texts_of_python(path.read_text(encoding="utf-8")))
        for path in sorted((PROJECT_ROOT / package).rglob("templates/**/*.html")):
            found.update(texts_of_template(path.read_text(encoding="utf-8")))
    return found


def texts_of_python(source: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        words = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        if node.func.id in ONE and words and isinstance(words[0], str):
            yield words[0], ""
        if node.func.id in MANY:
            yield str(words[0]), str(words[1])


def texts_of_template(source: str) -> Iterator[Text]:
    calls = templatize(source)
    for match in _IN_TEMPLATE.finditer(calls):
        yield str(ast.literal_eval(match.group(1))), ""
    for match in _COUNTED.finditer(calls):
        yield str(ast.literal_eval(match.group(1))), str(ast.literal_eval(match.group(2)))


def read_catalogue() -> polib.POFile:
    return polib.pofile(str(PO), encoding="utf-8", wrapwidth=120)


def bring_up_to_date(catalogue: polib.POFile, wanted: Iterable[Text]) -> list[str]:
    known = {(entry.msgid, entry.msgid_plural): entry for entry in catalogue}
    for text in sorted(set(wanted) - known.keys()):
        catalogue.append(_empty_entry(*text))
    for text in known.keys() - set(wanted):
        catalogue.remove(known[text])
    catalogue.sort(key=lambda entry: (entry.msgid.lower(), entry.msgid))
    return [entry.msgid for entry in catalogue.untranslated_entries()]


def _empty_entry(text: str, plural: str) -> polib.POEntry:
    if plural:
        return polib.POEntry(msgid=text, msgid_plural=plural, msgstr_plural={0: ""}, flags=["python-format"])
    return polib.POEntry(msgid=text, flags=["python-format"] if "%(" in text else [])


def save(catalogue: polib.POFile, folder: Path = LOCALE) -> None:
    catalogue.save(str(folder / PO.name))
    catalogue.save_as_mofile(str(folder / MO.name))
