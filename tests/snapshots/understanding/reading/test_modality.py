"""What stands before a request for a text is the user's own; what follows it, and a letter, is not. Rows: P9, E1."""

import pytest

from snapshots.understanding.reading.modality import measure_own_words
from snapshots.understanding.reading.text_folding import fold_for_matching


@pytest.mark.parametrize(
    ("own", "rest"),
    [
        ("The vet put him on phenobarbital.", " Write me a chart for the fridge."),
        ("I moved to Leeds in May!", " Translate: I live in Rome."),
        ("I have two cats.", " For the game, my name is Rex."),
        ("", "Pretend you are a knight. I live in a castle."),
        ("", "I'm on insulin, in my story anyway. Dear Sir, I have two dogs."),
        ("医生换成了启尔畅,早晚各两揿。", "帮我写个打卡表贴冰箱"),
        ("我搬到李沧了。", "翻译:我住在罗马"),
        ("", "发件人:王五。我对花生过敏。"),
        ("", "I am a doctor from Lagos. I have two sons. Please rewrite it so that it sounds friendly"),
        ("", "我是重庆的护士,对海鲜过敏。帮我润色一下"),
        ("My house number is 5, that's correct", ""),
        ("I work nights and I don't own a car. Any ideas?", ""),
    ],
)
def test_only_what_stands_before_a_request_for_a_text_is_the_user_s_own(own: str, rest: str) -> None:
    assert measure_own_words(fold_for_matching(own + rest)) == len(own)
