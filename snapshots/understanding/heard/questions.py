"""Short messages that only answer the assistant's question, and their statements. Pure.

"Are you still working at Acme?" "Yes" states "I am still working at Acme". An evasive answer states nothing.
"""

import re

from snapshots.understanding.grading.features import SHORT_ANSWER, asked_in, count_words
from snapshots.understanding.reading.forms import language_of, matching_form

_YES = re.compile(
    r"\W*(?:(?:oh|well|um|hmm?)\W+)?(?:yes|yep|yeah|yup|yes please|please do|sure|sure thing|of course|correct|right|"
    r"that's right|exactly|indeed|absolutely|definitely|i do|i am|i have|it is|they are|still am|still do|yes (?:i|"
    r"it) (?:do|am|have|is)|ok|okay|go ahead|do that|please|sounds good|是的?|对的?|没错|嗯+|好的?|好啊|好呀|可以|行|"
    r"当然|要的?|需要|有的?|还在|还是|确实|是啊|对啊|好吧|记吧|请记住|麻烦了)(?:[\s,!]{0,3}(?:please|thanks|thank you|"
    r"do|sure|i (?:do|am)|谢谢|好的|啊|呀|吧|的))*\W*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:(?:oh|well|um)\W+)?(?:no|nope|nah|not any ?more|not really|no longer|i'm not|i don't|i do not|i am not|"
    r"no,? (?:i'm not|i don't)|not at all|none|no thanks|no thank you|不是了?|不了|没有了?|没了|不在了|早不了|不再了?|"
    r"不|没|不对|不用了?|不是的|没有的)\W*",
    re.IGNORECASE,
)
_EVADES = re.compile(
    r"\b(?:why (?:do|would|are|should) you|not (?:telling|saying|going to (?:say|tell))|none of your|rather not|"
    r"prefer not|don't (?:want|wish) to (?:say|tell|share|answer)|i don't know|dunno|no idea|who(?:'s| is) asking|"
    r"mind your own|does it matter|can't say|no comment|what do you mean|you tell me|let me think|next question)\b"
    r"|为什么.{0,3}问|问这个|不告诉|不想说|不方便(?:说|透露)|保密|不知道|不清楚|不确定|你猜|关你|无可奉告|不好说|没想好",
    re.IGNORECASE,
)
# Alone, or nearly alone, these say nothing either; inside of a sentence they do.
_EVADES_ALONE = re.compile(
    r"\W*(?:(?:i'll|i will|i'd|i)\s)?(?:maybe|perhaps|later|not now|not sure|unsure|pass|skip|(?:it )?depends|whatever|"
    r"(?:that's |it's )?(?:a )?(?:secret|private|personal)(?!\s\w)|guess|doesn't matter|never ?mind|why|随便|再说|"
    r"以后再说|跳过|算了|看情况|可能|也许|(?:这是)?隐私|下一个|什么意思|不说|干嘛|干什么)\b",
    re.IGNORECASE,
)
_ALONE = 5
_ARE_EN = re.compile(
    r"(?:so |and |but |then |ok,? |just to check,? )*are you (?P<still>still )?(?P<rest>.+?)\?", re.IGNORECASE
)
_DO_EN = re.compile(r"(?:so |and |but |then |ok,? )*do you (?P<still>still )?(?P<rest>.+?)\?", re.IGNORECASE)
_IS_EN = re.compile(r"(?:so |and |but |then |ok,? )*(?P<verb>is|are) your (?P<rest>.+?)\?", re.IGNORECASE)
_TAG_EN = re.compile(
    r"(?:so |and |ok,? )*you(?P<verb>'re| are| have|) (?P<still>still )?(?P<rest>.+?),? (?:right|correct|don't you|"
    r"aren't you|yes)\?",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile(r"(?P<rest>.*?[你您].*?)(?:吗|么|是吗|对吗|对吧|是吧|吧)?\?")
_WHO_ZH = re.compile(r"什么|哪|谁|几|多少|怎么")
_STILL_ZH = re.compile(r"(?:还|仍然?|依然|现在还)(?=在|是|住|有|吃|喝|做|用|喜欢|开|对|养|叫|单)")
_WANTS = re.compile(
    r"\b(?:want|need|would like|wish|ready|sure|looking for|mean|know|think|remember|interested|ok with|okay with|free|"
    r"available|there|done|going to|mind|see|have (?:a )?(?:moment|minute|time|question))\b|要不要|想要|需要|想(?:听|"
    r"看|去|吃|喝|买)|准备好|确定|记得|知道|介意|明白",
    re.IGNORECASE,
)
# An answer that repeats the verb of its question: 不吃, 喜欢.
_VERB_ZH = re.compile(
    r"\W*(?:我)?(?P<no>[不没])?(?P<verb>吃|喝|喜欢|爱|会|能|住|用|开|抽|养|戴|过敏|有|坐|看|听)(?:的|啊|呀|了|哦|这个|素)*\W*"
)
_WHAT_ZH = re.compile(
    r".*?[你您](?P<rest>[^?]*?(?:喜欢|爱|平时|一般|常|习惯|通常|养|开|用|过敏)[^?]*?)(?:什么样的|什么|哪[种个家款类])[^?]{0,6}\?"
)
_WHAT_EN = re.compile(
    r"(?:so |and |ok,? |by the way,? )*(?:what|which)(?: (?:kind|sort|type|"
    r"style)s? of)?(?: (?P<noun>[\w ]{2,20}?))? do you (?P<rest>(?:usually |normally |mostly )?(?:like|love|prefer|"
    r"enjoy|drink|eat|drive|use|play|listen to|watch|read)(?: to \w+(?: to)?)?)(?: most| best)?\?",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(r"[,;.:!?。]|\b(?:i|you|it|the same)\b|我|你", re.IGNORECASE)
# The longest answer that names one thing, in characters.
_LONGEST_WHAT = 24
_VERBS = {"'re": "am", " are": "am", " have": "have", "": "do"}
_MINE = ((r"\byour\b", "my"), (r"\byours\b", "mine"), (r"\byourself\b", "myself"), (r"\byou\b", "I"))


def is_bare_answer(text: str, previous: str) -> bool:
    asked = asked_in(previous)
    return ("?" in asked or "?" in asked) and count_words(text) <= SHORT_ANSWER and "?" not in matching_form(text)


def evades(text: str) -> bool:
    form = matching_form(text)
    return bool(_EVADES.search(form) or (count_words(form) <= _ALONE and _EVADES_ALONE.match(form)))


def says_yes(text: str) -> bool:
    return _YES.fullmatch(matching_form(text)) is not None


def says_no(text: str) -> bool:
    return _NO.fullmatch(matching_form(text)) is not None


def state_answer(text: str, previous: str) -> str:
    """Return the statement of a bare answer to the assistant's question; "" where it is about the moment."""
    yes, no = says_yes(text), says_no(text)
    asked = matching_form(asked_in(previous)).strip()
    if not is_bare_answer(text, previous) or evades(text) or _WANTS.search(asked):
        return ""
    if not yes and not no:
        return _state_verb(asked, text) or _state_thing(asked, text)
    if yes == no:
        return ""
    return _state_zh(asked, yes=yes) if language_of(asked) == "zh" else _state_en(asked, yes=yes)


def state_offer(offer: str) -> str:
    """Return the statement of a yes to an offer: "you like window seats" as "I like window seats"."""
    said = matching_form(offer).strip(" .。")
    if language_of(said) == "zh":
        return re.sub("[你您]", "我", said)
    return _as_mine(re.sub(r"\byou are\b|\byou're\b", "I am", said, flags=re.IGNORECASE))


def _state_verb(asked: str, text: str) -> str:
    """Return the statement of an answer that repeats the verb of its question: 您吃辣吗? 不吃."""
    found, question = _VERB_ZH.fullmatch(matching_form(text)), _ASKED_ZH.fullmatch(asked)
    if found is None or question is None or _WHO_ZH.search(asked) or found["verb"] not in question["rest"]:
        return ""
    said = re.sub("[你您]", "我", question["rest"])
    if found["no"] is None:
        return said
    verb = found["verb"]
    return said.replace(verb, ("没" if verb == "有" else "不") + verb, 1)


def _state_thing(asked: str, text: str) -> str:
    """Return the statement of an answer that names the thing asked for: 您喜欢听什么音乐? 民谣."""
    thing = matching_form(text).strip(" .!,。")
    if not thing or len(thing) > _LONGEST_WHAT or _SAYS_MORE.search(thing):
        return ""
    if found := _WHAT_ZH.fullmatch(asked):
        return f"我{found['rest']}{thing}"
    if found := _WHAT_EN.fullmatch(asked):
        noun = f" {found['noun']}" if found["noun"] and found["noun"] not in thing and " " not in found["noun"] else ""
        return f"I {found['rest']} {thing}{noun}"
    return ""


def _state_en(asked: str, *, yes: bool) -> str:
    for pattern, be in ((_ARE_EN, "am"), (_DO_EN, "do"), (_TAG_EN, ""), (_IS_EN, "")):
        found = pattern.fullmatch(asked)
        if found is None:
            continue
        parts = found.groupdict()
        rest, still = _as_mine(parts["rest"]), bool(parts.get("still"))
        if pattern is _IS_EN:
            what, _, where = rest.partition(" still ")
            return f"My {what} {parts['verb'].lower()} {where}" if yes and where else ""
        verb = _VERBS[parts["verb"].lower()] if pattern is _TAG_EN else be
        return _sentence_en(verb, rest, yes=yes, still=still)
    return ""


def _sentence_en(be: str, rest: str, *, yes: bool, still: bool) -> str:
    if yes:
        return f"I {rest}" if be == "do" else f"I {be} {rest}"
    if still:
        return f"I no longer {rest}" if be == "do" else f"I {be} no longer {rest}"
    return f"I do not {rest}" if be == "do" else f"I {be} not {rest}"


def _state_zh(asked: str, *, yes: bool) -> str:
    found = _ASKED_ZH.fullmatch(asked)
    if found is None or _WHO_ZH.search(found["rest"]):
        return ""
    said = re.sub("[你您]", "我", found["rest"])
    if yes:
        return _STILL_ZH.sub("", said)
    return _STILL_ZH.sub("不再", said, count=1) if _STILL_ZH.search(said) else ""


def _as_mine(rest: str) -> str:
    for theirs, mine in _MINE:
        rest = re.sub(theirs, mine, rest, flags=re.IGNORECASE)
    return rest.strip()
