"""Reads a document in a process of its own, which ends when it takes too long or too much memory, or crashes.

Parsers of PDF, XML and HTML are large and written in C; a document made for it makes them hang (lexbor takes minutes
for 100,000 open elements) or crash. The process gets no environment, so that it holds no secret, and answers in JSON,
so that nothing it says is run.
"""

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from snapshots.knowledge.config import DEFAULT_LIMITS
from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.document_formats import DeclaredType, DocumentFormat
from snapshots.knowledge.reading.parsers import parse_document
from snapshots.knowledge.values import BlockKind, ParsedBlock, ParsedDocument

_ROOT = Path(__file__).resolve().parents[3]
_HEAD_END = b"\n"
# A processor that others use, too, gives this process a part of its time.
_WAIT_SECONDS = 4 * DEFAULT_LIMITS.processor_seconds
_REFUSED = 65


def parse_in_process(content: bytes, document_format: DocumentFormat, declared: DeclaredType) -> ParsedDocument:
    """Return the document as ``parse_document`` does. Raises UnreadableDocumentError, ``document_too_complex`` when the
    process exceeds its limits."""
    head = orjson.dumps([document_format, declared.charset, declared.extension])
    try:
        answer = subprocess.run(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-m", __name__],
            input=head + _HEAD_END + content,
            capture_output=True,
            cwd=_ROOT,
            env={"PYTHONDONTWRITEBYTECODE": "1"},
            timeout=_WAIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _make_complexity_error() from error
    if answer.returncode == _REFUSED:
        code, detail = orjson.loads(answer.stdout)
        raise UnreadableDocumentError(UnreadableCode(code), detail)
    if answer.returncode:
        raise _make_complexity_error()
    return _load_document(orjson.loads(answer.stdout))


def _make_complexity_error() -> UnreadableDocumentError:
    return UnreadableDocumentError(
        UnreadableCode.TOO_COMPLEX,
        f"Reading the document takes more than {DEFAULT_LIMITS.processor_seconds} seconds or "
        f"{DEFAULT_LIMITS.memory_bytes // 1024**3} GB, or its reader breaks off. Save it anew in a simpler form, as "
        "plain text at best, or split it, and upload it again.",
    )


def _load_document(row: dict[str, Any]) -> ParsedDocument:
    blocks = tuple(
        ParsedBlock(**{**one, "kind": BlockKind(one["kind"]), "heading_path": tuple(one["heading_path"])})
        for one in row["blocks"]
    )
    return ParsedDocument(row["title"], row["text"], blocks)


def _answer_parent() -> int:
    head, _, content = sys.stdin.buffer.read().partition(_HEAD_END)
    name, charset, extension = orjson.loads(head)
    document_format = DocumentFormat(name)
    try:
        document = parse_document(content, document_format, DeclaredType(document_format, charset, extension))
    except UnreadableDocumentError as error:
        sys.stdout.buffer.write(orjson.dumps([error.code, error.detail]))
        return _REFUSED
    sys.stdout.buffer.write(orjson.dumps(document))
    return 0


def _limit_process() -> None:
    _lower(resource.RLIMIT_CPU, DEFAULT_LIMITS.processor_seconds)
    _lower(resource.RLIMIT_AS, DEFAULT_LIMITS.memory_bytes)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (limit, limit))


def run_bounded(work: Callable[[], int]) -> int:
    """Run ``work`` under the limits and return its exit code; the interpreter's stack bounds recursion."""
    _limit_process()
    return work()


if __name__ == "__main__":
    sys.exit(run_bounded(_answer_parent))
