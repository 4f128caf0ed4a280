"""How a clause is meant: asked, supposed, reported, ironic, for now, for good, a change.

Each pattern is linear: no nested repetition. English and Chinese stand side by side, since people mix them.
"""

import re

_QUESTION_EN = re.compile(
    r"(?:do|does|did|is|are|am|was|were|should|can|could|would|will|shall|may|might|have i|have you|has|isn't|aren't|"
    r"don't (?:i|you|we|they)|doesn't|didn't|won't|can't (?:i|you|we)|couldn't|wouldn't|any (?:idea|chance)|reckon|"
    r"what|whats|what's|where|who|whose|why|how|when(?= (?:do|does|did|is|are|should|can|will)\b)|which)\b(?!')",
    re.IGNORECASE,
)
_QUESTION_ZH = re.compile(
    r"吗|什么(?!都|的)|哪(?!怕)|谁|(?<!好)几(?:点|个|岁|号|块|钱|天|年|次)|多少|(?<!不)怎么(?!都)|为什么|为啥|咋|是不是|要不要|"
    r"能不能|会不会|有没有|可不可以|好不好|行不行|对不对|该不该|是否|呢$|你猜|(?:能|会|要|该|可以)[^,。;]{0,5}不$"
)
_SUPPOSED_SENTENCE = re.compile(
    r"^\W*(?:(?:and|but|so|well|ok|okay|hey|oh|now|just) ){0,2}(?:if(?! you ask me| you must know)|suppose|supposing|"
    r"imagine|assuming|let's (?:say|pretend)|lets (?:say|pretend)|hypothetically|what if|say (?:i|we)\b|had i|were i|"
    r"for example|for instance|(?:one|some) day|in (?:another|my next) life|in a perfect world|picture me|"
    r"wouldn't it)\b",
    re.IGNORECASE,
)
# What follows 如果 in a sentence is imagined too.
_SUPPOSED_SENTENCE_ZH = re.compile(
    r"\W*.{0,6}?(?:如果|假如|假设|假若|要是|倘若|万一|想象|假装|比方说|比如说?|例如|譬如)"
)
_SUPPOSED = re.compile(
    r"\b(?:if (?:i|we|only|my)\b|wish|wishes|suppose|imagine|imagining|pretend|pretending|as if|as though|might|maybe|"
    r"perhaps|probably|possibly|not sure|unsure|dunno|don't know|no idea|wonder|wondering|whether|thinking (?:of|"
    r"about)|thought (?:of|about|i)|i'd (?:be|have|say)|could be|would be|would have|would've|hopefully|dream(?:ed|t|"
    r"ing)? (?:of|about|that)|dreamt|almost|nearly|supposedly|allegedly|joking|kidding|considering|considered|planning|"
    r"hoping|when i'm (?:rich|old|famous|retired)|you'd think|i guess)\b|如果|假如|假设|假若|要是|倘若|万一|想象|假装|"
    r"的话|要不是|恨不得|但愿|或许|也许|可能|说不定|好像|似乎|比如|例如|譬如|不知道|不确定|不晓得|说不上来|说不清|"
    r"拿不准|哪天|有朝一日|考虑|打算|差点",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:(?<!i )said|(?<!it )says|(?<!i )told|(?<!i )wrote|writes|claims?|claimed|thinks|thought|reckons|insists?|"
    r"insisted|announced|(?<!i )(?:decides?|decided|assumes?|assumed)|(?:people|everyone|everybody|others|"
    r"folks) (?:think|say|believe|call|take)|announces|asked|asks|replied|mentioned|mentions|texted|(?:goes|went|"
    r"go),?(?= [\"'])|quote|according to|(?:was|is|were|be) like|yelled|shouted|sings?|sang|reads|tweeted|posted|"
    r"captioned|lyrics?|line in|the (?:song|film|movie|book|novel|poem|ad|review|sign|slogan|hero|heroine|character|"
    r"protagonist))\b|(?:[他她它们妈爸哥姐弟妹友事板师人公婆叔姨爷奶户]|[A-Za-z])(?:刚才|刚刚|刚|又|还|也|总|经常|跟我|"
    r"对我|和我)?(?:说|告诉|问|写道|表示|觉得|认为|以为)|谁说|说自己|[服导生上里中播总长]说|网传|有人说|"
    r"有人.{0,3}(?:写|问|发|讲)|听说|据说|常言|歌词|原文|台词",
    re.IGNORECASE,
)
_PLAYED = re.compile(
    r"(?:^|[.!?\n,;:]\s{0,2})\W{0,3}(?:(?:please|can you|could you|let's|lets|now|ok|okay|hey|help me|for the game|and|"
    r"you) ){0,3}(?:role-?play|pretend|act as|you are now|you're now|imagine you|play (?:the (?:role|part)|"
    r"a character)|translate|rewrite|rephrase|proofread|summari[sz]e|paraphrase|write (?:me )?(?:an?|the|some|my)\b|"
    r"draft|compose|tell me a (?:story|joke)|correct (?:this|my)|edit this|continue (?:this|the story)|(?:in|"
    r"for) (?:the|this|my|our) (?:game|story|novel|play|scene|campaign|role-?play|sketch|screenplay|book|script|essay|"
    r"poem|song|skit|d&d))\b|\b(?:in character|my character|her character|his character|dear (?:sir|madam|hiring)|"
    r"kind regards|best regards|forwarded message|wrote:|how do (?:i|you) say)\b|(?:^|"
    r"[,。!?;\n])\W{0,3}(?:(?:现在)?(?:我们|咱们?)?(?:一起)?来玩?(?:一?[个场次局])?(?=角色扮演))?(?:请|"
    r"麻烦)?你?(?:帮我|给我|替我)?(?:扮演|假装|角色扮演|翻译|翻成|改写|润色|续写|仿写|总结|概括|写一?[首篇个段封份则]|"
    r"讲一?个|编一?个|造句|修改|替我回|给[他她]回|转发|(?:从现在起|现在)?你(?:现在|就)?是(?:我的|一[个名位]))|转的:|"
    r"此致|敬礼|发件人|收件人|主题:|尊敬的|您的(?:包裹|快递|快件|订单|外卖|验证码)|顺祝|祝好(?:$|\n)|各位(?:领导|同事|"
    r"家长|业主)",
    re.IGNORECASE,
)
_IRONIC = re.compile(
    r"^\W*(?:(?:oh|yeah|yes|well|ah|yep),? )?(?:great|brilliant|fantastic|wonderful|lovely|perfect|marvellous|super|"
    r"joy)\b(?!\s\w+\s(?:is|are)\b)|^\W*(?:oh,? |yeah,? |yep,? )?(?:sure|right|of course|yeah)[,.] |^\W*(?:oh|yeah|"
    r"ah),? (?:sure|right|joy|yay|goody|because|of course)\b|\bsaid no ?(?:one|body) ever\b|\blove that for me\b|"
    r"(?-i:\bLOVES?\b) (?!the (?:taste|smell))\w+ing\b|\bexactly what (?:i|we)\b|\bjust what i (?:needed|wanted|"
    r"always)\b|\bnothing i (?:like|love|enjoy) more\b|\blucky me\b|\byay me\b|\bas if i\b|\bobviously\b.{0,40}\bwhy\b|"
    r"\bnot!|(?<!\w)/s\b|🙄|\bmy favou?rite (?:thing|part|pastime|hobby),|\bliving the dream\b|呵呵|可太(?:喜欢|爱)|"
    r"真是谢谢",
    re.IGNORECASE,
)
# The time is part of what is said: it holds for a while and no longer.
_FOR_NOW = re.compile(
    r"\b(?:today|tonight|tomorrow|this (?:time|once|trip|morning|afternoon|evening|weekend|week|month|order|one|round|"
    r"summer|winter|ride|drive|journey|flight|meal)|just (?:this )?once|right now|just now|for now|for the moment|"
    r"at the moment|for a change|for a (?:bit|while|sec|minute|few)|temporarily|"
    r"(?:for )?the next (?:hour|\d+|few|couple|half)|next (?:hour|few)|in the mood|tmrw|tonite|"
    r"until|till (?:i|my|the|we)|during (?:lent|ramadan)|(?:only|just) for (?:the|this|my)|while (?:i'm|we're)|"
    r"currently (?:off|i (?:can't|cannot|may not|mustn't|am not)))\b"
    r"|今天|今晚|今早|今日|今儿|明天|(?<!以)后天|这次|这回|这一次|这趟|暂时|这会儿|待会|等会|一会儿|等一下|眼下|此刻|先不|先别|"
    r"本次|这单|下周|这两天|这几天|这阵子?|等[^,]{1,8}(?:好了|以后|之后|过了)[^,]{0,3}再|这段(?:时间|日子)|这周|本周|这个(?:月|星期|礼拜)|周末",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:from (?:now|today|this day|here) on(?:wards?)?|from now|going forward|in (?:the )?future|always|never|"
    r"every ?time|permanently|for good|by default|my default|as a rule|each time|whenever|henceforth|generally|"
    r"in general|usually|normally|starting (?:now|today|tomorrow)|any time|anytime|ever|when(?:ever)? (?:the|my|"
    r"our) (?:kids|children|baby|dog|little ones|family|son|daughter)(?:'s|'re| is| are))\b|从今以后|从(?:今天|明天|"
    r"现在|这一刻)(?:起|开始)|从今往后|今后|往后|以后|从来|永远|一直|总是|每次|始终|一律|长期|再也|默认|向来|一向|平时|"
    r"习惯|一般",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"\b(?:from|starting|beginning|as of|effective) (?:now|today|tonight|tomorrow|next \w+|this (?:week|month|year|"
    r"moment|day))(?: on(?:wards?)?)?\b|从?(?:今天|明天|现在|这次|下次|下周)(?:开始|起)",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:no longer|not [^,]{0,30}\b(?:any ?more|any longer|these days)|any ?more|any longer|used to|"
    r"(?:quit|quitting|stopped|given up|gave up|giving up|dropped|gone off|went off|ditched|instead of|rather than|"
    r"swapped|switched|switching|swap|replaced|changed)|(?:, ?|but )not (?!even|ever)[^,]{1,30}$|ex-)\b"
    r"|不再|再也不|戒了|改成|换成|改为|换到|不是.{1,12}(?:而是|是)",
    re.IGNORECASE,
)
# It was so, and nothing says that it still is.
_PAST = re.compile(
    r"\b(?:was once|were once|once (?:lived|worked|loved|liked|had)|back then|back in the day|when (?:i|we) (?:was|"
    r"were)|formerly|as an? (?:kid|child|teen|teenager|student|boy|girl|baby)|growing up|in my (?:youth|twenties|"
    r"childhood)|previously|at the time|years? ago when|in college|in high school)\b|以前|曾经|过去|小时候|原来|当年",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\W{0,3}(?:but )?(?:not )?(?:(?:any ?more|any longer)\b|(?:no longer|no more)\W{0,3}$)", re.IGNORECASE
)
_QUOTED = re.compile(r"\"[^\"\n]{2,300}\"|(?<![\w])'(?=(?:I|my|we)\b)(?:[^'\n]|'(?=\w)){2,200}'(?!\w)", re.IGNORECASE)


def is_played(form: str) -> bool:
    """Return whether a message asks for a role, a story, a translation or a text: its "I" is not the user."""
    return _PLAYED.search(form) is not None


def is_asked(text: str, *, ends_asked: bool, language: str) -> bool:
    """Return whether a clause is a question; ``ends_asked``: a question mark closes it."""
    if language == "zh":
        return ends_asked or _QUESTION_ZH.search(text) is not None
    return ends_asked or _QUESTION_EN.match(text) is not None


def is_supposed(text: str, sentence: str) -> bool:
    heads = (_SUPPOSED_SENTENCE, _SUPPOSED_SENTENCE_ZH)
    return _SUPPOSED.search(text) is not None or any(head.match(sentence) for head in heads)


def find_quoted(form: str) -> list[tuple[int, int]]:
    """Return where a message stands in quotation marks and so may be somebody's words."""
    return [found.span() for found in _QUOTED.finditer(form)] if '"' in form or "'" in form else []


def is_reported(sentence: str, end: int) -> bool:
    """Return whether ``sentence[:end]`` reports somebody's words ("she said ...")."""
    told = _REPORTED.search(sentence)
    return told is not None and told.start() < end


def is_ironic(sentence: str) -> bool:
    return _IRONIC.search(sentence) is not None


def is_for_now(text: str) -> bool:
    """Return whether ``text`` holds for a while only; a starting day ("from today on") does not count."""
    return _FOR_NOW.search(_STARTS.sub(" ", text)) is not None


def is_lasting(text: str) -> bool:
    return _LASTING.search(text) is not None


def is_past(text: str) -> bool:
    return _PAST.search(text) is not None


def is_change(text: str) -> bool:
    """Return whether ``text`` ends or replaces something, so that it may hold an old value."""
    return _CHANGE.search(text) is not None


def is_taken_back(sentence: str, end: int) -> bool:
    """Return whether the words after ``sentence[:end]`` end it: "I love jazz, not any more"."""
    return _TAKEN_BACK.match(sentence, end) is not None
