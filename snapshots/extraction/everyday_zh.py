"""What is left of rules' findings in everyday Chinese: lasting things of the speaker, called by their names.

Rules were written for what is told to an assistant. People also tell stories, judge books and hotels, and give advice;
there the same words teach nothing. Each check here is one reason why; what it looks at is the kind of words, who is
spoken of and whether it lasts, never what the thing is.
"""

import re

from snapshots.extraction import names_zh
from snapshots.extraction.everyday_changes_zh import changes_no_object, changes_nothing
from snapshots.extraction.observe import matching_form
from snapshots.extraction.told_zh import ADDRESSED, Check, Told, told_in
from snapshots.extraction.values import Candidate
from snapshots.extraction.words_zh import subject_before, words_of

_ASKS = re.compile(
    r"我|咱|俺|本人|帮|给|请|订|推荐|安排|务必|必须|一定|别|勿|以后|导航|替|医生|大夫|过敏|忌|不能|不[要许准]|从不|绝不"
)
_OFTEN = re.compile(
    r"每(?:天|晚|早|次|周|到|回|年|日)|每个?(?:周|星期|礼拜|月)|天天|总是|经常|常常|通常|平时|一直|向来|习惯|老是|"
    r"一般(?=都|会|在|[吃喝听看走坐住买用去])"
)
_HABIT = re.compile(
    r"每(?:天|晚|早|次|周|到|回|趟|年|日)|每个?(?:周[一二三四五六日末天]|星期|礼拜|月|早上|晚上|夜班|假期)|每?逢|天天|"
    r"顿顿|回回|次次|夜夜|周周|年年|日日|晚晚|朝朝|成日|总是|总(?=[^体之共的])|老是|(?<=我)一般|^一般|"
    r"一般(?=都|会|是|就|在|要|只|我|[吃喝听看走坐住买用去穿点开选打])|基本上?(?=都|只|是)|通常|平时|平日|平常|"
    r"经常|常常|常年|常(?=[吃喝听看点走去买坐用穿])|(?<!不)(?<!不太)习惯|照旧|照例|老样子|老规矩|老三样|惯例|一直|向来|永远|从来|固定|"
    r"雷打不动|例牌|照样|第(?:[三四五六七八九十几好]|\d+|[Nn])+(?:次|回|趟|遍|[个杯份碗壶包盒把本部首双瓶条])|"
    r"[次回]有[三四五六七八九十]|十有八九|循环|离不开|少不了|隔三差五|三天两头|没断过|停不下来|"
    r"都是?(?=[去点买喝吃听看坐订住走用选挑放开搭带穿睡停])|几乎都|必(?=[点喝吃听看去买备带])|睡前|睡不着|睡得着|不厌|"
    r"一到|只要|回购|续了|续订|老地方|老位|常客|熟客|包月|年卡|月卡|连着|日常|断货|见底|烂|遍|[跟和]平时|没落|没缺|"
    r"寒假|暑假|不.{1,4}(?:不行|难受|没精神|不得劲)"
)
"""Words that make a doing a habit."""
_AGAIN = re.compile(r"又|再|还是|该|上[次回]")
_ALL = re.compile(r"全是|都是|清一色|标配|必须|都[会要得]")
"""Words of a habit only where the speaker is named."""
_WHOLE_WORD = re.compile(r"总|常|必|老是|一般|习惯|又|再|该|遍|烂|还是")
_EVENT = re.compile(
    r"第[一二两12 ][次回本遍部个]|上次|这次|那次|当时|那天|昨天|今天|今早|刚|入住(?!时)|退房|[住订买看读]了|[看读住]过|"
    r"曾|下次|当年|上个月|去年|以前|开始"
)
_PIECE = re.compile(r"[,。;!?.]")


def _of_another(told: Told) -> bool:
    """Lisa转到新兴趣小组: a name that acts is not the speaker."""
    words = words_of(told.quote)
    acts = len(words) > 1 and words[1].kind.startswith(("p", "d", "c", "v"))
    foreign = re.match(r"[A-Z][a-z]+", told.quote) is not None and acts
    return foreign and not told.names_me and not re.search(r"帮|请|给|以后", told.quote)


def _told_by_me(told: Told) -> bool:
    """In a story, only what the speaker says of himself counts: 我, or a liking from ever."""
    liked = told.sort == "explicit" and re.match(
        r"(?:一直|从小|向来|就|也|还|都|很|最|特别|非常|比较)*(?:喜欢|喜爱|热爱|讨厌|爱|受不了|偏爱|不喜欢)", told.quote
    )
    named = any(word.kind in names_zh.PROPER for word in told.inside) and len(told.inside) > 1
    return told.of_me or bool(liked and (named or re.search(r"一直|从小|向来|最", told.before)))


def _not_mine_in_a_story(told: Told) -> bool:
    return told.telling and not _told_by_me(told)


def _once_in_a_story(told: Told) -> bool:
    return told.telling and told.sort != "explicit" and _EVENT.search(told.quote) is not None


_PERSON = re.compile(
    r"的(?:朋友|人|同学|读者)|(?:朋友们?|的人|年轻人|人们|同学们?|读者|网友|小朋友|孩子|家长|者|女孩|男孩|客人|顾客|儿子|女儿|作者)$"
)
_OCCASION = re.compile(r"餐|饭|周末|茶|咖啡|酒|歌|电影|音乐|夏|冬|春|秋|座|车|口味|个人|人家")


def _people_liked(told: Told) -> bool:
    """喜欢清穿小说的朋友 speaks to people; 农民热爱土地 speaks of them."""
    if _PERSON.search(told.value) or re.match(r"的?(?:朋友|人|同学|读者|网友)", told.behind):
        return True
    subject = subject_before(words_of(told.quote), told.at)
    if subject is None or told.names_me or _OCCASION.search(subject.text):
        return False
    likes = re.match(
        r"(?:们|都|也|很|最|就|从小|一直|特别|非常|比较)*(?:不?喜欢|热爱|喜爱|爱)", told.quote[subject.end : told.at]
    )
    return likes is not None


def _of_this_one(told: Told) -> bool:
    """这种风格, 作者的文笔, 服务没得说: the book or the room at hand is praised, no kind of thing."""
    if re.search(r"[这那](?:种|只|个|本|家|款|样|位|些|部|首)$", told.before) and told.key in {"likes", "dislikes"}:
        return True
    if re.search(r"没得说", told.quote) and not told.of_me:
        return True
    return names_zh.is_part_of_a_thing(told.value, told.inside)


def _says_how(told: Told) -> bool:
    """差距很大 is a sentence."""
    return any(word.text in {"很", "太", "非常", "十分"} for word in told.inside)


def _part_of_a_clause(told: Told) -> bool:
    """喜欢爱德华给我带来的感觉 names no 爱德华; 我喜欢的风格 tells of something else."""
    if told.key not in {"likes", "dislikes", "interests"}:
        return False
    the_liked = told.before.endswith("的") and "最" not in told.before
    cut = re.search(r"欢|爱|迷", told.before) and re.match(r"[^,]*的[^,的]|就去", told.behind)
    return bool(the_liked or told.before.endswith("着") or cut)


def _not_now(told: Told) -> bool:
    """What was liked before, what is better of two in a story, what somebody else should rather do."""
    if re.search(r"以前|曾经|小时候|当年", told.quote) and told.key != "wishes" and "现在" not in told.quote:
        return True
    if told.telling and re.search(r"更喜欢|更爱", told.quote):
        return True
    return bool(re.search(r"宁[可愿肯]|情愿", told.quote)) and not told.of_me


def _nobodys_wish(told: Told) -> bool:
    """家具都要搬走 asks nothing of an assistant; 有机会再来 is no standing wish."""
    if told.key != "wishes":
        return False
    asked = told.names_me or re.search(r"以后|给|帮|默认|一律|统一|永远|始终", told.quote)
    return "有机会" in told.quote or (told.inside[0].kind.startswith("v") and not asked)


def _no_habit(told: Told) -> bool:
    """Without a whole word that makes it a habit it is something that was done: 第一次买, 总裁, 写字楼."""
    if told.key not in {"likes", "habits"}:
        return False  # a setting asked for once is seen, too: 把空调调到26度
    words = words_of(told.message)
    starts, ends = {word.start for word in words}, {word.end for word in words}

    def stands(cue: re.Match[str]) -> bool:
        whole = cue.start() in starts and (len(cue.group()) > 1 or cue.end() in ends)
        return whole or not _WHOLE_WORD.match(cue.group())

    if any(stands(cue) for cue in _HABIT.finditer(told.message)):
        return False
    if any(stands(cue) for cue in _AGAIN.finditer(told.message)):
        return _only_still(told)
    return not (told.mine and _ALL.search(told.message))


def _only_still(told: Told) -> bool:
    """还是个办公楼, 还是装了: after all, not as ever."""
    if re.search(r"老|那|上[次回]|又|再|该", told.message):
        return False
    after_all = re.search(r"还是(?:个|有|要|比较|会|很|没|[^,]{0,8}(?:了|的)$)", told.quote)
    return bool(after_all or re.match(r"的(?:$|,)|.{0,8}好$|了", told.behind))


def _habit_of_a_story(told: Told) -> bool:
    piece = next((part for part in _PIECE.split(told.quote) if told.value in part), told.quote)
    return told.telling and not (told.of_me and _OFTEN.search(piece))


def _one_event(told: Told) -> bool:
    often = _OFTEN.search(told.quote) or re.search(r"第[三四五六七八九十\d]|又|[上这]次那", told.quote)
    return _EVENT.search(told.quote) is not None and not often


def _anybodys_doing(told: Told) -> bool:
    """不管多难都要坚持, 手机离不开充电器, 总裁做了报告: said of everybody, or of a thing."""
    verb = told.inside[0].kind in {"v", "vn"} and len(told.inside) < _CLAUSE_LIKE
    advised = re.search(r"一定要|应该|要坚持", told.before) or (verb and re.search(r"(?:要|必须|得)$", told.before))
    if advised and not told.mine:
        return True
    subject = None if told.names_me else subject_before(words_of(told.quote), told.at)
    return subject is not None and bool(
        re.search(r"离不开|少不了|做了|打扫|(?<![还都总就只也老])是", told.quote[subject.end : told.at])
    )


_CLAUSE_LIKE = 3
"""Words of a value: fewer are a mere verb."""


_URGED = re.compile(r"必须|务必|一定|以后|帮|给|请|每次|记得|只(?![有能])")
_ORDERED = re.compile(
    r"酒店|房间|座位?|餐厅|饭店|外卖|菜|奶茶|咖啡|航班|机票|高铁|民宿|房子|饭|汤|饮料|饮食|口味|路线|停车|鞋|[吃住用]的|[少去无微免走][盐油糖辣冰甜葱]"
)
"""What people have others choose for them: 酒店要安静的 is a wish though nobody is named."""


def _general_truth(told: Told) -> bool:
    """租房要付押金, 汽车需要燃料: what is so for everybody is no requirement of the speaker."""
    if told.key != "requirements":
        return False
    kind = told.inside[0].kind
    must = not kind.startswith("v") or re.search(r"必须|一定|务必", told.quote)
    if _ORDERED.search(told.message) and must and not told.telling:
        return False
    if not _ASKS.search(told.message) or (
        kind.startswith(("v", "d")) and not told.mine and not _URGED.search(told.message)
    ):
        return True
    return (told.telling and kind.startswith(("v", "a", "m"))) or (
        re.search(r"只有(?:是)?$", told.before) is not None and not told.of_me
    )


def _shuns_nothing(told: Told) -> bool:
    """扩展口太少, 键盘不耐脏, 菜都不行: a judgment, not a refusal."""
    if told.key == "allergies":
        denied = r"(?:其实|并|根本|真的|已经|现在|也|都)*不(?:再|会|怎么|太)?过敏|过敏的人?(?:又|并|可|其实)?不是我"
        return re.match(rf"不耐[^受,]|不干净|最敏感|{denied}", told.behind) is not None
    if not told.key.startswith("avoid"):
        return False
    if re.match(r"第\d", told.value) or re.match(
        r"太?少(?![吃喝放碰加])|不[耐方便好]|都?别?[^,]?(?:喝多|吃多)", told.behind
    ):
        return True
    if re.search(r"都不行$", told.behind) and not told.mine:
        return True
    if names_zh.is_too_wide(told.value):
        return True
    advised = re.search(r"别|不要|勿|禁", told.quote)
    return told.inside[0].kind == "v" and len(told.value) > 1 and not told.names_me and not advised


def _bounds_nothing(told: Told) -> bool:
    """24小时之内完成, 好一点, 上课时不要说话: a fact, an adverb, a rule for everybody."""
    if told.key.endswith("limit"):
        return not _ASKS.search(told.message) and not re.search(
            r"不[要能许准]|最多|预算|上限|控制|封顶|不超|别|以内|[限净]", told.quote
        )
    if not told.key.endswith(("_time", "_hours")):
        return False
    if told.value in {"一点", "两点"} and not re.search(r"[早晚上下中凌半]|钟", told.quote):
        return True
    return not told.mine and not re.search(r"打扰|静音|通知|提醒|电话|会议|开会|约|消息|推送|叫|别|勿", told.message)


def _no_place(told: Told) -> bool:
    """我住的大床房, 入住三楼, 医院在前边: somebody stays there for a night, or points."""
    if told.sort == "tag":
        here = told.at >= 0 and all(word.kind in {"f", "s", "r"} for word in told.inside)
        anybodys = not told.mine and not re.search(
            r"家|公司|单位|宿舍|\d|[一二三四五六七八九十][号楼层]|电话", told.quote
        )
        return "入住" in told.quote or here or anybodys
    kind = told.inside[0].kind if told.inside else ""
    if told.key == "city":
        passing = re.search(r"还住|以后", told.quote) or re.search(r"房|酒店|里面", told.value)
        return bool(passing) or kind.startswith(tuple("tdvfmrpu"))
    refused = {"employer": ("d",), "hometown": ("t",), "workplace": ("v",)}
    return kind.startswith(refused.get(told.key, ("?",)))


_ALWAYS: tuple[Check, ...] = (_of_another,)
_CHECKS: dict[str, tuple[Check, ...]] = {
    "change": (changes_nothing, changes_no_object),
    "implicit": (_says_how, _no_habit, _habit_of_a_story, _one_event, _anybodys_doing),
    "explicit": (
        _says_how,
        _not_mine_in_a_story,
        _people_liked,
        _of_this_one,
        _part_of_a_clause,
        _not_now,
        _nobodys_wish,
    ),
    "constraint": (_not_mine_in_a_story, _once_in_a_story, _general_truth, _shuns_nothing, _bounds_nothing),
    "profile": (_not_mine_in_a_story, _once_in_a_story, _no_place),
    "tag": (_not_mine_in_a_story, _no_place),
}


def is_the_speakers(candidate: Candidate, message: str) -> bool:
    """Return whether ``candidate``, which Chinese rules found in ``message``, is the speaker's, lasts and is named."""
    told = told_in(candidate, matching_form(message))
    asked = {"change": True, "constraint": _ASKS.search(told.message) is not None}.get(told.sort, False)
    plain = not told.telling and (asked or ADDRESSED.search(told.message) is not None)
    if not plain and not names_zh.is_name(told.quote, told.values, told.replaces, sort=told.sort, key=told.key):
        return False
    taste = (_people_liked, _part_of_a_clause, _not_now) if told.key == "interests" else ()
    return not any(check(told) for check in (*_ALWAYS, *_CHECKS[told.sort], *taste))
