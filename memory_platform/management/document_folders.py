"""Reading a folder of documents: which files are documents, and the id of each."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory_platform.kernel.product_ids import find_product_id_fault
from snapshots.knowledge.documents.config import DOCUMENT_CONFIG
from snapshots.knowledge.documents.content_type_guess import TYPE_OF_ENDING
from snapshots.knowledge.documents.values import DocumentUpload

# Stands for the slash of a path in an id, which may have none.
SEPARATOR = ":"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A document in a folder. ``path`` is relative to the folder."""

    document_id: str
    path: str
    file: Path

    def read_upload(self, collection: str | None) -> DocumentUpload:
        """Return the file as an upload, its path in the metadata. Raises OSError."""
        kind = TYPE_OF_ENDING[self.file.suffix.lower()]
        return DocumentUpload(self.file.read_bytes(), kind, metadata={"path": self.path}, collection=collection)


@dataclass(slots=True)
class DocumentFolder:
    """The documents of a folder, and why files of it are none: a path and a reason each; how many have which ending
    that no document has."""

    files: list[FoundFile] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    other_endings: "Counter[str]" = field(default_factory=Counter)


def read_folder(folder: Path) -> DocumentFolder:
    """Return the documents below a folder, by their paths. Hidden files and links are left out: a link may lead out of
    the folder, or in a circle."""
    found = DocumentFolder()
    ids: dict[str, str] = {}
    for file in _walk(folder):
        path = file.relative_to(folder).as_posix()
        if file.suffix.lower() not in TYPE_OF_ENDING:
            found.other_endings[file.suffix.lower() or "none"] += 1
            continue
        document_id = path.replace("/", SEPARATOR)
        fault = _find_fault(file, document_id, ids)
        if fault:
            found.refused.append((path, fault))
            continue
        ids[document_id] = path
        found.files.append(FoundFile(document_id, path, file))
    return found


def _walk(folder: Path) -> Iterator[Path]:
    for child in sorted(folder.iterdir()):
        if child.name.startswith(".") or child.is_symlink():
            continue
        if child.is_dir():
            yield from _walk(child)
        elif child.is_file():
            yield child


def _find_fault(file: Path, document_id: str, ids: dict[str, str]) -> str:
    """Return why a file cannot be imported, "" if it can."""
    try:
        fault = find_product_id_fault(document_id)
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if fault:
        return f"its path cannot be an id: {fault[1]}"
    if document_id in ids:
        return f"its id would be that of {ids[document_id]}"
    if file.stat().st_size > DOCUMENT_CONFIG.upload_bytes:
        return f"it has more than {DOCUMENT_CONFIG.upload_bytes // 1024**2} MiB"
    return ""
