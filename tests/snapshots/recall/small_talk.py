"""Things to say and to ask, in English and Chinese, of so few words that memories have much in common."""

import random

_WHO = ("I", "my sister", "Grace", "the neighbour", "we")
_DID = ("bought", "painted", "lost", "repaired", "would never sell", "talked about")
_WHAT = ("a red boat", "the old ship", "green tea", "coffee beans", "her dog", "the cat", "a piano", "my cello", "it")
_WHEN = ("yesterday", "last summer", "in March", "", "", "again")
_ZH_WHO = ("我", "我姐姐", "李雷", "邻居", "我们")
_ZH_DID = ("买了", "画了", "弄丢了", "修好了", "想卖掉", "聊到")
_ZH_WHAT = ("一条红船", "旧钢琴", "绿茶", "咖啡豆", "她的狗", "那只猫", "大提琴", "爬山鞋")
_ZH_WHEN = ("昨天", "去年夏天", "三月", "", "", "又")
_ASKED = (
    "What about {what}?",
    "Who {did} {what}",
    "{what}",
    "When did Grace talk about {what}?",
    "What did we say last week?",
    "what did Sam Hill and I say in April 2026",
    "What did I say in March?",
    "recently {did}",
    "{zh_what}什么时候{zh_did}的?",
    "谁{zh_did}{zh_what}",
    "上周我们聊了什么",
    "五月{zh_who}{zh_did}什么",
    "李雷说了什么",
    "Grace",
    "boat 和 {zh_what}",
    "xyzzy",
    "?!",
)


def a_text(chance: random.Random) -> str:
    """Return something to say, in one of two languages or both; now and then a question."""
    one = chance.choice
    if chance.random() < 0.5:
        text = f"{one(_WHO)} {one(_DID)} {one(_WHAT)} {one(_WHEN)}".strip() + one((".", ".", "?"))
    else:
        text = f"{one(_ZH_WHEN)}{one(_ZH_WHO)}{one(_ZH_DID)}{one(_ZH_WHAT)}" + one(("。", "吗?"))
    return f"{text} {one(_WHAT)} {one(_ZH_WHAT)} {chance.randint(1, 30)}" if chance.random() < 0.2 else text


def a_question(chance: random.Random) -> str:
    """Return something to ask: about a thing, a speaker, a time, about none of what is held."""
    one = chance.choice
    question, zh = one(_ASKED), {"zh_who": one(_ZH_WHO), "zh_did": one(_ZH_DID), "zh_what": one(_ZH_WHAT)}
    return question.format(did=one(_DID), what=one(_WHAT), **zh)
