"""How people tell an assistant to forget something, in English and Chinese. Patterns match a whole part of a sentence.

Strong words speak of what was said ("forget what I just told you"). Weak ones only point ("forget that"): they are also
said of requests, so they count only where the message before them taught something.
"""

import re

_LEAD_EN = (
    r"(?:(?:please|pls|ok|okay|actually|oh|hey|sorry|wait|no|hmm?|um|well|so|and|but|also|then|now|just|kindly|i mean|"
    r"on second thoughts?|you know what|scratch that|never ?mind|(?:can|could|would|will) you|let's|"
    r"i(?:'d| would) (?:like|want|prefer) you to|i (?:want|need) you to)[\s,]{1,3}){0,5}"
)
_TAIL_EN = (
    r"(?:[\s,]{1,3}(?:please|pls|ok|okay|thanks|thank you|right now|now|for me|again|will you|would you|at all|"
    r"completely|"
    r"entirely|immediately|permanently|just now|a (?:moment|minute|second) ago|earlier|(?:from|in) (?:your|the) memory|"
    r"anywhere|on file|about me|for later|to you|and (?:don't|do not) (?:remember|keep|store|save) (?:it|that)))"
    r"{0,4}"
)
_SAID_EN = (
    r"i(?:'ve| have)?(?: just| only just| recently)?(?: now)? (?:said|told you|mentioned|wrote|typed|shared|sent|"
    r"revealed|"
    r"let slip|let out)"
)
_LAST_EN = (
    rf"(?:what {_SAID_EN}|(?:everything|all|anything|whatever)(?: that)? i(?:'ve| have)? just (?:said|told you|"
    rf"mentioned|wrote)|"
    rf"(?:the|that) (?:last |very last )?(?:thing|bit|part|message|sentence|stuff|remark)(?: that)? {_SAID_EN}|"
    r"(?:that|this|my|the) (?:very )?last (?:thing|bit|part|message|remark|comment))"
)
_KEEP_EN = r"(?:remember|memori[sz]e|store|save|keep|record|note|log|retain|write down|hold on to)"
_NOT_EN = r"(?:don't|do not|dont|never|you (?:shouldn't|should not|mustn't|must not))(?: ever)?"
_POINTED_EN = r"(?:that|this|it|any of (?:that|this|it))"
STRONG_EN = (
    rf"forget (?:about )?{_LAST_EN}",
    r"forget (?:that )?i (?:ever |just |even )?(?:said|mentioned|told you|wrote|brought up) (?:that|this|it|"
    r"anything|so)",
    rf"(?:delete|erase|remove|wipe|drop|purge) {_LAST_EN}",
    rf"(?:delete|erase|remove|wipe|drop|purge) {_POINTED_EN} from (?:your|the) (?:memory|records?|notes|memories)",
    rf"{_NOT_EN} {_KEEP_EN} {_LAST_EN}",
    rf"{_NOT_EN} (?:store|save|keep|record|note|log|retain|put|add) {_POINTED_EN} (?:in|to|on) (?:your |the |my |any )?"
    r"(?:memory|file|records?|notes|profile)",
    rf"i (?:don't|do not) want you to {_KEEP_EN} (?:{_POINTED_EN}|{_LAST_EN})",
    rf"i(?:'d| would) (?:rather|prefer) (?:that )?you (?:didn't|did not|don't|do not) {_KEEP_EN} (?:{_POINTED_EN}|"
    rf"{_LAST_EN})",
    rf"you (?:didn't|never) hear {_POINTED_EN}(?: from me)?",
    r"pretend (?:that )?i (?:just )?(?:said|told you|mentioned) nothing(?: at all)?",
    rf"pretend (?:that )?i (?:never|didn't|did not) (?:say|said|mention(?:ed)?|tell|told)(?: you)? (?:{_POINTED_EN}|"
    rf"anything)",
    rf"strike {_POINTED_EN} from (?:the|your) (?:records?|memory|notes)",
    rf"(?:what {_SAID_EN}) (?:is|was|stays) (?:private|confidential|off the record|between us)",
    rf"keep (?:what {_SAID_EN}) (?:private|confidential|to yourself|out of (?:your|the) memory)",
)
WEAK_EN = (
    r"forget (?:about )?(?:that|this)",
    rf"{_NOT_EN} (?:remember|memori[sz]e|retain|keep|store|note|write) {_POINTED_EN}(?: down)?",
    rf"(?:there's |there is )?no need to {_KEEP_EN} {_POINTED_EN}",
    r"(?:that|this)(?:'s| is| was)(?: all| very| strictly| just)? (?:private|confidential|personal|off the record|"
    r"between (?:you and me|us|ourselves))(?: information| info| stuff)?",
    rf"keep {_POINTED_EN} (?:private|confidential|secret|to yourself|between us|between you and me)",
    r"off the record",
)
# "Everything I told you" is more than one message: only the product may erase a whole person.
ALL_EN = (
    r"(?:forget|delete|erase|wipe|remove)(?: about)? (?:everything|all)(?: of it| that)?(?: (?:i(?:'ve|"
    r" have)? (?:ever )?"
    r"(?:said|told you|mentioned|shared)|you (?:know|have|remember|saved|stored)))?(?: about me)?",
)
NAMED_EN = (
    rf"forget (?:about )?(?:what|everything|anything|all|whatever|the (?:things?|bit|part|"
    rf"stuff))(?: that)? (?:{_SAID_EN}|"
    r"i(?:'ve| have)? (?:ever )?(?:said|told you|mentioned)|you (?:know|have|remember|noted|saved|stored))"
    r"(?: to you)?(?: earlier| before)? (?:about|regarding|on|concerning|of) (?P<name>.{2,60}?)",
    r"(?:delete|erase|remove|wipe) (?:what|everything|anything|all) (?:i(?:'ve| have)? (?:ever )?(?:said|told you|"
    r"mentioned)|"
    r"you (?:know|have|remember|noted|saved|stored)) (?:about|regarding|on) (?P<name>.{2,60}?)",
    rf"{_NOT_EN} {_KEEP_EN} (?:what i(?:'ve| have)? (?:just )?(?:said|told you) |anything |things )(?:about|"
    rf"regarding|on) "
    r"(?P<name>.{2,60}?)",
    rf"(?:forget|{_NOT_EN} {_KEEP_EN})(?: the fact)? that (?P<name>(?:i|i'm|i've|my|we|our) (?!(?:just |ever |even )?"
    r"(?:said|mentioned|told|asked|wrote|brought)\b).{2,80}?)",
)
# "Forget my window" is no order to a memory: only what people own as a fact can be forgotten by its bare name.
OWNED_EN = (
    rf"(?:forget(?: about)?|delete|erase|remove|{_NOT_EN} {_KEEP_EN}) my (?P<name>[a-z' ]{{2,40}}?)"
    r"(?: from (?:your|the) (?:memory|notes|records?))?",
)

_LEAD_ZH = (
    r"(?:(?:请|麻烦|拜托|帮我|能不能|可不可以|能|可以|那个?|哦|噢|啊|嗯|算了|不好意思|抱歉|等等|等一下|对了|还是|"
    r"其实|就|先|要不|"
    r"我(?:想|要|希望)?(?:让|请|要求)?(?=你)|[你您](?=能|可以|可不可以|把|就当|别|不要|不用|帮|给我)|"
    r"给我)[,\s]{0,2}){0,6}"
)
_TAIL_ZH = r"(?:吧|啊|哈|哦|呀|了|好吗|可以吗|行吗|好不好|行不行|谢谢|啦|呗|嘛|[,\s]){0,4}"
_JUST_ZH = r"(?:刚刚?才?|刚才|方才|上一?[句条]|前面|前一?[句条])"
_THINGS_ZH = r"(?:那|这)?(?:[句条些个段])?(?:话|内容|东西|事情?|信息|消息|全部)?"
_LAST_ZH = (
    rf"(?:我{_JUST_ZH}(?:跟你|和你|对你|给你)?(?:说|讲|提|告诉你|发|打)(?:过|到|出来)?的?{_THINGS_ZH}|"
    rf"{_JUST_ZH}(?:我)?(?:跟你|和你)?(?:说|讲|提|发)的?{_THINGS_ZH}|{_JUST_ZH}的?(?:[那这][句条些个])?(?:话|内容|"
    rf"消息)|"
    rf"我(?:跟你)?说的(?:上一?|刚才那)[句条](?:话)?)"
)
_FORGET_ZH = r"(?:忘掉|忘了|忘记|忘|删掉|删除|删了|删|清除|清掉|抹掉|撤回)"
_NOT_KEEP_ZH = (
    r"(?:别|不要|不用|不必|甭|勿|不许|不准)(?:给我|帮我|再|去)?"
    r"(?:记录?|记住|记下来?|记着|保存|储存|存档?|存下来?|留着|保留)(?:下来|住|了)?"
)
_POINTED_ZH = r"(?:这|那)(?:个|些|件事情?|事儿?|条|点|句话?|段话?|一[条句点])?(?:话|信息|内容)?"
STRONG_ZH = (
    rf"{_FORGET_ZH}{_LAST_ZH}",
    rf"(?:把|将){_LAST_ZH}(?:都|全|全部|给)?{_FORGET_ZH}",
    rf"(?:把|将){_LAST_ZH}(?:都|全|全部)?从(?:你的)?(?:记忆|记录|档案)[里中]?(?:面)?{_FORGET_ZH}",
    rf"{_LAST_ZH}[,\s]{{0,2}}(?:请|你|您|就|都|全){{0,3}}{_NOT_KEEP_ZH}",
    rf"{_LAST_ZH}[,\s]{{0,2}}(?:请|你|您|就|都|全){{0,3}}(?:忘掉|忘了|忘记|删掉|删了)",
    rf"{_NOT_KEEP_ZH}{_LAST_ZH}",
    rf"(?:别|不要|不用)(?:把)?(?:{_POINTED_ZH}|{_LAST_ZH})(?:记|存|写|录)(?:进|到|在|入)(?:你的|我的)?(?:记忆|档案|"
    rf"资料|记录)[里中]?",
    rf"(?:把|将){_POINTED_ZH}从(?:你的)?(?:记忆|记录|档案)[里中]?(?:面)?{_FORGET_ZH}",
    rf"我不(?:想|希望|要)(?:让)?你(?:记住|记下来?|记录|保存)(?:{_POINTED_ZH}|{_LAST_ZH})",
    rf"{_LAST_ZH}(?:是|属于|算)(?:我的|个人)?(?:隐私|秘密|私事|机密)",
)
WEAK_ZH = (
    r"(?:就|请)?(?:当作?|当成|全当)(?:是)?我(?:刚才|刚刚)?(?:没有?|从来没|什么都没)(?:说|讲|提)(?:过)?(?:这个|"
    r"这句话|刚才的话)?",
    rf"{_NOT_KEEP_ZH}(?:{_POINTED_ZH})?",
    rf"{_POINTED_ZH}[,\s]{{0,2}}(?:你|您|就|请){{0,2}}{_NOT_KEEP_ZH}",
    rf"(?:忘掉|忘记|忘了){_POINTED_ZH}",
    rf"(?:把|将){_POINTED_ZH}(?:给)?(?:忘掉|忘了|忘记)",
    rf"{_POINTED_ZH}(?:都|就)?(?:是|属于|涉及|算)(?:我的|个人|我个人的?|我们?的)?(?:隐私|秘密|私事|机密)(?:信息)?",
    rf"(?:{_POINTED_ZH})?(?:要|请|得|务必|可要)?(?:帮我|替我|给我)?保密",
)
ALL_ZH = (
    r"(?:忘掉|忘了|忘记|删掉|删除|清除|清空)(?:你)?(?:关于|有关)?我?(?:的)?(?:所有|一切|全部)(?:的)?(?:信息|记忆|"
    r"东西|事情?|内容|资料)?",
    r"(?:把|将)(?:我)?(?:说过|告诉你|讲过)的?(?:所有|一切|全部)?(?:话|东西|事情?|内容)?(?:都|全|全部|统统)(?:忘掉|"
    r"忘了|删掉|删了|清掉)",
)
_SAID_ABOUT_ZH = (
    r"(?:我)?(?:刚刚?才?|刚才|之前|以前|上次|前面|曾经)?(?:跟你|和你|对你)?(?:说|讲|提|聊|告诉你)(?:过|到|起)?的?"
)
_ABOUT_ZH = r"(?:的)?(?:那|这)?(?:些|件|个)?(?:事情?|事儿|话|内容|信息|部分|记忆|记录|一切|所有)?"
NAMED_ZH = (
    rf"{_FORGET_ZH}(?:你)?(?:{_SAID_ABOUT_ZH}|你?(?:知道|记得|记住|记)的)?(?:关于|"
    rf"有关)(?:我的?)?(?P<name>.{{1,24}}?){_ABOUT_ZH}",
    rf"(?:把|将)(?:{_SAID_ABOUT_ZH}|你?(?:知道|记得|记住|记)的)?(?:关于|"
    rf"有关)(?:我的?)?(?P<name>.{{1,24}}?){_ABOUT_ZH}(?:都|全|给)?{_FORGET_ZH}",
    rf"(?:关于|有关)(?:我的?)?(?P<name>.{{1,24}}?){_ABOUT_ZH}[,\s]{{0,2}}(?:请|你|您|都|就|"
    rf"全){{0,3}}(?:{_FORGET_ZH}|{_NOT_KEEP_ZH})",
    rf"{_NOT_KEEP_ZH}(?:任何)?(?:{_SAID_ABOUT_ZH})?(?:关于|有关)(?:我的?)?(?P<name>.{{1,24}}?){_ABOUT_ZH}",
    rf"{_FORGET_ZH}{_SAID_ABOUT_ZH}(?P<name>(?!话|事|东西|内容).{{2,24}}?)(?:的(?:那|这)?(?:些|件|个)?(?:事情?|话|"
    rf"内容|信息))",
    rf"(?:{_FORGET_ZH}|{_NOT_KEEP_ZH})(?P<name>我(?!{_JUST_ZH}|说|讲).{{2,40}}?)(?:的)?(?:这|那)(?:件|个)?(?:事情?|"
    rf"信息|一点)",
)
OWNED_ZH = (
    rf"(?:{_FORGET_ZH}|{_NOT_KEEP_ZH})我的(?P<name>.{{1,12}}?)",
    rf"(?:把|将)我的(?P<name>.{{1,12}}?)(?:都|给|从(?:你的)?(?:记忆|记录)[里中]?(?:面)?)?{_FORGET_ZH}",
)


def compile_en(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return English patterns with the idle words that may stand before and after."""
    return tuple(re.compile(_LEAD_EN + one + _TAIL_EN, re.IGNORECASE) for one in patterns)


def compile_zh(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return Chinese patterns with the idle words that may stand before and after."""
    return tuple(re.compile(_LEAD_ZH + one + _TAIL_ZH) for one in patterns)
