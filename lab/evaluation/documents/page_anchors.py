"""Whether each anchor stands once in its page, and the sentences whose grounding is to be judged."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

from lab.evaluation.documents.questions_of_pages import join_blanks, read_questions

_HERE = Path(__file__).parent
QUESTIONS_BY_LANGUAGE = {"en": _HERE / "questions_en.json", "zh": _HERE / "questions_zh.json"}
SENTENCES = _HERE / "grounding_sentences.json"


@dataclass(frozen=True, slots=True)
class GroundingSentence:
    """A sentence about the passage of ``file`` that holds ``anchor``. Where it is not grounded, one fact was changed:
    ``changed`` is "number", "unit", "name", "place", "negation", "comparison", "order" or "quantifier". Nobody tunes
    on one that is held out."""

    id: str
    sentence: str
    file: str
    anchor: str
    grounded: bool
    changed: str | None
    language: str
    held_out: bool


def read_sentences(path: Path = SENTENCES) -> list[GroundingSentence]:
    return [GroundingSentence(**row) for row in orjson.loads(path.read_bytes())["sentences"]]


def find_lost_anchors(folder: Path) -> list[str]:
    """Return a line for each question and sentence whose anchor does not stand exactly once in its page, which is
    ``folder``/LANGUAGE/FILE."""
    asked = [one for path in QUESTIONS_BY_LANGUAGE.values() for one in read_questions(path) if one.file is not None]
    places = [(one.id, one.language, one.file or "", one.anchor or "") for one in asked]
    places += [(one.id, one.language, one.file, one.anchor) for one in read_sentences()]
    return list(_list_lost(folder, places))


def _list_lost(folder: Path, places: Iterable[tuple[str, str, str, str]]) -> Iterable[str]:
    texts: dict[Path, str] = {}
    for name, language, file, anchor in places:
        path = folder / language / file
        if path not in texts:
            texts[path] = join_blanks(path.read_text(errors="replace")) if path.exists() else ""
        times = texts[path].count(anchor) if anchor else 0
        if times != 1:
            yield f"{name}: {language}/{file} has {times} times {anchor!r}"
