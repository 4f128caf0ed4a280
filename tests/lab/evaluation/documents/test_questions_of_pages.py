"""Pages are cut at their headings, and a question's answer is found under the heading that it names. Rows: K3, D4."""

from pathlib import Path

from lab.evaluation.documents.questions_of_pages import (
    PIECE_CHARACTERS,
    PageQuestion,
    cut_pages,
    find_answers,
    read_questions,
)

PAGE = """# Harbour

Open all year.

## 潮汐

```
# no heading
```

### Tables

The master keeps them.
"""


def ask(heading: str, file: str = "harbour.md") -> PageQuestion:
    return PageQuestion("q1", "Where?", held_out=False, file=file, heading=heading)


def test_a_page_is_cut_at_its_headings(tmp_path: Path) -> None:
    (tmp_path / "harbour.md").write_text(PAGE)
    pieces = cut_pages(tmp_path)
    assert [(one.place, one.text) for one in pieces] == [
        ("Harbour", "Open all year."),
        ("Harbour › 潮汐", "```\n# no heading\n```"),
        ("Harbour › 潮汐 › Tables", "The master keeps them."),
    ]
    assert find_answers(ask("潮汐"), pieces) == {1}
    assert find_answers(ask("Tables"), pieces) == {2}
    assert find_answers(ask("Tables", "other.md"), pieces) == frozenset()


def test_a_long_section_is_cut_at_its_paragraphs(tmp_path: Path) -> None:
    paragraphs = [f"{number} " + "word " * 100 for number in range(8)]
    (tmp_path / "long.md").write_text("# Long\n\n" + "\n\n".join(paragraphs))
    pieces = cut_pages(tmp_path)
    assert len(pieces) > 1
    assert max(len(one.text) for one in pieces) <= PIECE_CHARACTERS
    assert find_answers(ask("Long", "long.md"), pieces) == frozenset(range(len(pieces)))


def test_questions_have_ids_of_their_own() -> None:
    questions = read_questions()
    assert len({one.id for one in questions}) == len(questions) > 0
    assert {one.held_out for one in questions} == {True, False}
