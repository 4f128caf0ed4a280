"""The taught tagger of value spans: what it names, what it leaves alone, how it counts. Rows: E1, E2."""

import hashlib
from itertools import pairwise, product
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from snapshots.extraction import tagger_candidates
from snapshots.extraction.observe import observe
from snapshots.extraction.pipeline import analyse, extract
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.tagger import OTHER, WEIGHTS, Tagger, tagger
from snapshots.extraction.tagger_candidates import LONGEST, tagged
from snapshots.extraction.tagger_words import MOST_WORDS, WORDS, Read, category_of_kind, kind_of, read_by
from snapshots.extraction.values import ExtractionContext, PreferenceCandidate, ProfileFact
from tests.golden.blind import found_in
from tests.golden.labels import HERE
from tests.snapshots.extraction.said import said

MOST_BYTES = 1_000_000
HOSTILE_SECONDS = 0.25
"""CPU time, of a machine on which others work too."""
TINY = Tagger(
    labels=("B-like", "I-like", OTHER),
    index={"w0=tea": 0, "w-=love": 1, "R=tea": 2, "P=love": 3, "L=love": 4},
    weights=np.array(
        [[2.0, 0.3, -1.0], [1.5, -0.2, 0.1], [0.1, 0.2, 0.4], [0.6, 0.1, 0.0], [0.2, 0.7, -0.3]], np.float32
    ),
    moves=np.array([[0.5, 2.0, 1.0], [0.4, 1.2, 1.1], [1.3, 1e-26, 1.7]]),
    starts=np.array([1.0, 1e-26, 1.0]),
    least={"like": 0.3},
    taught={},
)


def sentence(text: str) -> Read:
    return read_by(observe(said(text))[0])


READ_BY_NO_RULE = [
    ("don't let anything with anchovies near me, I swell up", "anchovies"),
    ("胡萝卜我是绝缘的", "胡萝卜"),
    ("我的命是冰美式给的", "冰美式"),
]


@pytest.mark.parametrize(("text", "value"), READ_BY_NO_RULE)
def test_what_no_rule_reads_is_named(text: str, value: str) -> None:
    clauses = observe(said(text))
    assert not [one for some in clauses for one in analyse(some)]
    assert any(value in entry.values for entry in found_in(text))


@pytest.mark.parametrize(("text", "value"), READ_BY_NO_RULE)
def test_what_it_names_is_an_analysis_and_no_word_of_the_user(text: str, value: str) -> None:
    found = extract(said(text), context=ExtractionContext())
    named: list[PreferenceCandidate | ProfileFact] = [*found.preferences, *found.facts]
    assert any(value in str(one.value) for one in named)
    assert {one.provenance for one in named} == {"analysis"}
    assert all(one.confidence <= EXTRACTION.analysis_ceiling for one in named)


NOTHING = [
    "I'm not allergic to peanuts.",
    "do you think I'd go for a rhubarb crumble every single time?",
    "if I were rich I'd be happiest in a garden centre",
    "my neighbour is happiest in a garden centre",
    "要是我有钱,我能在花鸟市场逛一天",
    "我邻居在花鸟市场能逛一天",
    "你说我会不会被臭豆腐哄好?",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_asked_supposed_or_told_of_others_is_left_alone(text: str) -> None:
    assert not [one for clauses in observe(said(text)) for one in tagged(clauses)]


def test_what_is_no_correction_for_sure_changes_nothing() -> None:
    for text in ("the sheep went from the low field to the high one and the gate is shut", "我叫了一辆车"):
        assert not [one for clauses in observe(said(text)) for one in tagged(clauses)]


def test_what_rules_read_is_theirs_alone() -> None:
    text = "I love dumplings. Anyway, back at the laundrette again, my second home"
    by_rules = [one for clauses in observe(said(text)) for one in analyse(clauses)]
    found = extract(said(text), context=ExtractionContext())
    assert by_rules
    assert [one.value for one in found.preferences] == [
        one.value for one in by_rules if isinstance(one, PreferenceCandidate)
    ]


@pytest.mark.parametrize("text", ["love tea", "I love tea, you love coffee", "tea"])
def test_shares_are_those_of_all_labellings(text: str) -> None:
    read = sentence(text)
    scores = TINY._scores(read)
    total, wanted = 0.0, np.zeros_like(scores)
    for labels in product(range(len(TINY.labels)), repeat=len(read.words)):
        weight = TINY.starts[labels[0]] * np.exp(sum(scores[at, label] for at, label in enumerate(labels)))
        for one, other in pairwise(labels):
            weight *= TINY.moves[one, other]
        total += weight
        for at, label in enumerate(labels):
            wanted[at, label] += weight
    assert np.allclose(TINY._shares(scores), wanted / total)


def test_a_word_hears_its_clause_and_the_ones_beside_it() -> None:
    read = sentence("I love it, we drink tea")
    tea = [word.text for word in read.words].index("tea")
    love = [word.text for word in read.words].index("love")
    assert read.clause[tea] == read.clause[love] + 1
    beside = TINY.weights[TINY.index["P=love"]]
    assert np.allclose(TINY._scores(read)[tea], TINY.weights[TINY.index["w0=tea"]] + beside)


def test_a_tagger_is_kept_and_read_again(tmp_path: Path) -> None:
    TINY.write(tmp_path / "tiny.npz")
    again = Tagger.read(tmp_path / "tiny.npz")
    assert (again.labels, again.index, again.least) == (TINY.labels, TINY.index, TINY.least)
    assert np.allclose(again.weights, TINY.weights, atol=0.02)
    assert again.spans(sentence("love tea")) == pytest.approx(again.spans(sentence("love tea")))


def test_the_tagger_was_taught_by_the_files_as_they_are() -> None:
    by = tagger().taught["by"]
    assert by == {name: hashlib.sha256((HERE / f"{name}.jsonl").read_bytes()).hexdigest() for name in by}
    assert not [name for name in by if name.endswith(("_5", "_unseen"))]  # these measure


def test_the_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size + WORDS.stat().st_size < MOST_BYTES
    assert tagger().labels.count(OTHER) == 1
    assert set(tagger().least) == {label[2:] for label in tagger().labels if label != OTHER}


def test_words_of_one_meaning_are_of_one_kind() -> None:
    assert kind_of("dumplings", "E") == kind_of("dumpling", "E")
    assert kind_of("zzqx", "E") == "?E"
    assert category_of_kind("oat milk") == "food"
    assert category_of_kind("燕麦奶") == "food"
    assert category_of_kind("zzqx") is None


def test_a_long_message_and_a_hostile_sentence_cost_little() -> None:
    long = "I am happiest in a garden centre. " * 2_000
    assert not [one for clauses in observe(said(long[: LONGEST + 1])) for one in tagged(clauses)]
    hostile = said(("love,tea " * 200)[:LONGEST])
    begun = process_time()
    for clauses in observe(hostile):
        list(tagged(clauses))
    assert process_time() - begun < HOSTILE_SECONDS
    assert all(len(read_by(clauses).words) <= MOST_WORDS for clauses in observe(hostile))


@pytest.mark.parametrize("value", ["(old", "of the", "so it is", "the thing", "我的", "那个"])
def test_an_edge_of_a_name_is_no_value(value: str) -> None:
    assert tagger_candidates._is_fragment(value)


@pytest.mark.parametrize("value", ["the who", "matcha (iced)", "ink", "的士", "《活着》", "IT jobs", "toffee"])
def test_a_short_name_is_a_value(value: str) -> None:
    assert not tagger_candidates._is_fragment(value)
