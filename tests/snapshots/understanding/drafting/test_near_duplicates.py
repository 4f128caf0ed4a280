"""The same saying confirms the held note; other numbers, another order or a denial elsewhere are new. Rows: P9, P12."""

import pytest

from snapshots.understanding.drafting.near_duplicates import says_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I take the ferry to work", "i take the ferry to work."),
        ("we always take the ferry to work on Mondays", "We always take the ferry to work on Mondays, always"),
        ("I run every morning", "every morning I run"),
        ("I'm allergic to nuts and shellfish", "I am allergic to shellfish and nuts"),
        ("my dad lives in Leeds, my mum in Porto", "my mum in Porto, my dad lives in Leeds"),
        ("metformin in the morning and aspirin at night", "aspirin at night and metformin in the morning"),
        ("I sing in a choir on Mondays", "on Mondays I sing in the choir"),
        ("I have no car", "I don\u2019t have a car"),
        ("I work at night", "I work nights"),
        ("Bins go out on Tuesdays", "The bins go out on Tuesday"),
        ("My wife is a nurse at St Mary's", "my wife's a nurse at St Mary's"),
        (
            "when he ends up there I want a page in the drawer",
            "While I have you, when he ends up there I want a page in the drawer",
        ),
        ("I'm allergic to peanuts", "I told you that I'm allergic to peanuts"),
        ("I'm allergic to peanuts", "As I mentioned before, I'm allergic to peanuts."),
        ("I eat no meat", "Remember, I eat no meat"),
        ("I eat no meat", "please don't forget that I eat no meat"),
        ("我对花生过敏", "我之前跟你说过,我对花生过敏"),
        ("我对花生过敏", "别忘了我对花生过敏"),
        ("我不吃肉", "你知道的,我不吃肉"),
        ("我每天七点起床", "我每天七点起床。"),
        ("我每天早上七点去公园跑步", "每天早上七点我去公园跑步"),
        ("我爸住杭州,我妈住上海", "我妈住上海,我爸住杭州"),
        ("我喝茶,不喝咖啡", "我不喝咖啡,喝茶"),
        ("我上夜班", "我上夜班的"),
        ("去赶19号线末班车", "下线,去赶19号线末班车"),
    ],
)
def test_said_again(one: str, other: str) -> None:
    assert says_the_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I take the ferry at 7", "I take the ferry at 8"),
        ("I told you that I eat meat", "I told you that I don't eat meat"),
        ("I remember my dad", "I know my dad"),
        ("我说过我吃辣", "我说过我不吃辣"),
        ("I eat meat", "I don't eat meat"),
        ("我吃辣", "我不吃辣"),
        ("my budget is 400", "my limit is 400 for shoes"),
        ("I moved from Leeds to Porto", "I moved from Porto to Leeds"),
        ("I like tea but not coffee", "I like coffee but not tea"),
        ("yes to tea, no to coffee", "yes to coffee, no to tea"),
        ("I prefer tea over coffee", "I prefer coffee over tea"),
        ("metformin in the morning and aspirin at night", "aspirin in the morning and metformin at night"),
        ("500 in the morning and 1000 at night", "1000 in the morning and 500 at night"),
        ("I don't eat meat but I eat fish", "I eat meat but I don't eat fish"),
        ("I take it before meals", "I take it after meals"),
        ("Ben is taller than me", "I'm taller than Ben"),
        ("my mum calls me every Sunday", "I call my mum every Sunday"),
        ("I can eat nuts", "I cannot eat nuts"),
        ("I eat meat", "I don\u2019t eat meat"),
        ("我七点起床", "我八点起床"),
        ("我爸住杭州,我妈住上海", "我爸住上海,我妈住杭州"),
        ("早上吃二甲双胍,晚上吃阿司匹林", "早上吃阿司匹林,晚上吃二甲双胍"),
        ("哥哥对花生过敏,弟弟对海鲜过敏", "哥哥对海鲜过敏,弟弟对花生过敏"),
        ("左耳听得见,右耳听不见", "右耳听得见,左耳听不见"),
        ("我每天早饭前吃二甲双胍,晚饭后散步半个小时", "我每天早饭后吃二甲双胍,晚饭后散步半个小时"),
    ],
)
def test_said_otherwise(one: str, other: str) -> None:
    assert not says_the_same(one, other)
