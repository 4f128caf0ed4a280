"""Pages cut as uploads are, and questions that name the passage that answers, by its words or its heading."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from snapshots.knowledge.chunking.chunk_cutter import cut_chunks
from snapshots.knowledge.errors import UnreadableDocumentError
from snapshots.knowledge.reading.document_reader import read_document
from snapshots.knowledge.reading.text_cleaning import clean_line

QUESTIONS = Path(__file__).with_name("node_questions.json")


@dataclass(frozen=True, slots=True)
class PagePiece:
    """A chunk of a page; ``place`` is what the index puts before its text."""

    file: str
    headings: tuple[str, ...]
    place: str
    text: str

    def holds(self, anchor: str) -> bool:
        """Return whether the words of ``anchor`` stand in it, however their lines break."""
        return clean_line(anchor) in clean_line(self.text)


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A question, and where its answer stands: in the passage of ``file`` that holds ``anchor``, or else below the
    first heading that contains ``heading``. One without a file has no answer. Nobody tunes on one that is held out.

    ``wording`` is "direct" where a question names the thing that it asks for, "indirect" where it tells a trouble or a
    wish."""

    id: str
    question: str
    held_out: bool
    file: str | None = None
    heading: str | None = None
    anchor: str | None = None
    language: str = "en"
    wording: str = "direct"


def read_questions(path: Path = QUESTIONS) -> list[PageQuestion]:
    return [PageQuestion(**row) for row in orjson.loads(path.read_bytes())["questions"]]


def cut_pages(folder: Path) -> list[PagePiece]:
    """Return the chunks of all Markdown pages in ``folder``, in order, as if each had been uploaded by its name. A page
    without text has none, as an upload of it would fail."""
    pieces = []
    for path in sorted(folder.glob("*.md")):
        with suppress(UnreadableDocumentError):
            page = read_document(path.read_bytes(), "text/markdown")
            chunks = cut_chunks(page, page.title or path.name)
            pieces += [PagePiece(path.name, one.heading_path, one.place, one.text) for one in chunks]
    return pieces


def find_answers(question: PageQuestion, pieces: Sequence[PagePiece]) -> frozenset[int]:
    """Return the numbers of the chunks that answer: those with the anchor, of which there may be two since a chunk
    repeats the end of the one before; or those right below the heading, else all that stand under it."""
    own = [i for i, one in enumerate(pieces) if one.file == question.file]
    if question.anchor is not None:
        return frozenset(i for i in own if pieces[i].holds(question.anchor))
    heading = question.heading
    if heading is None:
        return frozenset()
    right_below = frozenset(i for i in own if pieces[i].headings and heading in pieces[i].headings[-1])
    return right_below or frozenset(i for i in own if any(heading in one for one in pieces[i].headings))


def join_blanks(text: str) -> str:
    """Return a text with each run of blanks and line ends as one blank: anchors are compared in this form."""
    return " ".join(text.split())
