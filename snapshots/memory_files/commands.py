"""The six commands of the memory tool, each in the open scope. Writes of one person wait for each other."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import Func, IntegerField

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from profiles.selectors import find_subject
from profiles.services.subject_lock import lock_subject
from profiles.services.subjects import ensure_subject
from snapshots.memory_files.command_types import (
    CommandRefused,
    CreateFile,
    DeletePath,
    Edit,
    InsertText,
    RenamePath,
    ReplaceText,
    ViewPath,
    WritingCommand,
)
from snapshots.memory_files.config import MEMORY_FILES
from snapshots.memory_files.gate import check_file_text
from snapshots.memory_files.generated_files import make_generated_file, record_shown_memories
from snapshots.memory_files.paths import (
    GENERATED,
    ROOT,
    check_new_path,
    is_below,
    list_parents,
    normalise_path,
)
from snapshots.memory_files.tool_answers import render_file, render_folder, render_snippet
from snapshots.models import MemoryFile
from snapshots.sensitive.detector import is_sensitive
from tenants.services.audit import Actor, record_audit

_LISTED_MATCHES = 100


class OctetLength(Func):
    """The bytes of a text."""

    function = "octet_length"
    output_field = IntegerField()


def view_path(subject_id: str, command: ViewPath, policy_version: str, by: Actor) -> str:
    """Return a folder's listing or a file's lines. The lines that a view shows are recorded in a receipt, the reading
    of a file in the audit trail. Raises CommandRefused."""
    path = normalise_path(command.path)
    subject = find_subject(subject_id)
    if path in GENERATED:
        view = make_generated_file(path, subject)
        if subject is not None:
            record_shown_memories(subject.id, view, policy_version)
        return render_file(command.path, view.text, command.view_range)
    held = _find_file(subject, path)
    if held is not None:
        _record("memory_file.viewed", held.subject_id, by, held.id)
        return render_file(command.path, held.text, command.view_range)
    sizes = _load_sizes(subject)
    if path != ROOT and not _has_folder(path, sizes):
        raise _make_unknown_path_error(command.path)
    if path == ROOT:
        sizes |= {one: len(make_generated_file(one, subject).text.encode()) for one in GENERATED}
    return render_folder(command.path, path, sizes)


def run_writing_command(subject_id: str, command: WritingCommand, by: Actor) -> tuple[str, UUID]:
    """Do a command on the person's own files; return the answer and the person's row. Raises CommandRefused."""
    subject = ensure_subject(subject_id)
    lock_subject(subject)
    return _WRITERS[type(command)](subject, command, by), subject.id


def edit_text(command: Edit, text: str) -> tuple[str, str]:
    """Return the text after an edit, and the answer. Raises CommandRefused."""
    if isinstance(command, InsertText):
        return _insert_lines(command, text), f"The file {command.path} has been edited."
    changed_line = _find_line(command, text)
    after = text.replace(command.old_str, command.new_str)
    return after, render_snippet(after, changed_line)


def delete_file(row: MemoryFile, by: Actor, reason: str = "") -> None:
    """Delete a file, in the open scope."""
    MemoryFile.objects.filter(id=row.id).delete()
    record_audit(
        by,
        "memory_file.deleted",
        object_kind="memory_file",
        object_id=str(row.id),
        subject_ref=row.subject_id,
        reason=reason,
    )


def _create_file(subject: Subject, command: CreateFile, by: Actor) -> str:
    path = normalise_path(command.path)
    sizes = _load_sizes(subject)
    if path == ROOT or path in GENERATED or path in sizes or _has_folder(path, sizes):
        raise CommandRefused(f"File {command.path} already exists")
    _check_file_place(path, sizes)
    if len(sizes) >= MEMORY_FILES.files:
        raise CommandRefused(f"There are {MEMORY_FILES.files} files already, which is the most. Delete one first.")
    check_file_text(subject, "", command.file_text)
    row = MemoryFile.objects.create(subject_id=subject.id, path=path, text=command.file_text)
    _record("memory_file.created", subject.id, by, row.id)
    return f"File created successfully at: {command.path}"


def _edit_file(subject: Subject, command: Edit, by: Actor) -> str:
    path = normalise_path(command.path)
    row = _find_file(subject, path)
    if row is None:
        if path == ROOT or _has_folder(path, _load_sizes(subject)):
            raise CommandRefused(f"The path {command.path} is not a file.")
        raise _make_unknown_path_error(command.path)
    after, answer = edit_text(command, row.text)
    check_file_text(subject, row.text, after)
    MemoryFile.objects.filter(id=row.id).update(text=after, version=row.version + 1, updated_at=utc_now())
    _record("memory_file.changed", subject.id, by, row.id)
    return answer


def _delete_path(subject: Subject, command: DeletePath, by: Actor) -> str:
    path = normalise_path(command.path)
    if path == ROOT:
        raise CommandRefused(f"Cannot delete the {ROOT} directory itself")
    _refuse_generated_file(path)
    rows = _list_files_at(subject, path)
    if not rows:
        raise CommandRefused(f"The path {command.path} does not exist")
    for row in rows:
        delete_file(row, by)
    return f"Successfully deleted {command.path}"


def _rename_path(subject: Subject, command: RenamePath, by: Actor) -> str:
    old, new = normalise_path(command.old_path), normalise_path(command.new_path)
    if old == ROOT:
        raise CommandRefused(f"Cannot rename the {ROOT} directory itself")
    _refuse_generated_file(old)
    sizes = _load_sizes(subject)
    if new == ROOT or new in GENERATED or new in sizes or _has_folder(new, sizes):
        raise CommandRefused(f"The destination {command.new_path} already exists")
    rows = _list_files_at(subject, old)
    if not rows:
        raise CommandRefused(f"The path {command.old_path} does not exist")
    if is_below(new, old):
        raise CommandRefused(f"Cannot move {command.old_path} into itself")
    moved = {row.id: new + row.path[len(old) :] for row in rows}
    for path in moved.values():
        _check_file_place(path, sizes)
    for row in rows:
        MemoryFile.objects.filter(id=row.id).update(path=moved[row.id], version=row.version + 1, updated_at=utc_now())
        _record("memory_file.renamed", subject.id, by, row.id)
    return f"Successfully renamed {command.old_path} to {command.new_path}"


_WRITERS: dict[type[Any], Callable[[Subject, Any, Actor], str]] = {
    CreateFile: _create_file,
    ReplaceText: _edit_file,
    InsertText: _edit_file,
    DeletePath: _delete_path,
    RenamePath: _rename_path,
}


def _find_line(command: ReplaceText, text: str) -> int:
    """Return the line of the only match, from 0. Raises CommandRefused."""
    if not command.old_str:
        raise CommandRefused("No replacement was performed, old_str must not be empty.")
    found = text.count(command.old_str)
    if found == 1:
        return text.count("\n", 0, text.find(command.old_str))
    if not found:
        raise CommandRefused(
            f"No replacement was performed, old_str `{command.old_str}` did not appear verbatim in {command.path}."
        )
    lines = ", ".join(map(str, _list_lines_of_matches(command.old_str, text)))
    raise CommandRefused(
        f"No replacement was performed. Multiple occurrences of old_str `{command.old_str}` in lines: {lines}. "
        "Please ensure it is unique"
    )


def _list_lines_of_matches(part: str, text: str) -> list[int]:
    """Return the line of each match, from 1; of very many the first ones."""
    lines: list[int] = []
    line, at, match = 1, 0, text.find(part)
    while match != -1 and len(lines) < _LISTED_MATCHES:
        line, at = line + text.count("\n", at, match), match
        lines.append(line)
        match = text.find(part, match + 1)
    return lines


def _insert_lines(command: InsertText, text: str) -> str:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not 0 <= command.insert_line <= len(lines):
        raise CommandRefused(
            f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range [0, {len(lines)}]."
        )
    lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
    after = "\n".join(lines)
    return after if after.endswith("\n") else f"{after}\n"


def _check_file_place(path: str, sizes: dict[str, int]) -> None:
    """Raise CommandRefused where no file can be: below a file, or under a name that must not be kept."""
    check_new_path(path)
    blocked = next((one for one in list_parents(path) if one in sizes or one in GENERATED), None)
    if blocked is not None:
        raise CommandRefused(f"The path {blocked} is a file, not a directory.")
    if is_sensitive(path):
        raise CommandRefused("The path has a card or identity number or a secret. Choose another name.")


def _refuse_generated_file(path: str) -> None:
    if path in GENERATED:
        raise CommandRefused(
            f"The file {path} is generated from what is remembered, and cannot be deleted or renamed. To have "
            "something forgotten, the person says so in the conversation."
        )


def _find_file(subject: Subject | None, path: str) -> MemoryFile | None:
    return None if subject is None else MemoryFile.objects.filter(subject_id=subject.id, path=path).first()


def _list_files_at(subject: Subject, path: str) -> list[MemoryFile]:
    """Return the file of this path, or the files below this folder, without their texts."""
    rows = MemoryFile.objects.filter(subject_id=subject.id).defer("text").order_by("path")
    return [row for row in rows if row.path == path or is_below(row.path, path)]


def _load_sizes(subject: Subject | None) -> dict[str, int]:
    """Return the bytes of each of the person's files, by path."""
    if subject is None:
        return {}
    rows = MemoryFile.objects.filter(subject_id=subject.id).annotate(size=OctetLength("text"))
    return dict(rows.values_list("path", "size"))


def _has_folder(path: str, sizes: dict[str, int]) -> bool:
    return any(is_below(one, path) for one in sizes)


def _make_unknown_path_error(path: str) -> CommandRefused:
    return CommandRefused(f"The path {path} does not exist. Please provide a valid path.")


def _record(action: str, subject_id: UUID, by: Actor, row_id: UUID) -> None:
    record_audit(by, action, object_kind="memory_file", object_id=str(row_id), subject_ref=subject_id)
