"""Pages cut at their headings, and questions that name the heading of the passage that answers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

QUESTIONS = Path(__file__).with_name("node_questions.json")
PIECE_CHARACTERS = 1_800
_HEADING = re.compile(r"^(#{1,5}) (.*)")
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class PagePiece:
    """A piece of a page under one heading."""

    file: str
    headings: tuple[str, ...]
    text: str

    @property
    def place(self) -> str:
        return " › ".join(self.headings)


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
    """Return the pieces of all Markdown pages in ``folder``, in order."""
    return [piece for path in sorted(folder.glob("*.md")) for piece in _cut_page(path)]


def find_answers(question: PageQuestion, pieces: Sequence[PagePiece]) -> frozenset[int]:
    """Return the numbers of the pieces that answer: the one with the anchor, or those right below the heading, else all
    that stand under it."""
    own = [i for i, one in enumerate(pieces) if one.file == question.file]
    if question.anchor is not None:
        return frozenset(i for i in own if question.anchor in join_blanks(pieces[i].text))
    heading = question.heading
    if heading is None:
        return frozenset()
    right_below = frozenset(i for i in own if pieces[i].headings and heading in pieces[i].headings[-1])
    return right_below or frozenset(i for i in own if any(heading in one for one in pieces[i].headings))


def join_blanks(text: str) -> str:
    """Return a text with each run of blanks and line ends as one blank: anchors are compared in this form."""
    return " ".join(text.split())


def _cut_page(path: Path) -> Iterator[PagePiece]:
    headings: list[str] = []
    held: list[str] = []
    is_code = False
    for line in path.read_text(errors="replace").splitlines():
        is_code ^= line.startswith(_FENCE)
        heading = None if is_code else _HEADING.match(line)
        if heading is None:
            held.append(line)
            continue
        yield from _cut_paragraphs(path.name, headings, held)
        headings, held = [*headings[: len(heading[1]) - 1], heading[2].strip()], []
    yield from _cut_paragraphs(path.name, headings, held)


def _cut_paragraphs(file: str, headings: Sequence[str], lines: Sequence[str]) -> Iterator[PagePiece]:
    piece = ""
    for paragraph in "\n".join(lines).strip().split("\n\n"):
        if piece and len(piece) + len(paragraph) > PIECE_CHARACTERS:
            yield PagePiece(file, tuple(headings), piece)
            piece = ""
        piece = f"{piece}\n\n{paragraph}" if piece else paragraph
    if piece:
        yield PagePiece(file, tuple(headings), piece)
