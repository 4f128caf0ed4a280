"""Which answers of an assistant say that what was told is not kept, and their neighbours that do not. Row: A4."""

import pytest

from snapshots.understanding.heard.forget_order_classifier import acknowledges_forgetting

ACKNOWLEDGES = """I won't keep that.
Sure, I'm not going to store the number.
None of this will be saved, I promise.
Of course, I'll drop it. Put the kettle on first.
Consider it gone.
It has been erased, don't worry.
Struck out. The list only names the bread now.
Understood. Forgotten.
好,不留。
放心,这个我不会记录。
已经删掉了。
行,就当您没说。""".splitlines()
NO_WORD_OF_IT = """Don't forget your umbrella.
I have not forgotten your sister's birthday.
Milk struck off, oat drink added.
Save the file before you close it.
Keep the receipt in case it breaks.
I'll drop you a reminder at six.
别忘了带伞。
这家店晚上不收现金,要刷卡。
删除重复的行,再保存一次。
您记不记得上次的店名?""".splitlines()


@pytest.mark.parametrize("answer", ACKNOWLEDGES)
def test_an_answer_says_that_nothing_is_kept(answer: str) -> None:
    assert acknowledges_forgetting(answer)


@pytest.mark.parametrize("answer", NO_WORD_OF_IT)
def test_another_answer_says_nothing_of_it(answer: str) -> None:
    assert not acknowledges_forgetting(answer)
