"""Texts that must not enter a file which a model will read again: secrets, instructions to it, and forgotten words."""

from collections.abc import Collection

from profiles.models import Subject
from profiles.services.tombstones import find_forgotten_texts, has_tombstones
from snapshots.memory_files.command_types import CommandRefused
from snapshots.memory_files.config import MEMORY_FILES
from snapshots.memory_files.paths import BULLETS
from snapshots.sensitive.detector import is_sensitive
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import fold_for_matching


def check_file_text(subject: Subject, before: str, after: str) -> None:
    """Raise CommandRefused for a text that must not be kept, in the open scope. Lines that stood before are not judged
    again, but secrets are looked for in the whole text: two edits can make one."""
    if len(after.encode()) > MEMORY_FILES.file_bytes:
        raise CommandRefused(f"The file is too large. At most {MEMORY_FILES.file_bytes} bytes are allowed.")
    if is_sensitive(after):
        raise CommandRefused(
            "Nothing was stored: the text has a card or identity number or a secret. Leave it out, and try again."
        )
    known = set(before.split("\n"))
    check_file_lines(subject, [line for line in after.split("\n") if line.strip() and line not in known])


def check_file_lines(subject: Subject | None, lines: Collection[str]) -> None:
    """Raise CommandRefused when a line instructs the model or was forgotten, in the open scope."""
    for number, line in enumerate(lines, 1):
        if is_instruction(fold_for_matching(line)):
            raise CommandRefused(
                f"Nothing was stored: line {number} of what is new instructs the model. Write what is so, as a fact."
            )
    told = {line.strip().lstrip(BULLETS).strip() for line in lines}
    if told and subject is not None and has_tombstones(subject.id) and find_forgotten_texts(subject.id, told):
        raise CommandRefused("Nothing was stored: the person had something of it forgotten. Leave it out.")
