"""Documents of overrides, ``{section: {field: value}}``, checked against the configs whose defaults they replace."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.number_sources import NumberSource, source_of_numbers
from tenants.policies.value_kinds import Kind, WrongValue

PolicyT = TypeVar("PolicyT")
# Overrides by section and field, as plain JSON. Omitted fields have the code's default.
Document = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Section(Generic[PolicyT]):
    """One part of a document: a config with the code's defaults, and the kinds of the fields that a tenant may set.
    ``rule`` yields contradictions between valid fields, as ``(field, message)``."""

    name: str
    default: PolicyT
    kinds: Mapping[str, Kind]
    rule: Callable[[PolicyT], Iterable[tuple[str, str]]] = lambda policy: ()

    def faults(self, values: Any) -> Iterator[FieldFault]:
        """Yield the faults of this section's values, named ``section.field``."""
        if not isinstance(values, Mapping):
            yield FieldFault(self.name, "not_an_object", "Must be an object of fields.")
            return
        for field, value in values.items():
            if field not in self.kinds:
                yield FieldFault(
                    f"{self.name}.{_render_name(field)}", "unknown_field", f"Must be one of {', '.join(self.kinds)}."
                )
                continue
            try:
                self.kinds[field].read(value)
            except WrongValue as wrong:
                for one in wrong.faults:
                    yield FieldFault(f"{self.name}.{field}{one.path}", "wrong_value", one.message)

    def apply_values(self, values: Mapping[str, Any]) -> PolicyT:
        """Return the config with these values in place of its defaults. Unknown and no longer valid values keep their
        default: documents outlive the code that checked them, and an answer with the default is better than none."""
        read: dict[str, Any] = {}
        for field, value in values.items():
            try:
                read[field] = self.kinds[field].read(value)
            except (KeyError, WrongValue):
                continue
        return replace(self.default, **read) if read else self.default  # type: ignore[type-var]  # all are dataclasses

    def to_json(self, policy: PolicyT) -> dict[str, Any]:
        return {field: kind.to_json(getattr(policy, field)) for field, kind in self.kinds.items()}

    def provenance(self, field: str) -> NumberSource:
        return source_of_numbers(type(self.default))[field]


Sections = Mapping[str, Section[Any]]


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs between two documents; values as JSON, defaults for omitted fields."""

    section: str
    field: str
    before: Any
    after: Any


def check_document(document: Any, sections: Sections) -> Document:
    """Return ``document`` as it is stored: known fields only, values in their plain form, no empty sections. Raises
    InvalidInput with every unknown section and field, the known ones, and every invalid value."""
    faults = list(_find_document_faults(document, sections))
    if faults:
        raise InvalidInput("This policy is invalid.", faults=faults)
    return {
        name: {field: _to_plain_json(sections[name].kinds[field], value) for field, value in values.items()}
        for name, values in document.items()
        if values
    }


def check_together(document: Document, sections: Sections) -> Document:
    """Return ``document``. Raises InvalidInput with the contradictions between its values."""
    faults = [
        FieldFault(f"{name}.{field}", "not_together", message)
        for name, section in sections.items()
        for field, message in section.rule(section.apply_values(document.get(name, {})))
    ]
    if faults:
        raise InvalidInput("This policy is invalid.", faults=faults)
    return document


def merge_changes(document: Document, changes: Document, remove: Collection[str] = ()) -> Document:
    """Return ``document`` with ``changes`` applied, and the fields in ``remove`` (``section.field``, or a whole section
    by its name) back at their defaults."""
    merged = {name: {**document.get(name, {}), **changes.get(name, {})} for name in {**document, **changes}}
    kept = {
        name: {field: value for field, value in values.items() if f"{name}.{field}" not in remove}
        for name, values in merged.items()
        if name not in remove
    }
    return {name: values for name, values in kept.items() if values}


def check_removable(remove: Collection[str], sections: Sections) -> None:
    """Raise InvalidInput for a name in ``remove`` that is neither a section nor a field."""
    known = {*sections, *(f"{name}.{field}" for name, section in sections.items() for field in section.kinds)}
    faults = [
        FieldFault(f"remove.{index}", "unknown_field", f"Must be a section ({', '.join(sections)}) or section.field.")
        for index, name in enumerate(remove)
        if name not in known
    ]
    if faults:
        raise InvalidInput("This policy is invalid.", faults=faults)


def effective_values(document: Document, sections: Sections) -> dict[str, dict[str, Any]]:
    """Return every field that a tenant may set, with its value in force under ``document``, as JSON."""
    return {name: section.to_json(section.apply_values(document.get(name, {}))) for name, section in sections.items()}


def list_differences(before: Document, after: Document, sections: Sections) -> list[Change]:
    """Return the fields whose values in force differ, in the order of declaration."""
    old, new = effective_values(before, sections), effective_values(after, sections)
    return [
        Change(name, field, old[name][field], new[name][field])
        for name, section in sections.items()
        for field in section.kinds
        if old[name][field] != new[name][field]
    ]


def _find_document_faults(document: Any, sections: Sections) -> Iterator[FieldFault]:
    if not isinstance(document, Mapping):
        yield FieldFault("", "not_an_object", f"Must be an object of sections: {', '.join(sections)}.")
        return
    for name, values in document.items():
        if name in sections:
            yield from sections[name].faults(values)
        else:
            yield FieldFault(_render_name(name), "unknown_section", f"Must be one of {', '.join(sections)}.")


def _to_plain_json(kind: Kind, value: Any) -> Any:
    return kind.to_json(kind.read(value))


def _render_name(name: Any) -> str:
    # Errors repeat a caller's name: it is cut and loses characters that cannot be printed.
    return "".join(one for one in str(name)[:40] if one.isprintable())
