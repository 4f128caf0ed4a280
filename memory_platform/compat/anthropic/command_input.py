"""The body of a call: a person and one command of ``memory_20250818`` with its arguments, under the SDK's names."""

from collections.abc import Callable, Mapping
from typing import Any

from memory_platform.api.requests.fields import ListOfField, OneOfField, ProductIdField, TextField, WholeField
from memory_platform.api.requests.serializers import Input
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.memory_files.command_types import (
    CreateFile,
    DeletePath,
    InsertText,
    RenamePath,
    ReplaceText,
    ViewPath,
    WritingCommand,
)

# Larger texts are refused as faults of the request; smaller ones that are too large for a file, to the model.
MOST_TEXT_BYTES = 1024 * 1024
RANGE_PARTS = 2
MakeCommand = Callable[..., ViewPath | WritingCommand]
# Each command with the arguments that it must have.
COMMANDS: Mapping[str, tuple[MakeCommand, tuple[str, ...]]] = {
    "view": (ViewPath, ("path",)),
    "create": (CreateFile, ("path", "file_text")),
    "str_replace": (ReplaceText, ("path", "old_str", "new_str")),
    "insert": (InsertText, ("path", "insert_line", "insert_text")),
    "delete": (DeletePath, ("path",)),
    "rename": (RenamePath, ("old_path", "new_path")),
}
OPTIONAL = {"view": ("view_range",)}


def make_text_field() -> TextField:
    return TextField(max_bytes=MOST_TEXT_BYTES, allow_empty=True, required=False)


class MemoryCommandInput(Input):
    subject_id = ProductIdField()
    command = OneOfField(choices=tuple(COMMANDS))
    path = make_text_field()
    view_range = ListOfField(child=WholeField(), most=RANGE_PARTS, required=False)
    file_text = make_text_field()
    old_str = make_text_field()
    new_str = make_text_field()
    insert_line = WholeField(required=False)
    insert_text = make_text_field()
    old_path = make_text_field()
    new_path = make_text_field()


def make_command(sent: Mapping[str, Any]) -> ViewPath | WritingCommand:
    """Return the command of a checked body. Raises InvalidInput for arguments that are missing or of other commands."""
    name = sent["command"]
    make, needed = COMMANDS[name]
    arguments = {one: value for one, value in sent.items() if one not in {"subject_id", "command"}}
    if name == "str_replace":
        arguments.setdefault("new_str", "")  # left out, it deletes
    missing = [one for one in needed if one not in arguments]
    surplus = sorted(arguments.keys() - {*needed, *OPTIONAL.get(name, ())})
    faults = [FieldFault(one, "required", f"The command {name} needs it.") for one in missing]
    faults += [FieldFault(one, "unknown_field", f"The command {name} does not take it.") for one in surplus]
    if faults:
        raise InvalidInput(faults=faults)
    return make(**arguments)
