"""The kind of value that describes named things: ``{name: {description, examples}}``."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tenants.policies.value_kinds import NAME_CHARS, Fault, WrongValue

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_MEMBERS = ("description", "examples")


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One named thing, its description and example sentences."""

    name: str
    description: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Descriptions:
    """An object of descriptions by name; the code holds a tuple of :class:`FieldDescription`, in the order of the
    names.

    ``refusal`` returns why a text may not stand under a name, "" if it may; an empty text asks about the name alone.
    Lengths are characters.
    """

    most: int
    least_chars: int
    most_chars: int
    examples: int
    example_chars: int
    refusal: Callable[[str, str], str] = lambda name, text: ""

    def read(self, value: Any) -> tuple[FieldDescription, ...]:
        if not isinstance(value, Mapping):
            raise WrongValue('Must be an object such as {"pain_point": {"description": "...", "examples": ["..."]}}.')
        faults = list(self._faults(value))
        if faults:
            raise WrongValue(faults[0].message, faults)
        return tuple(
            FieldDescription(
                name,
                _to_plain_text(value[name]["description"]),
                tuple(map(_to_plain_text, value[name].get("examples", ()))),
            )
            for name in sorted(value)
        )

    def to_json(self, value: tuple[FieldDescription, ...]) -> dict[str, Any]:
        return {one.name: {"description": one.description, "examples": list(one.examples)} for one in value}

    def describe(self) -> dict[str, Any]:
        return {
            "type": "described",
            "most": self.most,
            "description": {"least": self.least_chars, "most": self.most_chars, "unit": "characters"},
            "examples": {"most": self.examples, "most_each": self.example_chars, "unit": "characters"},
        }

    def _faults(self, value: Mapping[Any, Any]) -> Iterator[Fault]:
        if len(value) > self.most:
            yield Fault("", f"Must have at most {self.most} names.")
        for name, member in value.items():
            path = f".{_render_name(name)}"
            if not isinstance(name, str) or len(name) > NAME_CHARS or not _NAME.fullmatch(name):
                yield Fault(path, f"A name must have 1 to {NAME_CHARS} small letters, digits and single underscores.")
                continue
            refused = self.refusal(name, "")
            if refused:
                yield Fault(path, refused)
            yield from self._faults_of(name, path, member)

    def _faults_of(self, name: str, path: str, member: Any) -> Iterator[Fault]:
        if not isinstance(member, Mapping) or not {*member} <= {*_MEMBERS}:
            yield Fault(path, f"Must be an object with {' and '.join(_MEMBERS)} only.")
            return
        described = member.get("description")
        yield from self._faults_of_text(
            name, f"{path}.description", described, least=self.least_chars, most=self.most_chars
        )
        examples = member.get("examples", [])
        if not isinstance(examples, list | tuple) or len(examples) > self.examples:
            yield Fault(f"{path}.examples", f"Must be a list of at most {self.examples} sentences.")
            return
        for place, example in enumerate(examples):
            yield from self._faults_of_text(name, f"{path}.examples.{place}", example, least=1, most=self.example_chars)

    def _faults_of_text(self, name: str, path: str, text: Any, *, least: int, most: int) -> Iterator[Fault]:
        if not isinstance(text, str) or not least <= len(_to_plain_text(text)) <= most:
            yield Fault(path, f"Must be a text of {least} to {most} characters.")
            return
        refused = self.refusal(name, _to_plain_text(text))
        if refused:
            yield Fault(path, refused)


def _to_plain_text(text: str) -> str:
    return " ".join(text.split())


def _render_name(name: Any) -> str:
    return "".join(one for one in str(name)[:NAME_CHARS] if one.isprintable())
