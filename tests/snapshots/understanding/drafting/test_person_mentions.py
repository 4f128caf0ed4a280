"""Whom a clause speaks of: the label and the relation that its words offer. Rows: P10."""

import pytest

from snapshots.understanding.drafting.person_mentions import NamedPerson, find_introduced_person, find_person


@pytest.mark.parametrize(
    ("text", "language", "person"),
    [
        ("my son Theo is allergic to cashews", "en", NamedPerson("Theo", "son")),
        ("my husband hates sushi", "en", NamedPerson("husband", "husband")),
        ("Our oldest daughter swims on Saturdays", "en", NamedPerson("daughter", "daughter")),
        ("Darnell's on nights at the plant", "en", NamedPerson("Darnell")),
        ("my dog Biscuit can't have chicken", "en", NamedPerson("Biscuit", "dog", is_thing=True)),
        ("I hate Mondays", "en", None),
        ("My husband's mother is allergic to bees", "en", NamedPerson("husband's mother", "husband's mother")),
        ("my grandma's neighbour has asthma", "en", NamedPerson("grandma's neighbour", "grandma's neighbour")),
        ("Sarah's brother can't have nuts", "en", NamedPerson("Sarah's brother", "Sarah's brother")),
        ("my wife's on nights", "en", NamedPerson("wife", "wife")),
        ("我丈夫的妈妈对蜜蜂过敏", "zh", NamedPerson("丈夫的妈妈", "丈夫的妈妈")),
        ("我同事的儿子有哮喘", "zh", NamedPerson("同事的儿子", "同事的儿子")),
        ("老师说小明对牛奶过敏", "zh", None),
        ("医生说我妈妈有糖尿病", "zh", NamedPerson("妈妈", "妈妈")),
        ("我女儿对花粉过敏", "zh", NamedPerson("女儿", "女儿")),
        ("我老公叫小陈,在医院上班", "zh", NamedPerson("小陈", "老公")),
        ("我们家猫不吃鱼", "zh", NamedPerson("猫", "猫", is_thing=True)),
        ("我不吃香菜", "zh", None),
        ("She is allergic to penicillin", "en", None),
        ("It was a long day", "en", None),
        ("Turkey and avocado tortilla, grapes", "en", None),
        ("Bean and nopales rice", "en", None),
        ("Theo and I swim", "en", NamedPerson("Theo")),
        ("Because we moved, she walks", "en", None),
        ("Maureen's my late sister", "en", NamedPerson("sister", "sister")),
        ("3 March is the hearing test", "en", None),
        ("我同事小刘住在古墩路66号", "zh", NamedPerson("小刘", "同事")),
        ("我朋友小张是四川人", "zh", NamedPerson("小张", "朋友")),
        ("我朋友张三对花生过敏", "zh", NamedPerson("张三", "朋友")),
        ("我同事王芳不吃辣", "zh", NamedPerson("王芳", "同事")),
    ],
)
def test_the_first_person_that_is_named(text: str, language: str, person: NamedPerson | None) -> None:
    assert find_person(text, language) == person


@pytest.mark.parametrize(
    ("text", "language", "label"),
    [
        ("my son Theo is allergic to cashews", "en", "Theo"),
        ("our cat Miso hates thunder", "en", "Miso"),
        ("我朋友张三对花生过敏", "zh", "张三"),
        ("我弟李强在北京", "zh", "李强"),
    ],
)
def test_a_name_with_its_relation_introduces_somebody(text: str, language: str, label: str) -> None:
    person = find_introduced_person(text, language)
    assert person is not None and person.label == label


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("my son is allergic to cashews", "en"),
        ("my wife can't have dairy", "en"),
        ("我老婆海鲜过敏", "zh"),
        ("Theo is allergic to cashews", "en"),
        ("my friend Monday is busy", "en"),
        ("my daughter is Vegan", "en"),
        ("our dog is old", "en"),
        ("She is allergic to penicillin", "en"),
        ("my team is in Ghent", "en"),
        ("my kids hate peas", "en"),
        ("my car is a Golf", "en"),
        ("I hate Mondays", "en"),
        ("我女儿花粉过敏", "zh"),
        ("我朋友明天来", "zh"),
        ("我哥于上周走了", "zh"),
        ("我姐温柔", "zh"),
        ("我同事万万没想到", "zh"),
        ("我朋友白天上班", "zh"),
        ("我儿子成绩不好", "zh"),
        ("我儿子每天早上跑步", "zh"),
        ("我同学高中毕业了", "zh"),
        ("我不吃香菜", "zh"),
    ],
)
def test_words_that_are_no_name_introduce_nobody(text: str, language: str) -> None:
    assert find_introduced_person(text, language) is None
