"""Form fields for the content of a memory: of the type of the current value, and as strict as the API."""

from collections.abc import Mapping
from typing import Any

import orjson
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.value_rendering import is_nested_list
from memory_platform.kernel.character_checks import find_text_fault
from memory_platform.kernel.product_ids import find_product_id_fault
from profiles.models import ProfileFact
from snapshots.sensitive.detector import is_sensitive_list, is_sensitive_named

# The limit of one value is the API's.
MAX_VALUE_BYTES = 64 * 1024
# The limits of the profile's own fields in characters are the API's.
MAX_FACT_CHARS: Mapping[str, int] = {
    "name": 500,
    "occupation": 500,
    "mbti": 16,
    "age_range": 64,
    "locale": 64,
    "timezone": 64,
}
# The limit of a category is the API's.
MAX_CATEGORY_CHARS = 100
YES_WORDS = frozenset({"yes", "true", "是"})
NO_WORDS = frozenset({"no", "false", "否"})
# Whole numbers below it fit into 64 bits.
NUMBER_LIMIT = 2**63
MAX_ENTRY_CHARS = 200
MAX_ENTRIES = 200
SENSITIVE_TEXT = _("This contains a card number, an identity number or a secret, which must not be stored.")


class LongTextField(forms.CharField):
    """A text of several lines; only the outer white space is removed."""

    def __init__(self, *, chars: int = MAX_VALUE_BYTES, rows: int = 3, **options: Any) -> None:
        area = forms.Textarea(attrs={"rows": rows, "cols": 60, "dir": "auto", "autocomplete": "off"})
        super().__init__(max_length=chars, widget=area, **options)

    def clean(self, value: Any) -> Any:
        text = str(super().clean(value)).replace("\r\n", "\n")
        if len(text.encode()) > MAX_VALUE_BYTES:
            raise ValidationError(_("The text must not be longer than 64 KiB."), code="too_long")
        if find_text_fault(text) is not None:
            raise ValidationError(_("The text has characters that cannot be stored, or too many accents in a row."))
        return text


class NumberOrTextField(LongTextField):
    """A number, or the text if it is not one."""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        number = parse_number(text)
        return text if number is None else number


class ProductIdFormField(forms.CharField):
    """A category or key, as the API accepts it in an address."""

    def clean(self, value: Any) -> Any:
        text = str(super().clean(value))
        fault = find_product_id_fault(text) if text else None
        if fault is not None:
            raise ValidationError(
                _("Enter 1 to 200 characters without “/” and control characters, and neither “.” nor “..”."),
                code=fault[0],
            )
        check_not_sensitive("", text)
        return text


class LinesField(LongTextField):
    """A list, one entry per line; an entry that was there before keeps its type."""

    def __init__(self, *, known: list[Any], **options: Any) -> None:
        super().__init__(help_text=_("One entry per line."), rows=5, **options)
        self.known = {str(entry): entry for entry in known}

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        lines = [line.strip() for line in super().clean(value).splitlines()]
        entries = list(dict.fromkeys(line for line in lines if line))
        if len(entries) > MAX_ENTRIES or any(len(entry) > MAX_ENTRY_CHARS for entry in entries):
            raise ValidationError(_("Enter at most 200 entries of at most 200 characters each."), code="too_long")
        return [self.known.get(entry, entry) for entry in entries]


class SourceMemoriesField(forms.MultipleChoiceField):
    """Memories, each with the version that the page showed; one that is gone meanwhile is ignored."""

    widget = forms.CheckboxSelectMultiple

    def valid_value(self, value: str) -> bool:
        """Accept any choice: the act looks the memories up under its lock."""
        return True


class JsonTextField(LongTextField):
    """Any JSON that the database can store."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return value
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            read = orjson.loads(text)
        except orjson.JSONDecodeError:
            raise ValidationError(_("This is not valid JSON."), code="invalid") from None
        # Postgres cannot store NUL in JSON, and exports cannot write the largest numbers.
        if "\\u0000" in text or not has_exportable_numbers(read):
            raise ValidationError(_("This is not valid JSON."), code="invalid")
        return read


def make_value_field(value: Any, *, chars: int = MAX_VALUE_BYTES) -> forms.Field:
    label = _("New value")
    if isinstance(value, bool):
        choices = [("true", _("yes")), ("false", _("no"))]
        return forms.TypedChoiceField(label=label, choices=choices, coerce=lambda text: text == "true")
    if isinstance(value, int | float):
        return NumberOrTextField(label=label, rows=1)
    if isinstance(value, list) and not is_nested_list(value):
        return LinesField(label=label, known=value)
    if isinstance(value, str):
        return LongTextField(label=label, chars=chars)
    return JsonTextField(label=label, rows=8)


def make_place_fields() -> dict[str, forms.Field]:
    """Return the fields of a preference's category and key; empty, they change nothing."""
    attributes = {"autocomplete": "off"}
    return {
        "category": ProductIdFormField(
            label=_("Category"), max_length=MAX_CATEGORY_CHARS, required=False, widget=forms.TextInput(attrs=attributes)
        ),
        "key": ProductIdFormField(
            label=_("Key"),
            required=False,
            widget=forms.TextInput(attrs=attributes),
            help_text=_("Another key ends this preference, and your value is stored under the other key."),
        ),
    }


def parse_plain_value(text: str) -> Any:
    """Return yes and no as true and false, a number as a number, and other texts as they are."""
    plain = text.strip()
    if plain.casefold() in YES_WORDS | NO_WORDS:
        return plain.casefold() in YES_WORDS
    number = parse_number(plain)
    return plain if number is None else number


def parse_number(text: str) -> int | float | None:
    """Return the number that the text is; None for another text, and for a number that only a text can hold: Postgres
    gives large ones back as integers of any length, which no JSON of exports and answers may have."""
    try:
        number = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return number if is_number and abs(number) < NUMBER_LIMIT else None


def has_exportable_numbers(value: Any) -> bool:
    if isinstance(value, dict | list):
        return all(map(has_exportable_numbers, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int | float) or abs(value) < NUMBER_LIMIT


def render_initial_value(value: Any) -> Any:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else value


def find_max_chars(row: Any) -> int:
    is_proper = isinstance(row, ProfileFact) and not row.is_attribute
    return MAX_FACT_CHARS.get(row.field, MAX_VALUE_BYTES) if is_proper else MAX_VALUE_BYTES


def check_not_sensitive(name: str, value: Any) -> None:
    """Raise ValidationError if a value is sensitive, read together with its name."""
    left = [(name, value)]
    while left:  # not by recursion: what is typed in may be nested more deeply than Python calls
        called, one = left.pop()
        if isinstance(one, Mapping):
            left += [(str(key), inner) for key, inner in one.items()]
            left += [("", str(key)) for key in one]
        elif isinstance(one, list):
            left += [(called, inner) for inner in one]
            if is_sensitive_list(called, one):
                raise ValidationError(SENSITIVE_TEXT, code="sensitive")
        elif isinstance(one, str | int | float) and not isinstance(one, bool) and is_sensitive_named(called, str(one)):
            raise ValidationError(SENSITIVE_TEXT, code="sensitive")
