"""Things: from the words after "I like" to the entries of a list, in the user's words, or nothing.

Most words after "I like" name nothing that lasts: "it", "the movie", "how you put it", "你". They are dropped here.
"""

import re

from snapshots.extraction.lexicon_en import CATEGORY_OF
from snapshots.extraction.phrases_zh import PLAIN, names_a_thing
from snapshots.extraction.policy import EXTRACTION, ExtractionPolicy

_TAIL_EN = re.compile(
    r"\s*(?:[,;:(]|\s-+\s|\b(?:a lot|a bit|very much|so much|too|as well|either|more than|"
    r"better|best|like|such as|including|the most|most of all|"
    r"these days|lately|nowadays|now|anymore|any more|any longer|again|in general|by the way|"
    r"btw|please|for \w+ reasons|to (?:work|school|the office)|on (?:my|the) (?:commute|way|"
    r"road|train|bus|drive)|with (?:me|my|our|friends|family|others)|'?cause|because|"
    r"since|although|though|when(?:ever)?|if|unless|until|till|before|after|while|especially|"
    r"particularly|particularily|but|"
    r"so|from now on|for sure|instead|at all|actually|really|honestly|over|rather than|than|which|who|where|every|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)\w*|for (?:breakfast|lunch|dinner)|in the (?:morning|evening|car|"
    r"afternoon)|at (?:night|home|work)|you know|thanks?|ever|[Ll]ol|haha|and (?:i|my|we|it|"
    r"that|would|am|have|was|it's))\b)"
    r".*$",
    re.IGNORECASE | re.DOTALL,
)
_KEEP_TOGETHER = re.compile(
    r"(?:mac(?:aroni)?|rock|salt|fish|bread|ham|bacon|peanut butter|sweet|hot|arts?|drum|r|black|"
    r"wine|pen|cookies|gin|"
    r"surf|peace|bed|science|dungeons|pros|rhythm)"
    r" (?:and|&) (?:cheese|roll|pepper|chips|butter|eggs|jelly|sour|spicy|crafts?|bass|b|"
    r"white|dine|paper|cream|tonic|turf|"
    r"quiet|breakfast|technology|dragons|cons|blues)\b",
    re.IGNORECASE,
)
_LIST_EN = re.compile(r"\s*(?:,|\band\b|\bor\b|&|/|\bplus\b|\bas well as\b)\s*", re.IGNORECASE)
_NO_THING_EN = re.compile(
    r"^(?:i|i'm|to$|it|its|it's|this|that|that's|these|those|you|your|yours|him|her|his|hers|"
    r"he|she|they|them|their|theirs|us|our|ours|me|"
    r"myself|how|what|when|where|who|why|which|being|seeing|hearing|having|knowing|getting|"
    r"spending|making|going|doing|"
    r"talking|helping|sharing|watching (?:you|him|her|them|it)|looking|trying|finding|"
    r"everything|anything|nothing|something|"
    r"some(?: of)?|all|each|one|ones|everyone|there|here|not|avoid|to (?:avoid|be|see|hear|know|have|"
    r"get|do|make|go|say|think|tell|"
    r"bother|help|ask|admit|disappoint|interrupt|share|show|talk|try|keep|give|take|use|find)|"
    r"the (?:way|idea|fact|look|"
    r"sound|thought|one|ones|first|last|rest|part|same|feeling|feel)|a (?:lot|bit|little|few|"
    r"good one)|an idea|life|love|"
    r"working|seeing|such|so|just|too|any|another|more|much|many|most|than|as|like|for|with|at|in|on|if|of|every)\b",
    re.IGNORECASE,
)
_DEICTIC_EN = re.compile(
    r"\b(?:you|your|it|him|them|they|their|she|he|his|her|this|these|those|here|there|my|"
    r"myself|ourselves|i|we|us)\b",
    re.IGNORECASE,
)
_SPECIFIC_EN = re.compile(
    r"^the (?!(?-i:[A-Z]))(?!(?:(?:smell|taste|sound) of|sea|ocean|beach|mountains|outdoors|" r"rain|cold)\b)",
    re.IGNORECASE,
)
_DOING_EN = re.compile(r"^([a-z]+ing) \w+ \w+", re.IGNORECASE)
_MINE_EN = re.compile(
    r"^my (?P<what>steak|coffee|tea|eggs|toast|pizza|burger|drinks?|food|latte|curry|music|seat|bacon|whisky) "
    r"(?P<how>(?!(?:with|without|from|in|on|at|to|and|or)\b)[a-z-]+(?: (?!(?:and|or|with)\b)[a-z-]+)?)$",
    re.IGNORECASE,
)
_MINE_HOW_EN = re.compile(
    r"^my (?:steak|coffee|tea|eggs|toast|pizza|burger|drinks?|food|latte|curry|music|seat|bacon|"
    r"whisky) ",
    re.IGNORECASE,
)
_HEAD_EN = re.compile(
    r"^(?:to |a |an |some |any |both |having |eating |drinking |listening to |" r"watching )+(?=\S)", re.IGNORECASE
)

_LIST_ZH = re.compile(r"[、/]|以及|还有|或者|或|跟|与|及|(?<![温平柔缓随暖饱总调])和(?![牛服平谐弦田果])")
_TAIL_ZH = re.compile(
    r"(?:的时候|之类的?|什么的|等等|这些|那些|这种|这类|了|吧|啊|呀|呢|哦|喔|哈|啦|嘛|呗|哟|"
    r"噢|~|～|谢谢|就行|就好|也行|多一点|一点|一些|"
    r"不太?喜欢|[\s!。.~,'\"])+$"
)
_HEAD_ZH = re.compile(
    r"^(?:上了|上|过|去|在|用|到|那种|这种|一种|一些|各种|所有|任何|一切|带|有|再|多|点|一点|" r"些|[\s\"'《“])+"
)
_VERB_ZH = re.compile(
    r"^(?:(?P<food>吃|喝|点|尝)|(?P<music>听)|(?P<entertainment>看|追)|(?P<leisure>玩|拍|弹|画|种|练|钓)|"
    r"(?P<travel>坐|住)|(?P<navigation>走)|"
    r"(?P<vehicle>开)|(?P<shopping>买|穿|用))(?=[^的])"
)
_VERB_AND_OBJECT = """
看书 读书 听歌 听音乐 看电影 追剧 玩游戏 打游戏 开车 看小说 听书 看展 看球 看海 吃苦 吃亏 买菜 住校 坐车 走路 听话
看戏 看剧 看漫画
"""
_WHOLE_ZH = frozenset(_VERB_AND_OBJECT.split())
"""Pastimes that keep their verb: 看书, where 吃辣 is 辣."""
_NO_THING_ZH = re.compile(
    r"^(?:[你您他她它咱这那此啥]|我|什么|谁|自己|别人|大家|得|死|上你|的|就|不|被|说|想|和|跟|"
    r"人家|为|是|地|着|太|很|真|也|都|一个人$|她们)|"
    r"(?<![吉其])[你您他她它我]|喜欢|讨厌|这[个种样么]|那[个种样么]|的人|的事$|的感觉$"
)


def things_en(phrase: str, *, policy: ExtractionPolicy = EXTRACTION) -> list[str]:
    """Return the things an English object phrase names, at most eight; things of more than a few words are dropped."""
    kept = _KEEP_TOGETHER.search(phrase)
    if kept:
        rest = f"{phrase[: kept.start()]}\x00{phrase[kept.end() :]}"
        return [t.replace("\x00", kept.group()) for t in things_en(rest, policy=policy)]
    cut = without_tail_en(_list_commas_kept(phrase))
    found: list[str] = []
    for part in _LIST_EN.split(cut.replace("\x01", ",")):
        thing = _thing_en(part)
        if not thing and part.strip():
            break  # "how you paint and teach": what follows what is no thing is none either
        if thing and len(thing.split()) <= policy.max_thing_words:
            found.append(thing)
    return found[:8]


def without_tail_en(phrase: str) -> str:
    """Return ``phrase`` without what follows the thing itself: "on my commute", "because ...", "a lot"."""
    return _TAIL_EN.sub("", phrase)


def _list_commas_kept(phrase: str) -> str:
    """A comma separates entries only where "and" or "or" closes the list: "jazz, blues and soul"."""
    last = max(phrase.rfind(" and "), phrase.rfind(" or "))
    return phrase[:last].replace(",", "\x01") + phrase[last:] if last > 0 and phrase.count(",", 0, last) else phrase


def _thing_en(part: str) -> str:
    thing = part.strip(" .,!?;:\"'()~*")
    mine = _MINE_EN.match(thing)
    if mine:
        return f"{mine['how']} {mine['what']}"  # "my coffee black" is black coffee
    if _MINE_HOW_EN.match(thing):
        return thing.removeprefix("my ")  # "my coffee with milk"
    if _NO_THING_EN.match(thing) or _SPECIFIC_EN.match(thing):
        return ""
    thing = _HEAD_EN.sub("", thing)
    doing = _DOING_EN.match(thing)
    if doing and doing[1].lower() not in CATEGORY_OF:
        return ""  # "throwing on some music": a scene, not a pastime
    return "" if _NO_THING_EN.match(thing) or _DEICTIC_EN.search(thing) or not re.search(r"\w", thing) else thing


def things_zh(phrase: str, *, policy: ExtractionPolicy = EXTRACTION) -> list[tuple[str, str | None]]:
    """Return (thing, category told by its verb or None): ``吃辣和火锅`` gives 辣 and 火锅, both food."""
    found: list[tuple[str, str | None]] = []
    hint: str | None = None
    for part in _LIST_ZH.split(_TAIL_ZH.sub("", phrase)):
        thing = _TAIL_ZH.sub("", _HEAD_ZH.sub("", part.strip()))
        verb = None if thing in _WHOLE_ZH else _VERB_ZH.match(thing)
        if verb:
            hint = verb.lastgroup
            thing = thing[verb.end() :] if hint != "leisure" else thing
        thing = _HEAD_ZH.sub("", thing).strip("》”\"'")
        named = (len(thing) > 1 or thing in PLAIN) and names_a_thing(thing) and not _NO_THING_ZH.search(thing)
        if thing and len(thing) <= policy.max_thing_chars_zh and named:
            found.append((thing, None if thing in _WHOLE_ZH else hint))
    return found[:8]
