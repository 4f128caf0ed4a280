"""Each bug of the console is looked for in both languages, on a phone and on a desk."""

from dataclasses import dataclass
from typing import Any

import pytest

SIZES = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1440, "height": 900}}
LOCALES = ("en-US", "zh-CN")


@dataclass(frozen=True, slots=True)
class Look:
    """A language and a size of the window: ``sit_down("sam", **look.settings)``."""

    locale: str
    size: str

    @property
    def settings(self) -> dict[str, Any]:
        return {"locale": self.locale, "viewport": SIZES[self.size], "reduced_motion": "reduce"}

    def choose(self, english: str, chinese: str) -> str:
        """Return the words that a page in this language shows."""
        return chinese if self.locale == "zh-CN" else english


@pytest.fixture(
    params=[Look(locale, size) for locale in LOCALES for size in SIZES], ids=lambda one: f"{one.locale}-{one.size}"
)
def look(request: pytest.FixtureRequest) -> Look:
    found: Look = request.param
    return found
