"""What is otherwise now, put together of two sides: what is over and what has come, each said in its own way.

"I gave up coffee, it's all matcha now" and 咖啡我戒了,现在改喝茶 name both sides in clauses of their own; either
side has a handful of ways to be said, and any of one goes with any of the other.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from snapshots.extraction.categories import category_of
from snapshots.extraction.changes import swap
from snapshots.extraction.observe import Clause
from snapshots.extraction.others import is_of_others, is_of_others_zh
from snapshots.extraction.phrases_en import phrase_en
from snapshots.extraction.phrases_zh import phrase_zh
from snapshots.extraction.rules import preference
from snapshots.extraction.values import Candidate

_PLACE_EN = r"(?:at |in |on |to |with |by |for |from |up )?"
_DO_EN = (
    r"(?:(?:tak|us|driv|drink|eat|hav|play|read|watch|listen to|work|liv|shop|bank|train|fly|stay|wear|order|gett|"
    r"get|prefer|lik|lov|be|call|book|cycl|runn|run|do|go|"
    r"buy|buyin|pay|smok|want|need|teach|studying|study|commut|sleep|cook|mak|see|rent|ridd|rid|carry|believ|speak|"
    r"writ|subscrib)(?:e|es|ing|s)? |(?:was|been|a|an) )"
)
_OLD_EN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bused to (?:be )?{_DO_EN}?{_PLACE_EN}(?P<v>[^,;]{{2,50}})",
        r"\b(?:stopped|quit|gave up|given up|giving up|dropped|ditched|cut out|cutting out|gone (?:right |totally "
        r"|completely |well )?off|got rid of|getting rid of|sold|traded in|traded|cancell?ed|left|leaving|(?<=I'm "
        r")over|(?<=im )over|(?<=we're )over|done with|finished with|through with|sick of|tired of|"
        r"bored of|moved out of|moved on from|rehomed|swapped|replaced|retired from|off(?= the)|no more|forget(?: "
        r"about)?|scratch|scrap|lose|skip|delete|remove) (?!to\b|on\b)(?:my job at |my job |working (?:at|for) "
        rf")?{_DO_EN}?{_PLACE_EN}(?P<v>(?!it\b|that\b|this\b|what\b|because\b|since\b|after\b)[^,;]{{2,50}})",
        r"(?:\b(?:no longer|not|never)|n'?t) (?:really |even |actually |in the |into |going to |on |at |a |an "
        rf")*{_DO_EN}?{_PLACE_EN}(?P<v>(?!it\b|that\b|this\b|what\b|sure\b)[^,;]{{2,40}}?) (?:any ?more|any longer|"
        r"now|these days|nowadays)\b",
        rf"\bno longer (?:really |a |an |at |in |on |into )*{_DO_EN}?{_PLACE_EN}(?P<v>[^,;]{{2,40}})",
        r"\b(?:my|the|that|our|her|his|their) (?:old |former |previous )?(?P<v>[^,;]{2,40}?) (?:is|are|was) "
        r"(?:gone|history|no more|dead|too (?:late|early|much|expensive|far|slow|small)|sold|closed|out)\b",
        r"\b(?:instead of|rather than|in place of|not|than|from) (?:the |my |at |in |on )?(?P<v>[^,;]{2,40})$",
        r"\b(?:instead of|rather than|in place of) (?P<v>[^,;]{2,40})",
        r"\bwas (?:a |an |always )?(?P<v>[^,;]{2,40}?)(?:,| until| before| but| now)",
    )
)
_NEW_EN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:\b(?:at|to|on|with|it's|want|need|take|use|get|prefer|make it|have|drink|eat|play|book|go|is|are) |"
        rf"^)(?:{_PLACE_EN})(?P<v>(?!I\b|we\b)[^,;]{{1,30}}?) (?:rather than|instead of|in place of)",
        r"(?:^|, ?|\band )(?P<v>[^,;]{2,40}?) (?:is|are) (?:what I (?:want|like|need|go for|drink|eat|use)|more my "
        r"(?:thing|speed|style)|my (?:new )?(?:thing|jam|go-to))(?: now)?",
        r"\b(?:switched|switching|changed|moved|moving|swapped|traded|converted|upgraded|graduated|gone|went|"
        rf"going|go|move|switch|change)(?: over| back| up| down| it| that| me| us| them| [^,;]{{2,40}}?)? (?:to|"
        rf"for|onto|into) (?:be |being |{_DO_EN})?{_PLACE_EN}(?P<v>(?!go\b|know\b|see\b)[^,;]{{2,50}})",
        r"\breplaced [^,;]{2,40}? (?:with|by) (?P<v>[^,;]{2,40})",
        r"\bnow (?:that )?(?:it's |I'm |I am |we're |it is |just |only |all |mostly |into |on |at |in |with |a |"
        rf"an |the |I |we |is |are |have |got )*{_DO_EN}?{_PLACE_EN}(?P<v>(?!it\b|that\b)[^,;]{{2,50}})",
        r"(?:\b(?:it's|its|it is|I'm|I am|im|we're|they're|she's|he's|is|are|on|got|have|has|(?:I|we)(?:'ve)?|"
        r"just|only|only)|^|, ?)(?: (?:all|more|just|mostly|into|on|at|with|about|a|an|the|in|only|strictly|fully|"
        r"gotten|been|getting|really|living|working|taking|using|drinking|eating|buying|driving|doing|having|"
        r"going|back|team))* (?P<v>(?!not\b|n't|no longer|used|don't|stopped|quit|gave|sold|dropped|can't|never|"
        r"changed|switched|moved)[^,;]{2,40}?) (?:now|these days|nowadays|instead|lately|from now on|going "
        r"forward|since then|from here on|from today|onwards)\b",
        r"\b(?:took up|taken up|taking up|got into|getting into|picked up|started|starting|begun|began|fallen for|"
        rf"discovered) (?:with |at |in |on |to )?(?:a |an |the |working (?:at|for) )?{_DO_EN}?(?P<v>(?!rid\b|it\b|"
        rf"tired|sick|bored)[^,;]{{2,40}})",
        r"\b(?:sold|traded|got rid of|lost|ditched|dropped|replaced|left|quit)\b.*?\b(?:got|bought|have|leased) "
        r"(?:a |an |the |myself a )?(?P<v>[^,;]{2,40})",
        r"\b(?:make (?:it|that)|make|put|set it (?:to|for)|call me|use|try|go with|it's gotta be|it should be|"
        r"should be) (?:to |at |for )?(?P<v>[^,;]{1,40}?)(?: instead| now| from now on| please|,|$)",
        r"\b(?:new (?:one|number|address|place|job|car|phone|email|home|gym|doctor|dentist|employer|company|school|"
        r"favou?rite|go-to)) (?:is|at|with) (?:at |now |a |an )?(?P<v>[^,;]{2,60})",
        r"\b(?:back (?:to|on)|more into|converted to|become|became|turned) (?:being |a |an |the )?(?P<v>[^,;]{2,40})",
        r"\b(?:it's|its|it is|I'm|I am|we're|they're|is|are|she's) (?:all|now|actually|more|just|only|at|with|on|"
        r"in|into|a|an)? ?(?P<v>[^,;]{2,50})",
    )
)
_CHANGED_EN = re.compile(
    r"\b(?:used to|any ?more|any longer|no longer|no more|stopped|quit|gave up|given up|dropped|ditched|cut out|"
    r"gone off|gone|got rid|sold|traded|switched|switch|swapped|swap|changed|change|moved|instead|rather than|now|"
    r"these days|nowadays|lately|"
    r"from now on|forget|scratch|scrap|new|back (?:to|on)|turns? out|replaced|cancell?ed|left|took up|was|rehomed|"
    r"started|retired|became|make (?:it|that)|upgraded|over|done with)\b",
    re.IGNORECASE,
)
_OVER_EN = re.compile(
    r"\b(?:used to|any ?more|any longer|no longer|no more|stopped|quit|gave up|given up|giving up|dropped|ditched|"
    r"cut out|gone off|got rid|sold|traded|swapped|switched|changed|moved|instead of|rather than|not|replaced|"
    r"cancell?ed|left|rehomed|forget|scratch|scrap|over|done with|than|gone|was|retired|too late|too early|delete|"
    r"from)\b|n't\b",
    re.IGNORECASE,
)
_PLAN_EN = re.compile(
    r"\b(?:going to (?:switch|change|move|quit|try|start)|thinking (?:of|about)|might|may|should (?:I|we)|planning|"
    r"hoping|want to (?:switch|change|move|quit)|considering|trying to|if I|would|gonna|next (?:week|month|year)|"
    r"will)\b",
    re.IGNORECASE,
)
_NOT_A_SIDE = re.compile(
    r"^(?:it|that|this|what|why|how|who|i|we|you|he|she|they|going|been|being|not|sure|time|ready|fine|good|bad|ok|"
    r"okay|here|there|home|back|out|up|just|really|too|so|very|much|more|less|better|worse|late|early|done|gone|"
    r"new|old|one|changed|moved|different|same|longer|because|doing|getting|having|trying|used|able|only|all|"
    r"nothing|everything|cleared|on|off|in|a lot|the same|the point|my mind|mind)$",
    re.IGNORECASE,
)


def _sides(
    said: str, ways: Sequence[re.Pattern[str]], phrase: Callable[[str], str], beside: tuple[int, int] | None = None
) -> tuple[int, int] | None:
    """Return where in ``said`` the first of the ``ways`` names a side that does not overlap ``beside``."""
    for way in ways:
        for match in way.finditer(said):
            thing = phrase(match["v"])
            at = said.find(thing, match.start("v")) if thing else -1
            span = (at, at + len(thing))
            if at >= 0 and not (beside and span[0] < beside[1] and beside[0] < span[1]):
                return span
    return None


def _phrase_en(words: str) -> str:
    thing = phrase_en(words)
    return "" if _NOT_A_SIDE.match(thing) else thing


def _composed(
    clause: Clause,
    old_ways: Sequence[re.Pattern[str]],
    new_ways: Sequence[re.Pattern[str]],
    phrase: Callable[[str], str],
) -> Iterator[Candidate]:
    said = clause.text
    over = _sides(said, old_ways, phrase)
    come = _sides(said, new_ways, phrase, over) if over else None
    if over and come:
        old, new = clause.words(*over), clause.words(*come)
        if old.casefold() != new.casefold():
            yield from swap(clause, old, new)


def _over(clause: Clause, ways: Sequence[re.Pattern[str]], phrase: Callable[[str], str]) -> Iterator[Candidate]:
    """Yield what is given up where nothing takes its place: it is taken out of what is liked."""
    gone = _sides(clause.text, ways, phrase)
    if gone:
        old = clause.words(*gone)
        yield preference(clause, "change", (category_of(old), "likes"), "remove", (old,))


_GONE_EN = (
    re.compile(
        r"(?:^|\b(?:I|we)(?:'ve| have|'m| am)? |\bim |\bive )(?:just |finally |recently |pretty much |totally |"
        r"completely |now )*(?:gave up|given up|giving up|quit|quitting|stopped|cut out|ditched|dropped|done with|"
        rf"gone off|off|cancell?ed|got rid of) (?:on )?{_DO_EN}?(?P<v>(?!it\b|that\b|this\b|at\b|by\b|in\b|on\b|"
        rf"last\b|since\b|because\b|for\b|work|my job|to\b)[^,;]{{2,40}})",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bI'm not (?:really |actually )?(?:a |an )?(?!allergic)(?P<v>[^,;]{3,30}?) (?:after all|any ?more)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\byou can (?:drop|lose|stop|skip|delete|remove|forget|scrap|clear) (?:playing |suggesting |the |my |all "
        r")*(?P<v>[^,;]{3,40}?)(?:$|,| (?:now|from))",
        re.IGNORECASE,
    ),
)


def slots_en(clause: Clause) -> Iterator[Candidate]:
    """Yield the change of a whole English sentence that names both of its sides."""
    said = clause.text
    if not (_CHANGED_EN.search(said) and _OVER_EN.search(said)) or _PLAN_EN.search(said) or is_of_others(clause):
        return
    if not re.search(r"\b(?:I|I'm|I've|we|we're|we've|my|our|im|ive|me|us)\b", said, re.IGNORECASE) and not re.match(
        r"(?:no longer|not|no more|used to|now|back|new|switched|swapped|stopped|quit|sold|forget|scrap|gone|gave)\b",
        said,
        re.IGNORECASE,
    ):
        return
    if clause.asserted and not clause.one_off:
        yield from list(_composed(clause, _OLD_EN, _NEW_EN, _phrase_en)) or _over(clause, _GONE_EN, _phrase_en)


_V = (
    r"(?:吃|喝|饮|听|看|用|走|坐|住|开|穿|买|去|做|当|叫|发|打|是|在|要|玩|读|订|选|说|记|点|信|练|跑|养|抽|上|学|"
    r"跟|搭|骑|爱|喜欢|放|戴|追|教|食|信|带|走的?|用的?|喝的?|吃的?|开的?|住的?|叫的?|是在)"
)
_PAST = r"(?:年轻的?时候?|以前|之前|原来|本来|过去|曾经|原先|从前|原本|早先|小时候|年轻时|去年)"
_NOW = r"(?:现在|如今|以后|今后|往后|最近|目前|后来|今年|这阵子|这段时间|从现在起|从今天起|而家|依家|近来)"
_GONE = r"(?:戒|卖|退|取消|扔|停|送人|注销|断|换|辞|退|离|搬走|丢|删|撤|放弃|腻|报废|处理|关|退订|分手)"
_TURN = (
    r"(?:改|换|转|变|调|升|跳|搬|切|挪|提|加(?=到)|涨(?=到)|降(?=到)|减(?=到)|缩(?=到))(?:行|职|"
    r"岗|槽|学|校|班|用|喝|吃|听|看|坐|走|开|住|穿|做|当|练|学|去|搭|"
    r"骑|打|买|订|上|读|叫|发|养)?(?:成|为|到|去|做|回|当|的是|了|至|在|是|作)*"
)
_OLD_ZH = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:从|由|打)(?P<v>[^,]{1,12}?)(?:出来|跳|换|搬|转|改|离|辞|调|升|毕业|退|切|变|降|涨|提)",
        rf"{_PAST}(?:我|我们|都|一直|是|总|老|爱|最|很|挺|超|特别|每天|天天|说|的|在|那个?|"
        rf"那家)*{_V}*(?P<v>[^,]{{1,14}})",
        r"(?:^|,|我)(?:把|将)?(?:那[辆台个只家部]|这[辆台个只家部]|原来的?|以前的?|之前的?|旧的?|"
        rf"老的?)?(?P<v>[^,我把将]{{1,10}}?)(?:我|已经|早就|早|都|就|全|给|也|彻底|上个?月|去年|"
        rf"终于)*(?<!外){_GONE}(?:掉|"
        r"订|了|光|干净)*了",
        rf"(?:^|,|我|已经|早就|终于){_GONE}(?:掉|订)?了?(?P<v>[^,了]{{1,10}}?)(?:了|,|$)",
        rf"(?:(?:不|唔)再|再也不|再也唔|不(?=[^,]{{1,12}}[了喇啦])|唔(?=[^,]{{1,12}}[了喇啦])|不(?:是|在|叫|姓|做|"
        rf"当|用))(?:怎么|想|太|爱|敢|能|需要|要|好|会|养|上|做|当|在|去|是|叫)*{_V}*(?P<v>[^,了]{{1,12}}?)(?:了|"
        r"喇|啦|,|$)",
        rf"(?<![特分区性个级离告])(?:别|不要|甭|不用|唔好)(?:再)?(?:给我|帮我)?{_V}*(?P<v>[^,了]"
        rf"{{1,12}}?)(?:了|喇|啦)",
        r"(?:^|,)(?P<v>[^,我]{1,10}?)(?:太|不行|不好|受不了|吃不消|没意思|有点)[^,]{0,6}",
    )
)
_NEW_ZH = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:,|^)(?:我)?(?:只|光|净|改|就只|天天|整天)(?:能|想|爱)?{_V}(?P<v>[^,]{{1,12}})",
        rf"{_NOW}(?P<v>[^,]{{1,8}}?)(?:也|都)+(?:可以|能吃|行|OK|吃|喝)",
        r"(?:,|^)我?(?:吃|食|喝|饮|听|看|坐)(?P<v>[^,]{1,8}?)(?:比较|得)?(?:多|为主)(?:了|$)",
        rf"{_TURN}{_V}?(?P<v>[^,]{{1,16}})",
        r"新(?:的|换的|买的|提的|号码?|地址|车|家|公司|单位|工作|手机|东家|办的)(?:是|在|叫|"
        r"就是)?(?:在)?(?P<v>[^,]{1,16})",
        rf"{_NOW}(?:我|我们|自己|家里|都|就|只|改|已经|是|全|主要|一般|天天|每天|更|最|比较|反而|反倒|开始|基本|"
        rf"直接)*(?:{_TURN}|{_V})+(?P<v>[^,]{{1,16}})",
        rf"(?:迷上|爱上|入坑|入了|开始|喜欢上|升|当上|做返|转做|考上|进了|入职|加入)了?{_V}?(?P<v>[^,]{{1,12}})",
        rf"{_NOW}(?:我|家里|自己|都|就|只|改|已经|全|主要|更|最|比较|反而|变)*(?P<v>[^,]{{2,12}})",
        rf"(?:,|^)(?:就|都|给我|帮我|我)*{_V}(?P<v>[^,]{{1,12}}?)(?:吧|就行|就好|了)?$",
    )
)
_GONE_ZH = (
    re.compile(
        r"(?:^|,|我)(?P<v>[^,我把将你他她]{1,8}?)(?:我|已经|早就|早|都|全|也|彻底|终于)*(?<!外)(?:戒|"
        r"退|取消|退订|注销|"
        r"断)(?:掉)?了(?!吗)"
    ),
    re.compile(r"(?:我|已经|早就|终于|刚)(?:戒|退订|取消|放弃|告别)(?:掉)?了?(?P<v>[^,了]{1,8}?)(?:了|,|$)"),
    re.compile(
        r"^(?P<v>[^,我把将你他她这那]{2,8}?)我?(?:已经|早就|早|现在|以后|再也|真的|也|都)*不(?:打|吃|"
        r"喝|看|听|玩|练|抽|跑|去|追|用|学|养|跳|坐|碰|穿)了(?!吧|吗)"
    ),
    re.compile(rf"(?:^|,|我)(?:已经|早就|现在|以后|都|也)*不再{_V}+(?P<v>[^,了]{{1,10}}?)(?:了|,|$)"),
)
_CHANGED_ZH = re.compile(
    rf"{_PAST}|{_NOW}|戒|卖|退|取消|换|改|转|搬|不再|别再|再也|早就|已经|升|辞|离职|离婚|变|调|迷上|放弃|唔再|送人|"
    r"注销|跳槽|跳到|新的|了,"
)
_NO_SIDE_ZH = re.compile(
    r"^(?:基本|就|了|的|是|我|你|他|她|它|这|那|什么|怎么|谁|一[首个下点次]|班|行|槽|号|工作|家|车|人|地方|主意|"
    r"想法|意思|心|上了|下来|过来|回来|起来|没有|在|有|到|时间|多少|几|完|起|懂|对|好|错|能|会|要|想|去|来|做|吃|"
    r"喝|听|看|走|用|得|着|过|一样|常|同|断|天|上|习惯|口味|环境|小孩|接受)$|不完$|"
    r"^.$(?<![辣甜酸苦咸糖茶酒肉鱼虾蟹葱姜蒜醋奶蛋冰烟猫狗粥面饭汤豆水荤素牛羊猪鸡鸭])"
)
_PLAN_ZH = re.compile(
    r"打算|准备|考虑|想要?换|想改|要不要|会不会|是不是|如果|要是|以后想|计划|可能|说不定|今天|这次|明天|下周|"
    r"下个?月|刚才|换一[首个下换]|换首|换个|换点|转发|转账|换乘|换季|改天|变天|改签|调大|调小|调高|调低|搬家公司|"
    r"搬东西|吃饱|饱了|不饿|来不及|赶时间|下雨"
)


def _phrase_zh(words: str) -> str:
    thing = re.sub(
        rf"^(?:{_V}(?=..)|成|为|到|了|的|那[辆台家个只]|这[辆台家个只]|把|将|再|给我|帮我|我|还|也|更|比较|爱|最|"
        r"做返?|行|改|换|就|都|只)+",
        "",
        phrase_zh(words),
    )
    thing = phrase_zh(thing)
    return "" if _NO_SIDE_ZH.search(thing) else thing


def slots_zh(clause: Clause) -> Iterator[Candidate]:
    """Yield the change of a whole Chinese sentence that names both of its sides."""
    said = clause.text
    if not _CHANGED_ZH.search(said) or _PLAN_ZH.search(said) or is_of_others_zh(clause) or clause.subject == "other":
        return
    if clause.asserted and not clause.one_off:
        yield from list(_composed(clause, _OLD_ZH, _NEW_ZH, _phrase_zh)) or _over(clause, _GONE_ZH, _phrase_zh)
