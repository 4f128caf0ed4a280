"""A made-up life is the same for a seed, has the size that it promises, and asks only for what was told. Rows: X10."""

import pytest

from lab.evaluation.simulation.baselines import RawHistory
from lab.evaluation.simulation.scenario import CHINESE, ENGLISH, LifePlan, ScenarioWords, SimulatedLife
from memory_platform.providers.token_estimator import TokenEstimator

COUNTER = TokenEstimator()
PLAN = LifePlan(days=20)
BOTH = pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=["en", "zh"])


@BOTH
def test_a_seed_makes_the_same_life_again_and_another_one_another(words: ScenarioWords) -> None:
    plans = (LifePlan(days=5, seed=seed) for seed in (7, 7, 8))
    first, again, other = (list(SimulatedLife(words, plan, COUNTER).generate_days()) for plan in plans)
    assert first == again
    assert first != other


@BOTH
def test_each_turn_has_the_size_that_was_asked_for(words: ScenarioWords) -> None:
    days = list(SimulatedLife(words, PLAN, COUNTER).generate_days())
    assert [day.number for day in days] == list(range(1, 21))
    sizes = [COUNTER.count(turn.text) + COUNTER.count(turn.answer) for day in days for turn in day.turns]
    assert len(sizes) == 200
    assert min(sizes) >= 500
    assert sum(sizes) / len(sizes) < 520


@BOTH
def test_a_question_asks_for_what_was_told_on_an_earlier_day_in_no_answer(words: ScenarioWords) -> None:
    told: set[str] = set()
    asked = 0
    for day in SimulatedLife(words, PLAN, COUNTER).generate_days():
        for turn in day.turns:
            if turn.evidence:
                asked += 1
                assert turn.evidence in told
                assert turn.evidence not in turn.answer
        told |= {turn.text for turn in day.turns}
    assert asked == 3 * 19


@BOTH
def test_ninety_days_tell_no_fact_twice(words: ScenarioWords) -> None:
    days = SimulatedLife(words, LifePlan(tokens=100), COUNTER).generate_days()  # most of a turn's size is the answer
    evidence = {turn.text: turn.evidence for day in days for turn in day.turns if turn.evidence}
    assert len(set(evidence.values())) == len(evidence)


def raw(*texts: str) -> RawHistory:
    history = RawHistory(COUNTER)
    for text in texts:
        history.add(text)
    return history


def test_the_end_of_a_history_stops_at_what_does_not_fit() -> None:
    history = raw("one two three", "four " * 50, "five six", "seven 七")
    assert history.latest_messages(20) == ["seven 七", "five six"]
    assert history.latest_messages(1000) == ["seven 七", "five six", "four " * 50, "one two three"]
    assert history.tokens == sum(COUNTER.count(text) for text in history.latest_messages(1000))


def test_bm25_finds_rare_words_first_and_passes_over_what_does_not_fit() -> None:
    history = raw("my dog likes tea", "the dog sleeps", "tea " + "and more words " * 40, "我喜欢喝茶", "nothing here")
    assert history.search("dog tea", 20) == ["my dog likes tea", "the dog sleeps"]
    assert history.search("喝茶", 20) == ["我喜欢喝茶"]
    assert history.search("zebra", 1000) == []
