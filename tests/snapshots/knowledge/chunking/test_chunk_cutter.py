"""Documents are cut by their structure, and a change leaves the other chunks alone. Rows: K1, K2."""

import hashlib
from itertools import pairwise

import pytest

from snapshots.knowledge.chunking import cut_chunks
from snapshots.knowledge.chunking.chunk_parts import TOKENS
from snapshots.knowledge.chunking.sentence_borders import find_sentence_ends
from snapshots.knowledge.config import DEFAULT_CHUNKING
from snapshots.knowledge.reading import read_document
from snapshots.knowledge.values import ChunkDraft

MOST = DEFAULT_CHUNKING.most_tokens
# Of short sentences, all but one of those that a fifth has room for are repeated at least.
LEAST_OF_PROSE = 0.1
WHOLE = {
    "list": "\n".join(f"- QQ point {number} of the list, 第{number}点" for number in range(20)),
    "table": "| QQ name | 价格 |\n| --- | --- |\n"
    + "\n".join(f"| QQ tea {number} | {number} 元 |" for number in range(20)),
    "code": "```py\n" + "\n".join(f"qq_{number} = brew({number})  # QQ 第{number}步" for number in range(20)) + "\n```",
}


def cut(text: str, content_type: str = "text/markdown") -> tuple[ChunkDraft, ...]:
    document = read_document(text.encode(), content_type)
    chunks = cut_chunks(document, "Manual")
    assert [chunk.position for chunk in chunks] == [*range(len(chunks))]
    assert all(chunk.text.endswith(document.text[chunk.start : chunk.end]) for chunk in chunks)
    assert all(0 < chunk.token_count <= MOST for chunk in chunks)
    return chunks


def measure_overlap(last: ChunkDraft, chunk: ChunkDraft) -> float:
    """Return the share of a chunk's tokens that repeat the end of the one before."""
    return TOKENS.count(chunk.text[: last.end - chunk.start]) / chunk.token_count if last.end > chunk.start else 0.0


def make_paragraph(seed: int) -> str:
    """Return two to six sentences that no other seed gives."""
    digits = hashlib.sha256(str(seed).encode()).hexdigest()
    words = [f"{chr(97 + int(one, 16))}{number}x" for number, one in enumerate(digits)]
    size = 8 + int(digits[0], 16)
    return " ".join(" ".join(words[start : start + size]).capitalize() + "." for start in range(0, 60, size))


def test_no_chunk_goes_beyond_a_heading() -> None:
    chunks = cut("# One\n\na\n\n## Two\n\nb\n\n## Three\n\n# Four\n\nc\n")
    assert [(chunk.place, chunk.text) for chunk in chunks] == [
        ("Manual › One", "a"),
        ("Manual › One › Two", "b"),
        ("Manual › One › Three", "Three"),
        ("Manual › Four", "c"),
    ]


def test_a_long_table_repeats_its_header() -> None:
    rows = "".join(f"| item {number} | {number} |\n" for number in range(300))
    chunks = cut(f"| name | price |\n| --- | --- |\n{rows}")
    assert len(chunks) > 3
    assert all(chunk.text.startswith("| name | price |\n| --- | --- |\n| item") for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks).count("| item 7 |") == 1


def test_each_question_is_a_chunk_and_a_long_answer_repeats_it() -> None:
    long = "好的回答。" * 400
    lines = f'{{"question": "A?", "answer": "yes"}}\n{{"question": "多久?", "answer": "{long}"}}\n'
    chunks = cut(lines, "application/x-ndjson")
    assert chunks[0].text == "A?\nyes"
    assert len(chunks) > 2
    assert all(chunk.text.startswith("多久?\n好的回答。") for chunk in chunks[1:])


@pytest.mark.parametrize(
    ("names", "words"),
    [(("Ada", "Bo"), "Turn {} says what it says. It ends."), (("客服", "小明"), "第{}句说明了情况。完。")],
)
def test_a_chat_is_cut_between_turns_and_neighbours_share_whole_ones(names: tuple[str, str], words: str) -> None:
    turns = [f"{names[number % 2]}: {words.format(number)}" for number in range(150)]
    chunks = cut("\n".join(turns), "text/plain")
    assert len(chunks) > 2
    for chunk in chunks:
        assert set(chunk.text.split("\n\n")) <= set(turns)
        assert chunk.heading_path in ((", ".join(names),), (", ".join(names[::-1]),))
        assert chunk.place == f"Manual › {chunk.heading_path[0]}"
    for last, chunk in pairwise(chunks):
        assert 0 < measure_overlap(last, chunk) <= 0.2


def test_each_part_of_a_long_turn_names_its_speaker() -> None:
    chunks = cut(f"Ada: hi\nBo: {'One more sentence. ' * 400}\nAda: thanks\nBo: bye", "text/plain")
    assert len(chunks) > 2
    assert all(chunk.text.startswith("Bo: One more") and chunk.heading_path == ("Bo",) for chunk in chunks[1:-1])


def test_neighbours_share_whole_sentences() -> None:
    for text in (" ".join(f"Sentence number {n} says what it says." for n in range(400)), "第一句说明了情况。" * 400):
        chunks = cut(text, "text/plain")
        assert len(chunks) > 2
        for last, chunk in pairwise(chunks):
            assert LEAST_OF_PROSE <= measure_overlap(last, chunk) <= 0.2
            assert chunk.text[0] in "S第"


def test_a_sentence_longer_than_a_fifth_is_not_repeated() -> None:
    for sentence in (f"It {'goes on and ' * 40}ends {{}}.", f"{'这句话很长，' * 40}完{{}}。"):
        chunks = cut(" ".join(sentence.format(number) for number in range(20)), "text/plain")
        assert len(chunks) > 2
        assert all(last.end <= chunk.start for last, chunk in pairwise(chunks))


@pytest.mark.parametrize("block", WHOLE.values(), ids=WHOLE)
def test_what_has_a_form_stays_whole_between_paragraphs(block: str) -> None:
    """Wherever it falls among paragraphs, it stands in one chunk, and no other holds a part of it."""
    body = block.removeprefix("```py\n").removesuffix("\n```")
    paragraphs = [make_paragraph(seed) for seed in range(24)]
    for before in range(12):
        text = "\n\n".join([*paragraphs[:before], block, *paragraphs[before:]])
        holding = [chunk.text for chunk in cut(text) if "QQ" in chunk.text]
        assert len(holding) == 1 and body in holding[0], before


def test_a_line_without_any_end_is_cut() -> None:
    for text in ("a" * 40_000, "好" * 9_000, "word " * 9_000):
        chunks = cut(text, "text/plain")
        assert sum(chunk.end - chunk.start for chunk in chunks) >= len(text) - len(chunks)


@pytest.mark.slow
def test_a_changed_paragraph_leaves_the_others_alone() -> None:
    """A section without headings, 60 changes of one paragraph each."""
    paragraphs = [make_paragraph(seed) for seed in range(300)]
    held = {chunk.content_hash for chunk in cut("\n\n".join(paragraphs), "text/plain")}
    assert len(held) > 50
    counts = []
    for place in range(0, 300, 5):
        changed = [*paragraphs[:place], paragraphs[place] + " One more sentence.", *paragraphs[place + 1 :]]
        counts.append(sum(chunk.content_hash not in held for chunk in cut("\n\n".join(changed), "text/plain")))
    assert min(counts) >= 1
    assert sum(counts) / len(counts) <= 2
    assert max(counts) <= 3


def test_sentences_end_in_both_languages() -> None:
    text = 'See e.g. Fig. 3 by Dr. Who. It "works!" Yes? v1.2 is out. 好的!谢谢。真的?"是"'
    starts = [0, *find_sentence_ends(text)]
    assert [text[low:high].strip() for low, high in pairwise(starts)] == [
        "See e.g. Fig. 3 by Dr. Who.",
        'It "works!"',
        "Yes? v1.2 is out.",
        "好的!",
        "谢谢。",
        '真的?"',
        '是"',
    ]
