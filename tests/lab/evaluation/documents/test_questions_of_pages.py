"""Pages are cut as uploads are, and a question's answer is found under the heading that it names. Rows: K3, D4."""

from pathlib import Path

from lab.evaluation.documents.questions_of_pages import PageQuestion, cut_pages, find_answers, read_questions

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


def test_a_page_is_cut_as_an_upload_is(tmp_path: Path) -> None:
    (tmp_path / "harbour.md").write_text(PAGE)
    pieces = cut_pages(tmp_path)
    assert [(one.place, one.text) for one in pieces] == [
        ("Harbour", "Open all year."),
        ("Harbour › 潮汐", "# no heading"),
        ("Harbour › 潮汐 › Tables", "The master keeps them."),
    ]
    assert find_answers(ask("潮汐"), pieces) == {1}
    assert find_answers(ask("Tables"), pieces) == {2}
    assert find_answers(ask("Tables", "other.md"), pieces) == frozenset()


def test_an_anchor_in_the_words_that_two_chunks_share_is_answered_by_both(tmp_path: Path) -> None:
    sentences = [
        f"Boat number {number} of the harbour，第{number}条船 leaves early in the morning." for number in range(200)
    ]
    (tmp_path / "long.md").write_text("# Long\n\n" + "\n".join(sentences))
    pieces = cut_pages(tmp_path)
    holding = [
        find_answers(PageQuestion("q", "Which?", held_out=False, file="long.md", anchor=one), pieces)
        for one in sentences
    ]
    assert {len(one) for one in holding} == {1, 2}
    assert all(max(one) - min(one) < 2 for one in holding)
    assert find_answers(ask("Long", "long.md"), pieces) == frozenset(range(len(pieces)))


def test_questions_have_ids_of_their_own() -> None:
    questions = read_questions()
    assert len({one.id for one in questions}) == len(questions) > 0
    assert {one.held_out for one in questions} == {True, False}
