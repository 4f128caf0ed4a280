"""Ways of saying in Chinese that carry over: each is read in many words, and not in words that only look alike.

Rows: E1, E2, P2, P3.
"""

import pytest

from tests.snapshots.understanding.believing.ways import is_told, pairs, silent

WAYS = """
# what was named before is liked
叻沙和榴莲我都超爱的 | 叻沙
豆汁儿我特别爱喝 | 豆汁儿
侦探小说我都爱看 | 侦探小说
# work without its word
我係酒樓師傅 | 酒樓師傅
# hours, roads and sizes
"""
LOOK_ALIKE = """
红烧肉是搁老抽还是搁生抽啊
超了的不用报给我
饭我不吃了,饱了
他开了二十年出租
我同事在小学教美术
喝也行不喝也行
平时我肯定走最快的,今天就走风景好的那条吧
我妈一吃海鲜就起疹子
医生让我妈少吃盐
你是做什么的
帮我叫碟叉烧饭
这俩哪个好
上课了别说话
今晚别给我打电话了
这个周日别排班行不行
还是你来吧
第三次打电话了
早上忙得脚不沾地
一口都没剩
"""
"""Nothing of these lasts and is the speaker's own."""


@pytest.mark.parametrize(("text", "value"), pairs(WAYS))
def test_a_way_of_saying_is_read(text: str, value: str) -> None:
    assert is_told(text, value)


@pytest.mark.parametrize("text", LOOK_ALIKE.split("\n")[1:-1])
def test_what_looks_alike_teaches_nothing(text: str) -> None:
    assert silent(text)
