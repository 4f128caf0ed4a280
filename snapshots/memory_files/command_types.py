"""Commands of the memory tool. Paths and texts are the model's own."""

from collections.abc import Sequence
from dataclasses import dataclass


class CommandRefused(Exception):
    """The command cannot be done; the message is for the model, which can try something else."""


@dataclass(frozen=True, slots=True)
class ViewPath:
    """``view_range``: the first and the last line, from 1; -1 is the end. Any other length is no range."""

    path: str
    view_range: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class CreateFile:
    path: str
    file_text: str


@dataclass(frozen=True, slots=True)
class ReplaceText:
    path: str
    old_str: str
    new_str: str


@dataclass(frozen=True, slots=True)
class InsertText:
    """``insert_line``: the text goes below this line; 0 is the top."""

    path: str
    insert_line: int
    insert_text: str


@dataclass(frozen=True, slots=True)
class DeletePath:
    path: str


@dataclass(frozen=True, slots=True)
class RenamePath:
    old_path: str
    new_path: str


Edit = ReplaceText | InsertText
WritingCommand = CreateFile | ReplaceText | InsertText | DeletePath | RenamePath
