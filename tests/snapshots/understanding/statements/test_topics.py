"""Topics and importance of a text by its words, in English and Chinese. Rows: S3."""

import pytest

from snapshots.understanding.config import SUMMARY
from snapshots.understanding.statements.topics import CEILING, CUES, TOPIC_OF, find_topics, score_importance


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_topic_that_is_named_most_comes_first(language: str) -> None:
    words: dict[str, list[str]] = {}
    for word, topic in TOPIC_OF[language].items():
        if word.isalpha() and all(word not in other for other in TOPIC_OF[language] if other != word):
            words.setdefault(topic, []).append(word)
    (often, [first, second, *_]), (once, [single, *_]) = [one for one in words.items() if len(one[1]) > 1][:2]
    separator = " , " if language == "en" else "，"
    assert find_topics(separator.join([single, first, second])) == (often, once)


def test_a_longer_chinese_word_is_no_shorter_one() -> None:
    assert "drink" not in " ".join(find_topics("酒店"))
    assert find_topics("今天天") == find_topics("")


def test_a_text_has_a_few_topics_at_most() -> None:
    assert len(find_topics(" ".join(TOPIC_OF["en"]))) == SUMMARY.max_topics


def test_each_kind_of_cue_raises_the_importance_up_to_the_ceiling() -> None:
    plain, heavy = "so so", "I must never miss my allergy appointment at 9:30, I promised, important! 必须记住"
    assert sum(cue.search(heavy) is not None for cue in CUES) > 0
    assert score_importance(plain) == SUMMARY.base_importance
    assert SUMMARY.base_importance < score_importance(heavy) <= CEILING
