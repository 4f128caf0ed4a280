"""The forms of a page, as a browser would send them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.test import Client

Attributes = list[tuple[str, str | None]]
UNSENT = {"submit", "button", "image", "reset", "file"}
TICKED = {"checkbox", "radio"}


@dataclass(slots=True)
class Form:
    """One form of a page: how and where it is sent, its class, and what its fields hold."""

    method: str
    action: str
    looks: str
    fields: dict[str, list[str]] = field(default_factory=dict)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.is_inside = False
        self.choosing = self.writing = ""

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "form":
            self.is_inside = True
            self.forms.append(Form(given.get("method", "get").lower(), given.get("action", ""), given.get("class", "")))
        elif tag == "select":
            self.choosing = name
        elif tag == "textarea":
            self.writing = name
            self._hold(name, "")
        elif tag == "option" and "selected" in given:
            self._hold(self.choosing, value)
        elif tag == "input" and (given.get("type") not in UNSENT | TICKED or "checked" in given):
            self._hold(name, value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_inside = False
        elif tag == "textarea":
            self.writing = ""

    def handle_data(self, data: str) -> None:
        if self.writing and self.is_inside:
            self.forms[-1].fields[self.writing][-1] += data

    def _hold(self, name: str, value: str) -> None:
        if name and self.is_inside:
            self.forms[-1].fields.setdefault(name, []).append(value)


def forms_of(page: str) -> list[Form]:
    """Return the forms of a page in their order."""
    reader = _Reader()
    reader.feed(page)
    return reader.forms


def form_at(client: Client, address: str, *, holding: str) -> dict[str, Any]:
    """Return what the form of a page would send that changes something and has a field of the name ``holding``."""
    page = client.get(address).content.decode()
    (form,) = (form for form in forms_of(page) if form.method == "post" and holding in form.fields)
    return dict(form.fields)
