"""The operations that the client's methods reach, and those of the OpenAPI document."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memory_platform_client.call_declarations import Call, FlowMethod, PagedCall, Scope

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Reach:
    """One method of the client and the operation that it reaches."""

    scope: type
    name: str
    declared: Any
    operation: tuple[str, str]

    def find_call(self) -> Call[..., Any] | None:
        """Return the declaration of a method of one step."""
        found: Any = self.declared.call if isinstance(self.declared, PagedCall) else self.declared
        return found if isinstance(found, Call) else None


@cache
def read_document() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((ROOT / "tests" / "golden" / "openapi.json").read_text(encoding="utf-8"))
    return loaded


def list_operations() -> Iterator[tuple[str, str]]:
    """Yield method and path of each operation of the document."""
    for path, found in read_document()["paths"].items():
        for method in found:
            yield method.upper(), path


def find_operation(operation: tuple[str, str]) -> dict[str, Any]:
    method, path = operation
    found: dict[str, Any] = read_document()["paths"][path][method.lower()]
    return found


@cache
def list_methods() -> list[Reach]:
    """Return the methods that reach an operation, from the clients downwards."""
    found = []
    for scope in find_subclasses(Scope):
        for name, declared in vars(scope).items():
            match declared:
                case Call(method=method, path=path):
                    found.append(Reach(scope, name, declared, (method, path)))
                case PagedCall(call=call):
                    found.append(Reach(scope, name, declared, (call.method, call.path)))
                case FlowMethod(operation=(method, path)):
                    found.append(Reach(scope, name, declared, (method, path)))
    return found


def find_subclasses(scope: type[Any]) -> Iterator[type[Any]]:
    for one in scope.__subclasses__():
        yield one
        yield from find_subclasses(one)
