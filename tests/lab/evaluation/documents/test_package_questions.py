"""Questions of documents are complete and spread, and their anchors lead to one passage. Rows: D4."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from lab.evaluation.documents.lane_comparison import HYBRID, PLAIN, LaneFigures, compute_ndcg
from lab.evaluation.documents.package_texts import convert_html, read_sources
from lab.evaluation.documents.page_anchors import QUESTIONS_BY_LANGUAGE, find_lost_anchors, read_sentences
from lab.evaluation.documents.questions_of_pages import PageQuestion, cut_pages, find_answers, read_questions

# Of questions with an answer and of questions without one: those that weights may follow, and those that are held out,
# at least. The figures that we publish come from questions that nobody tuned on.
WANTED = {"en": ((180, 300), (30, 50)), "zh": ((60, 350), (30, 40))}
PAGE = """<html><head><title>Logs</title></head><body><div class="navheader">Next</div>
<h2>Error log <a class="headerlink">¶</a></h2><p>Where <b>faults</b>
go.<p>日志写在这里。<pre># a comment

kept</pre><table><tr><td>one<td>two</table><script>hidden()</script></body></html>"""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_questions_are_many_spread_and_enough_held_out(language: str) -> None:
    questions = read_questions(QUESTIONS_BY_LANGUAGE[language])
    answered = [one for one in questions if one.file is not None]

    assert len({one.id for one in questions}) == len({one.question for one in questions}) == len(questions)
    assert {one.language for one in questions} == {language}
    assert len({one.file for one in answered}) >= 15
    assert all(one.anchor for one in answered)
    unanswered = [one for one in questions if one.file is None]
    for among, (tuned, held_out) in zip((answered, unanswered), WANTED[language], strict=True):
        assert sum(not one.held_out for one in among) >= tuned
        assert sum(one.held_out for one in among) >= held_out
    assert sum(one.wording == "indirect" for one in answered) == pytest.approx(len(answered) / 2, abs=8)


PAIRS = {"en": 176, "zh": 165}
KINDS = ("number", "unit", "name", "place", "negation", "comparison", "order", "quantifier")


def test_half_of_the_sentences_have_one_fact_changed() -> None:
    counted = Counter((one.language, one.grounded) for one in read_sentences())

    assert counted == {(language, grounded): pairs for language, pairs in PAIRS.items() for grounded in (True, False)}
    assert all((one.changed is None) == one.grounded for one in read_sentences())
    assert {one.changed for one in read_sentences()} == {None, *KINDS}


def test_every_page_belongs_to_a_package_with_its_licence() -> None:
    sources = {one.id: one for one in read_sources()}
    asked = [one for path in QUESTIONS_BY_LANGUAGE.values() for one in read_questions(path) if one.file is not None]

    placed = [(one.file, one.language) for one in asked] + [(one.file, one.language) for one in read_sentences()]
    for file, language in placed:
        assert sources[(file or "").split("-")[0]].language == language
    assert all(one.licence and one.version for one in sources.values())


def test_pages_become_headings_paragraphs_and_code() -> None:
    assert convert_html(PAGE) == (
        "## Error log\n\nWhere faults go.\n\n日志写在这里。\n\n```\n# a comment\n\nkept\n```\n\none | two |\n"
    )


def test_an_anchor_finds_its_passage_across_line_ends(tmp_path: Path) -> None:
    long = "Other words. " * 150
    (tmp_path / "a.md").write_text(f"# A\n\n{long}\n\nThe lock is let\ngo at the end.\n\n# B\n\n锁在事务结束时释放。\n")
    pieces = cut_pages(tmp_path)

    def find(anchor: str) -> list[tuple[str, ...]]:
        question = PageQuestion("q", "When?", held_out=False, file="a.md", anchor=anchor)
        return [pieces[i].headings for i in find_answers(question, pieces)]

    assert find("lock is let go at") == [("A",)]
    assert find("在事务结束时") == [("B",)]
    assert find("nowhere at all") == []


def test_lost_and_doubled_anchors_are_named(tmp_path: Path) -> None:
    places = [(one, path) for path in QUESTIONS_BY_LANGUAGE.values() for one in read_questions(path) if one.file]
    question = places[0][0]
    assert question.file and question.anchor
    page = tmp_path / question.language / question.file
    page.parent.mkdir(parents=True)

    page.write_text(question.anchor)
    assert not [line for line in find_lost_anchors(tmp_path) if line.startswith(f"{question.id}:")]
    page.write_text(question.anchor * 2)
    assert f"{question.id}: {question.language}/{question.file} has 2 times {question.anchor!r}" in find_lost_anchors(
        tmp_path
    )
    page.unlink()
    assert len(find_lost_anchors(tmp_path)) == len(places) + len(read_sentences())


def test_the_first_of_the_chunks_that_repeat_an_answer_counts() -> None:
    assert compute_ndcg([3, 1, 2], {1, 2}) == pytest.approx(1 / np.log2(3))
    assert compute_ndcg([1, 3], {1, 2}) == 1
    assert compute_ndcg([*range(10), 77], {77}) == compute_ndcg([1], frozenset()) == 0


def test_questions_without_an_answer_count_only_as_answered_or_not() -> None:
    questions = [
        PageQuestion("a", "Known?", held_out=False, file="a.md", anchor="known"),
        PageQuestion("b", "Unknown?", held_out=False),
        PageQuestion("c", "Held out?", held_out=True, file="a.md", anchor="known"),
    ]
    hits = np.full((3, 5, 2), np.nan)
    hits[:, :2] = [[[0.9, 1], [0.5, 0]], [[0.01, 0], [0, 0]], [[0.01, 0], [0, 0]]]
    figures = {HYBRID: np.array([[1, 1], [0, 0], [0, 0]], float), PLAIN: np.array([[1, 0.5], [0, 0], [0, 0]], float)}

    compared = LaneFigures(questions, figures, np.array([0.9, 0.01, 0.01]), hits)

    assert compared.render(held_out=None)[:2] == ["2 questions", "  hybrid      hit@5 0.500  nDCG@10 0.500"]
    assert compared.render(held_out=False) == [
        "1 questions that are not held out",
        "  hybrid      hit@5 1.000  nDCG@10 1.000",
        "  BM25 alone  hit@5 1.000  nDCG@10 0.500  hybrid +0.000 [+0.000, +0.000], +0.500 [+0.500, +0.500]",
        "  1 of 1 with an answer are answered",
        "  0 of 1 without an answer are answered",
        "  first passages: 1, calibration error 0.100",
        "    0.8 to 1.0:    1, relevance 0.900, right 1.000",
        "  first 5 passages: 2, calibration error 0.300",
        "    0.4 to 0.6:    1, relevance 0.500, right 0.000",
        "    0.8 to 1.0:    1, relevance 0.900, right 1.000",
    ]
