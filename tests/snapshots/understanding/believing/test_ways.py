"""Ways of saying that carry over: each is read in many words, and not in words that only look alike.

Rows: E1, E2, P2, P3.
"""

import pytest

from lab.measuring.blind_utterances import fold_text, read_entries

WAYS = [
    ("put me down as a window seat person", "window seat"),
    ("I groom dogs for a living", "groom dogs"),
    ("my birthday is the 4th of July", "4th of July"),
    ("shellfish brings me out in hives", "shellfish"),
    ("叻沙和榴莲我都超爱的", "叻沙"),
    ("豆汁儿我特别爱喝", "豆汁儿"),
    ("侦探小说我都爱看", "侦探小说"),
    ("我係酒樓師傅", "酒樓師傅"),
]
LOOK_ALIKE = """
he runs a bike shop
my sister's van is 2.9m high
that joke leaves me cold every time
we ran out of time again
never mind the bridge
I run late on Mondays sometimes, sorry
can I have the usual time slot
I think that's a crime novel
this traffic drives me mad
it tastes like soap
she never misses a game
the meeting was on repeat it felt like
are you more of a cat than a dog person
what's the third flat on this street
nothing fancy
if I were rich I'd run a vineyard for a living
my boss never books calls during lunch
write a song that goes give me the beach any day
the film is 2 hours long
did you miss me
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


@pytest.mark.parametrize(("text", "value"), WAYS)
def test_a_way_of_saying_is_read(text: str, value: str) -> None:
    told = [
        each for entry in read_entries(text) for each in (*entry.values, *entry.place, fold_text(entry.replaces or ""))
    ]
    assert any(each and (fold_text(value) in each or each in fold_text(value)) for each in told)


@pytest.mark.parametrize("text", LOOK_ALIKE.split("\n")[1:-1])
def test_what_looks_alike_teaches_nothing(text: str) -> None:
    assert not read_entries(text)
