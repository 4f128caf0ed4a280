"""What a stretch of text says about itself: asked, supposed, reported, meant for now only, meant for good.

These marks keep out what looks like a preference and is none. All patterns are linear: no nested repetition.
"""

import re
from functools import lru_cache

ONE_OFF = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|"
    r"this (?:time|once|trip|morning|afternoon|evening|weekend|week|month|order|one)|"
    r"just (?:this )?once|right now|just now|at the moment|for now|for the moment|for a change|this very moment|"
    r"last (?:night|week|month|time|year)|(?:for )?the next (?:hour|\d+|few|couple|half)|next (?:hour|few)|at this "
    r"point|not now|in the mood)\b"
    r"|接下来|今天|今晚|今早|今日|今儿|明天|昨天|昨晚|前天|后天|这次|这回|这一次|这一回|这趟|刚才|刚刚|暂时|这会儿|"
    r"待会|等会|"
    r"一会儿|等一下|眼下|此刻|先不|先别|本次|这单|上次|上周|下周|这两天|这几天|这阵子?|这阵儿|这一阵子?|这段(?:时间|日子)|这些(?:天|日子)|这周|本周|这个(?:月|星期|礼拜)|本月|周[一二三四五六日天](?:之前|以前)|周末",
    re.IGNORECASE,
)
LASTING = re.compile(
    r"\b(?:from (?:now|today|this day|here) on(?:wards?)?|from now|going forward|"
    r"in (?:the )?future|always|never|ever|"
    r"every ?time|permanently|for good|by default|as a rule|each time|henceforth|any ?more|again)\b"
    r"|从今以后|从今天起|从今往后|从现在开始|今后|往后|以后|从来|永远|一直|总是|每次|始终|"
    r"一律|长期|再也|默认|向来|一向|都要",
    re.IGNORECASE,
)
_FROM_EN = (
    r"(?:from (?:now|today|tonight|tomorrow|here|this (?:day|moment|point|morning|week|month|year)|next \w+|\w+day) "
    r"on(?:wards?)?|(?:from|(?:starting|beginning|as of|effective)(?: from)?) (?:now|today|tonight|tomorrow|next \w+|"
    r"this (?:week|month|year)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:until|till) further notice)\b"
    r"(?!'|,? (?:to|until|till|through|only)\b)"
)
STARTS = re.compile(
    rf"\b{_FROM_EN}|(?:今天|今日|今儿|今晚|现在|明天|明日|后天|下次|这次|本次|这周|本周|下周|周[一二三四五六日天]|[这本下]个?月|"
    r"[今明]年|此刻|这一?刻)(?:开始|起(?![来床得身飞点步名码风雾早晚个]))|即日起|从此|另行通知(?:之?前|为止)",
    re.IGNORECASE,
)
"""A day from which something holds: what begins today is not meant for today. It is said of the whole sentence."""
BEGINS_EN = (
    rf"{_FROM_EN}(?=[\s,]{{1,3}}(?:(?:please |I |we ){{0,2}}(?:only|just|avoid|no|don't|do not|won't|will not|never|"
    r"skip|stop|stay off|keep off|keep|take|use|drink|eat|set|book|always)\b))"
)
BEGINS_ZH = (
    r"(?:从|自|打)?(?:今天|今日|今儿|今晚|明天|明日|后天|下次|这次|下周[一二三四五六日天]?|周[一二三四五六日天]|"
    r"下个?月|[今明]年|此刻|这一?刻)(?:开始|起),?(?=请|给我|别|不|都|只|一律|全|少|避|绕|改)"
)
"""A day from which something holds, at the head of a clause that asks or forbids: it says nothing else there."""
ONLY_NOW = re.compile(
    r"\b(?:only|just) (?:for )?(?:today|tonight|this (?:once|time|trip|week))\b"
    r"|(?:只|仅)(?:限|在|是)?(?:今天|今晚|这次|这一次|这回)",
    re.IGNORECASE,
)
"""Stronger than any "never" beside it."""
FOR_A_WHILE = re.compile(
    r"\b(?:until|till) (?:(?:my|the|this|our) (?:[\w'-]+ ){1,3}?(?:heals?|recovers?|settles?|clears?|"
    r"(?:is|are|has|have) (?:better|healed|over|gone|done|out|off|well|recovered|cleared|settled)|"
    r"(?:comes?|goes|gets) (?:off|out|away|better))|"
    r"(?:I'm|I am|I feel|I get) (?:better|well|healed|recovered|back|done|out)|I (?:heal|recover))\b"
    r"|\b(?:during|for|over|throughout) (?:lent|ramadan|advent|exam week|finals|"
    r"my (?:treatment|recovery|chemo|detox))\b"
    r"|\bcurrently,? (?:(?:I|we)(?:'m| am|'re| are)? )?(?:can'?t|cannot|not|no|avoiding|off)\b"
    r"|\b(?:can'?t|cannot) (?:\w+ ){1,5}currently\b"
    r"|等(?:我的?)?(?:牙齿?|伤口?|病|身体|胃|肠胃|嗓子|喉咙|脚|腿|手|腰|眼睛|皮肤|感冒|咳嗽|手术|发烧|炎症|溃疡|过敏)[^,]{0,4}?"
    r"(?:好|恢复|痊愈|愈合|消|退|完|拆线)|(?:斋月|四旬期|大斋期|封斋)(?!以?后)",
    re.IGNORECASE,
)
"""Until it heals, while a fast lasts: as strong as "only today", a "can't" beside it is of that while."""
QUESTION_START = re.compile(
    r"(?:do|does|did|is|are|am|was|were|(?:should|can|could|would|will|shall|may|might)(?! (?:happily |easily |"
    r"literally |always |never |not |only )*(?:eat|drink|live|listen|watch|sleep|do|go|have)\b)|has|have (?:i|you|"
    r"we|they)|isn't|"
    r"aren't|don't (?:i|you|we|they)|doesn't|didn't|won't|can't (?:i|you|we)|couldn't|wouldn't|any (?:idea|chance)|"
    r"(?:what|where|who|why|how|when|which)(?:'s|'re| (?:do|does|did|is|are|am|was|were|should|can|could|would|will|"
    r"about|if|much|many|long|often|far|else|time|kind|of|one|to)\b))\b(?!')",
    re.IGNORECASE,
)
QUESTION_ZH = re.compile(
    r"吗|什么(?!的$|的话|都|的我|的都|的,)|哪(?!怕)|谁|几(?:点|个|岁|号|斤|块|钱|天|年|次|米|公里|"
    r"度)|多少|(?<!不)怎么(?!.{1,2}都)|为什么|为啥|咋|"
    r"是不是|要不要|能不能|会不会|有没有|"
    r"可不可以|好不好|行不行|对不对|喜不喜欢|该不该|没$|是否|应不应该|呢$|你猜"
)
SUPPOSED_SENTENCE = re.compile(
    r"^\W*(?:and |but |so |well |ok |say )?(?:if(?! you ask me)|suppose|supposing|imagine|pretend|"
    r"assuming|let's (?:say|pretend)|"
    r"hypothetically|what if|say i|had i|were i|for example|for instance|(?:one|some) day,? (?:when|i'll|i will)|"
    r"when i'm (?:rich|old|famous|retired))\b",
    re.IGNORECASE,
)
SUPPOSED = re.compile(
    r"(?<!\beven )\bif\b(?! you\b)|\b(?:wish|suppose|imagine|pretend|as though|whether|might|maybe|perhaps|not "
    r"sure|when I'm (?:rich|old|famous|retired|a millionaire)|"
    r"when I (?:win|retire|grow up))\b"
    r"|如果|假如|假设|假若|要是|倘若|万一|想象|假装|的话|要不是|恨不得|但愿|或许|也许|可能|"
    r"说不定|好像|似乎|呵呵|可太(?:喜欢|爱)|比如|例如|譬如|不知道|不确定|不晓得|说不上来|说不清|拿不准|哪天|"
    r"有朝一日|等我.{1,4}了",
    re.IGNORECASE,
)
REPORTED = re.compile(
    r"(?<!\bI )(?<!\byou )(?<!\bu )\bwrote\b|(?<!\bI )(?<!\bI just )\b(?:said|(?<!doctor )says|told|writes|claims|"
    r"claimed|thinks|asked|"
    r"asks|replied|mentioned|mentions|"
    r"texted|goes like|quote|according to|called me and)\b"
    r"|(?:[他她它们妈爸哥姐弟妹友事板师人公婆叔姨爷奶户](?<!营养师)|[A-Za-z])(?:刚才|刚刚|刚|又|"
    r"还|也|总|经常|跟我|对我|和我)?"
    r"(?:说|告诉|问|写道|表示|觉得|认为|以为)|没有?(?:说|讲|提)过|谁(?:说|讲|告诉)|说自己|话自己|"
    r"话他|有人说|听说|据说|常言|歌词|原文|台词|翻译[一下]*[::]",
    re.IGNORECASE,
)
KIN_ZH = (
    r"(?:妈妈?|爸爸?|母亲|父亲|爹|娘|老妈|老爸|老婆|老公|妻子|丈夫|媳妇|爱人|太太|先生|女朋友|"
    r"男朋友|对象|女友|男友|女儿|儿子|孩子|"
    r"宝宝|娃|闺女|姐姐?|妹妹?|哥哥?|弟弟?|姐夫|嫂子|奶奶|爷爷|外婆|外公|姥姥|姥爷|公公|婆婆|"
    r"岳父|岳母|丈母娘|叔叔|阿姨|舅舅|姑姑|"
    r"姨妈|姑妈|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹|侄子|侄女|外甥|孙子|孙女|朋友|闺蜜|"
    r"同事|同学|室友|邻居|领导|老板|上司|"
    r"助理|秘书|客户|医生|家庭医生|老师|司机|保姆|房东|律师|教练|师傅|经纪人|家人|爸妈|父母|家里人)"
)
_PEOPLE = (
    rf"(?:我的?{KIN_ZH}|我们家?的?{KIN_ZH}|[你您他她]|大家|别人|有人|人家|人们|有的人|有些人|很多人|好多人|某些人|"
    r"客服|"
    rf"护士长|隔壁|小[王李张刘陈赵周吴孙]|老[王李张刘陈赵周吴孙]|{KIN_ZH})(?!在车|.{{0,6}}的?时候)"
)
PEOPLE_ZH = re.compile(_PEOPLE)
OTHER_ZH = re.compile(
    rf"(?:{_PEOPLE}|它|这(?!周|个?礼拜|个?月|几天|阵子|段时间|些年|年|个?星期|两天|辈子)|"
    r"那(?![辆台].{1,12}[卖换退]))"
)
ADVISED_ZH = re.compile(
    r"(?:医生|大夫|牙医|营养师|教练|护士)(?:说了?|讲|让|叮嘱|嘱咐|要求|不让|不许|不准|建议|规定|"
    r"交代)(?:我|要|每|一|不|少|别|得|,|[^他她])"
    r"|(?:老板娘?|师傅|服务员|小哥|帅哥|美女)(?:还是|来|再|给我|照|帮我|老规矩|一样)"
)
"""What a doctor orders limits the patient who tells it; who is called is not who is told of (老板,还是来碗面)."""
TASK_ON_TEXT = re.compile(
    r"\W{0,3}(?:(?:please|can you|could you|help me(?: to)?|now|hi|hello|"
    r"ok),? ){0,3}(?:translate|rewrite|rephrase|proofread|"
    r"summari[sz]e|paraphrase|correct this|edit this|polish|write|compose|draft|tell me a (?:story|joke)|role-?play|"
    r"act as|continue this|complete this|analy[sz]e this|generate)\b"
    r"|\W{0,3}(?:请|麻烦)?(?:你)?(?:帮我|给我|替我)?(?:把.{0,12})?(?:翻译|翻成|译成|改写|润色|续写|仿写|"
    r"总结|概括|写一?[首篇个段封份则]|写诗|"
    r"造句|讲一?个|编一?个|扮演|修改.{0,6}(?:句|段|文))",
    re.IGNORECASE,
)
IDLE = re.compile(
    r"^(?:(?:oh|ah|well|and|but|so|yeah|yes|yep|ok(?:ay)?|aw+|wow|haha|thanks|sure|honestly)\b[ ,!]*)*"
    r"(?:same here|no (?:problems?|worries|doubt|rush|biggie|big deal|pressure|wonder)\b|that one is\b|"
    r"glad (?:it|that|you|to)\b|(?:nothing|not much) (?:so far|much|new|yet)\b|not so far\b|"
    r"(?:it|that|this|he|she|they|you|life|things)(?: all| both)? must(?:'ve| have)? "
    r"(?:be(?:en)?|feel|felt|get|taste|look)\b)"
    r"|\bnever (?:give|gives|gave|giving) up\b|\bjust like (?:any|every|all)\b|\bhere for (?:you|ya|u)\b"
    r"|\b(?:turns?|turned|stands?|worked|works|figures?|figured|helps?|helped) out$",
    re.IGNORECASE,
)
"""What friends say to each other all day, and nobody is known by: "no worries", "it must have been great"."""


def is_lasting(text: str, sentence: str) -> bool:
    """Return whether a clause is meant for good: by its own words, or by a day in its sentence from which it holds."""
    if LASTING.search(text):
        return True
    rest, starts = STARTS.subn(" ", sentence)
    return starts > 0 and not ONE_OFF.search(rest)


def is_one_off(text: str, sentence: str) -> bool:
    """Return whether a clause is meant for now only: by any word of its sentence, unless it is meant for good."""
    if _passes(sentence):
        return True
    return not is_lasting(text, sentence) and ONE_OFF.search(sentence) is not None


@lru_cache(maxsize=8)  # each clause of a sentence asks the same, several times
def reported_from(sentence: str) -> int | None:
    """Return where somebody's words begin to be told ("she said", 他说), None for nowhere."""
    told = REPORTED.search(sentence)
    return told.start() if told else None


@lru_cache(maxsize=8)
def _passes(sentence: str) -> bool:
    return ONLY_NOW.search(sentence) is not None or FOR_A_WHILE.search(sentence) is not None
