"""Writes ``memory_platform_client/answers`` from the OpenAPI document: ``python clients/python/answer_writer.py``."""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "tests" / "golden" / "openapi.json"
ANSWERS = HERE / "memory_platform_client" / "answers"
HEADING = '"""{}\n\nWritten by clients/python/answer_writer.py from the OpenAPI document: do not edit.\n"""\n\n'
WIDTH = 120

ROOMS = {
    "recall": ("recall",),
    "context": ("context", "outcome", "receipts"),
    "conversations": ("messages", "conversations"),
    "profiles": ("subjects", "profile", "preferences", "tags", "asks"),
    "memories": ("notes", "snapshots", "candidates", "reviews", "consolidations", "forget-orders"),
    "tasks": ("tools", "tasks"),
    "knowledge": ("documents", "collections"),
    "policies": ("policies", "experiments"),
    "administration": ("export", "deletion", "jobs", "tenant", "keys", "webhooks", "documentation", "health"),
}
"""The modules, and the tags of the document whose answers they hold; what several of them need is in ``shared``."""
SHARED = "shared"
NAMES = {"MemoryOutput": "RecalledMemory"}  # `Memory` is the client
WORD_NAMES = {
    "Code": "ProblemCode",
    "ContextInputFormat": "PromptFormat",
    "ContextInputInclude": "ContextInclude",
    "ContextInputOrder": "PromptOrder",
    "Detail": "TagField",
    "DocumentSearchInputOrder": "PassageOrder",
    "Embedding": "CheckStatus",
    "Events": "WebhookEvent",
    "FactProvenance": "Provenance",
    "FactVerdictVerdict": "BeliefVerdict",
    "HeldSnapshotKind": "SnapshotKind",
    "How": "UseKind",
    "Lanes": "RecallLane",
    "Language": "ToolLanguage",
    "ListedTagKind": "TagKind",
    "Match": "TagMatchKind",
    "MemoryReviewState": "ReviewState",
    "Name": "SectionName",
    "NoteEditInputProvenance": "ClaimedProvenance",
    "NoteEditInputRemove": "RemovableNoteField",
    "OffReason": "WebhookOffReason",
    "Outcome": "TaskOutcome",
    "ProposedKind": "BeliefKind",
    "ReviewDecisionInputDecision": "MemoryDecision",
    "ReviewInputDecision": "ReviewDecision",
    "Scope": "ErasureScope",
    "Scopes": "KeyScope",
    "SettingProvenance": "NumberProvenance",
    "Signal": "MemorySignal",
    "SnapshotEditInputRemove": "RemovableSnapshotField",
    "SnapshotInputKind": "MemoryKind",
    "Standing": "MemoryStanding",
    "Style": "PromptStyle",
    "TagEditInputRemove": "RemovableTagField",
    "Tier": "ModelTier",
    "ToolsFormat": "ToolFormat",
    "Type": "WebhookDeliveryType",
    "Understand": "Understanding",
    "View": "HitView",
    "WrittenDocumentVerdict": "DocumentVerdict",
}
"""Better names than those of a field and its schema."""
BASES = {"Context": "WholeText"}
TYPES = {("Context", "text"): "str"}  # WholeText fills it
SCALARS = {"null": "None", "integer": "int", "number": "float", "string": "str", "boolean": "bool"}
FORMATS = {"date-time": "datetime", "date": "date"}
MARKS = re.compile(r"\b(?:Any|Answer|WholeText|Literal|datetime|date|NotRequired|TypedDict)\b")
SOURCES = {
    "Any": "typing",
    "Literal": "typing",
    "TypedDict": "typing",
    "datetime": "datetime",
    "date": "datetime",
    "Answer": "memory_platform_client.decoding",
    "WholeText": "memory_platform_client.context_text",
}

Schema = dict[str, Any]


class AnswerWriter:
    """Turns the schemas of one document into modules of dataclasses and typed dictionaries."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.schemas: dict[str, Schema] = document["components"]["schemas"]
        self.rooms = self.assign_modules()
        self.words = self.name_words()
        self.names_of_words = {frozenset(words): name for words, name in self.words.items()}

    def write(self) -> dict[str, str]:
        """Return the text of each module by its file's name."""
        files = {"vocabularies.py": self.write_words(), "inputs.py": self.write_inputs()}
        for room in (*ROOMS, SHARED):
            names = sorted(name for name, home in self.rooms.items() if home == room)
            classes = "".join(self.write_class(name) for name in names)
            files[f"{room}.py"] = self.add_imports(f"Answers: {room}.", room, classes)
        files["__init__.py"] = self.write_index()
        return files

    def write_index(self) -> str:
        """Return the module that has all classes of answers by their names."""
        homes: dict[str, list[str]] = defaultdict(list)
        for name, room in self.rooms.items():
            homes[f"memory_platform_client.answers.{room}"].append(name_class(name))
        names = "".join(f'    "{name_class(name)}",\n' for name in sorted(self.rooms, key=name_class))
        heading = HEADING.format("What the platform answers, as dataclasses.").removesuffix("\n")
        return "".join([heading, *write_imports(homes), f"\n__all__ = [\n{names}]\n"])

    def assign_modules(self) -> dict[str, str]:
        """Return the module of each schema that an answer holds."""
        users: dict[str, set[str]] = defaultdict(set)
        room_of_tag = {tag: room for room, tags in ROOMS.items() for tag in tags}
        for operations in self.document["paths"].values():
            for operation in operations.values():
                for status, answer in operation["responses"].items():
                    if status < "300":
                        for name in self.find_needed_schemas(answer):
                            users[name].add(room_of_tag[operation["tags"][0]])
        return {
            name: rooms.pop() if len(rooms) == 1 else SHARED
            for name, rooms in users.items()
            if not name.endswith("PageOutput")
        }

    def find_needed_schemas(self, node: Any) -> set[str]:
        """Return the names of the schemas that a part of the document needs, directly or not."""
        found: set[str] = set()
        waiting = list(find_references(node))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += find_references(self.schemas[name])
        return found

    def list_inputs(self) -> list[str]:
        """Return the schemas that stand inside the body of a request; the bodies themselves are methods' arguments."""
        nested = {
            name
            for schema_name, schema in self.schemas.items()
            if schema_name.endswith("Request")
            for name in find_references(schema)
        }
        return sorted(name for name in nested if name.endswith("Request"))

    def name_words(self) -> dict[tuple[str, ...], str]:
        """Return a name for each vocabulary: of its field, and of its schema too where fields of one name differ."""
        by_field: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        for schema_name in sorted(self.schemas, key=lambda name: (not name.endswith("Output"), name)):
            for field, words in find_vocabularies(self.schemas[schema_name]):
                by_field[field].append((schema_name, words))
        names: dict[frozenset[str], tuple[tuple[str, ...], str]] = {}
        for field, uses in sorted(by_field.items()):
            is_ambiguous = len({frozenset(words) for _, words in uses}) > 1
            for schema_name, words in uses:
                name = (name_class(schema_name) if is_ambiguous else "") + make_camel_case(field)
                names.setdefault(frozenset(words), (words, WORD_NAMES.get(name, name)))
        return {words: name for words, name in names.values() if len(words) > 1}

    def write_words(self) -> str:
        """Return the module of vocabularies."""
        lines = [HEADING.format("The words that fields may hold. A newer server may know more of them.")]
        lines.append("from typing import Literal\n\n")
        for words, name in sorted(self.words.items(), key=lambda pair: pair[1]):
            listed = ", ".join(f'"{word}"' for word in words)
            lines.append(wrap_list(f"{name} = Literal[", listed, "]"))
        return "".join(lines)

    def write_inputs(self) -> str:
        """Return the module of typed dictionaries."""
        return self.add_imports(
            "What stands inside the arguments of methods.",
            "inputs",
            "".join(self.write_dictionary(name) for name in self.list_inputs()),
        )

    def write_dictionary(self, name: str) -> str:
        """Return a schema of a request as a typed dictionary."""
        schema = self.schemas[name]
        fields = schema["properties"]
        types = {field: loosen_type(self.render_type(part)) for field, part in fields.items()}
        required = schema.get("required", ())
        types = {field: kind if field in required else f"NotRequired[{kind}]" for field, kind in types.items()}
        if any(keyword.iskeyword(field) for field in fields):
            listed = ", ".join(f'"{field}": "{kind}"' for field, kind in types.items())
            line = f'{name_class(name)} = TypedDict("{name_class(name)}", {{{listed}}})'
            if len(line) > WIDTH:
                line = f'{name_class(name)} = TypedDict(\n    "{name_class(name)}", {{{listed}}}\n)'
            return f"\n\n{line}\n"
        lines = [f"\n\nclass {name_class(name)}(TypedDict):\n", indent_text(f'"""{first_sentence(schema)}"""'), "\n"]
        lines += [f"    {field}: {kind}\n" for field, kind in types.items()]
        return "".join(lines)

    def write_class(self, name: str) -> str:
        """Return a schema of an answer as a dataclass."""
        schema, title = self.schemas[name], name_class(name)
        lines = [
            f"\n\n@dataclass(kw_only=True)\nclass {title}({BASES.get(title, 'Answer')}):\n",
            indent_text(f'"""{first_sentence(schema)}"""'),
            "\n",
        ]
        for field, part in schema["properties"].items():
            kind = TYPES.get((title, field)) or self.render_type(part)
            safe = f"{field}_" if keyword.iskeyword(field) else field
            if field not in schema.get("required", ()):
                kind = f"{kind.removesuffix(' | None')} | None = None"
            lines.append(f"    {safe}: {kind}\n")
        return "".join(lines)

    def render_type(self, part: Schema) -> str:
        """Return the type of one field; what may be null has ``None``."""
        kinds = {self.render_single_type(one) for one in split_union(part)}
        if "Any" in kinds:
            return "Any"
        is_nullable = "None" in kinds
        return " | ".join([*sorted(kinds - {"None"}), *(["None"] if is_nullable else [])])

    def render_single_type(self, part: Schema) -> str:
        if reference := part.get("$ref"):
            name = reference.rpartition("/")[2]
            return "Mapping[str, Any]" if name in ("Filter", "DocumentFilter") else name_class(name)
        words = list_words(part)
        if words:
            return self.names_of_words.get(frozenset(words)) or f'Literal["{words[0]}"]'
        kind = part.get("type")
        if kind == "array":
            return f"list[{self.render_type(part.get('items', {}))}]"
        if kind == "object":
            values = part.get("additionalProperties")
            return f"dict[str, {self.render_type(values) if isinstance(values, dict) else 'Any'}]"
        return FORMATS.get(part.get("format", ""), SCALARS.get(str(kind), "Any"))

    def add_imports(self, purpose: str, room: str, text: str) -> str:
        """Return a module: its docstring, the imports that its text needs, the text."""
        code = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
        lines: dict[str, set[str]] = defaultdict(set)
        for mark in MARKS.findall(code):
            if mark in SOURCES:
                lines[SOURCES[mark]].add(mark)
        spoken = set(re.findall(r"\b[A-Z]\w+\b", code))
        lines["memory_platform_client.answers.vocabularies"] = spoken & set(self.words.values())
        for name, home in self.rooms.items():
            if room not in (home, "inputs") and name_class(name) in spoken:
                lines[f"memory_platform_client.answers.{home}"].add(name_class(name))
        if "Mapping" in spoken:
            lines["collections.abc"].add("Mapping")
        if "Sequence" in spoken:
            lines["collections.abc"].add("Sequence")
        if "When" in spoken:
            lines["memory_platform_client.encoding"].add("When")
        if "@dataclass" in code:
            lines["dataclasses"].add("dataclass")
        if "NotRequired" in spoken:
            lines["typing"].add("TYPE_CHECKING")
        return "".join([HEADING.format(purpose), "from __future__ import annotations\n\n", *write_imports(lines), text])


def write_imports(lines: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield import statements, those of this package last, sorted as ruff sorts them."""
    filled = {
        source: sorted(names, key=lambda name: (not name.isupper(), name)) for source, names in lines.items() if names
    }
    own = {source for source in filled if source.startswith("memory_platform_client")}
    for source in sorted(filled.keys() - own):
        yield wrap_list(f"from {source} import ", ", ".join(filled[source]), "")
    if own:
        yield "\n"
    for source in sorted(own):
        yield wrap_list(f"from {source} import ", ", ".join(filled[source]), "")
    if "TYPE_CHECKING" in filled.get("typing", ()):
        yield "\nif TYPE_CHECKING:\n    from typing_extensions import NotRequired\n"


def wrap_list(before: str, listed: str, after: str) -> str:
    """Return a line, or several where it would be too long, as ruff lays them out."""
    line = f"{before}{listed}{after}\n"
    if len(line) <= WIDTH + 1:
        return line
    opening, closing = ("", "") if after else ("(", ")")
    rows = "".join(f"    {one},\n" for one in listed.split(", "))
    return f"{before}{opening}\n{rows}{closing}{after}\n"


def indent_text(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")) + "\n"


def first_sentence(schema: Schema) -> str:
    return str(schema["description"]).split(". ")[0].strip().removesuffix(".") + "."


def find_references(node: Any) -> Iterator[str]:
    """Yield the names of the schemas that a part of the document refers to itself, examples aside."""
    if isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str) and "/schemas/" in reference:
            yield reference.rpartition("/")[2]
        for key, value in node.items():
            if key != "examples" or "schema" not in node:
                yield from find_references(value)
    elif isinstance(node, list):
        for value in node:
            yield from find_references(value)


def find_vocabularies(schema: Schema) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the fields of a schema that have an enumeration, with its words."""
    for field, part in schema.get("properties", {}).items():
        for one in split_union(part):
            inner = one.get("items", {}) if one.get("type") == "array" else one
            if "enum" in inner:
                yield field, list_words(inner)


def list_words(part: Schema) -> tuple[str, ...]:
    words = part.get("enum", [part["const"]] if "const" in part else [])
    return tuple(str(word) for word in words if word is not None)


def split_union(part: Schema) -> list[Schema]:
    """Return the alternatives of a schema, null as one of its own."""
    for key in ("oneOf", "anyOf", "allOf"):
        if key in part:
            return [one for alternative in part[key] for one in split_union(alternative)]
    if isinstance(part.get("type"), list):
        return [{"type": "null"} if kind == "null" else {**part, "type": kind} for kind in part["type"]]
    return [part]


def name_class(schema_name: str) -> str:
    """Return the name of a class: ``NoteOutput`` is a ``Note``, ``MessageInputRequest`` a ``MessageInput``."""
    return NAMES.get(schema_name) or schema_name.removesuffix("Output").removesuffix("Request")


def loosen_type(kind: str) -> str:
    """Return the type that an argument may have where an answer has ``kind``."""
    return kind.replace("list[", "Sequence[").replace("dict[", "Mapping[").replace("datetime", "When")


def make_camel_case(field: str) -> str:
    return "".join(part.capitalize() for part in field.split("_"))


def main() -> None:
    """Write the modules, or, with ``--check``, say which of them differ."""
    files = AnswerWriter(json.loads(DOCUMENT.read_text(encoding="utf-8"))).write()
    ANSWERS.mkdir(exist_ok=True)
    for name, text in files.items():
        (ANSWERS / name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(files)} modules in {ANSWERS}\n")


if __name__ == "__main__":
    main()
