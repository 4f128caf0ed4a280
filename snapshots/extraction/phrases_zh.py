"""Object phrases of Chinese: from the characters behind a frame to what they name, cut where the name ends."""

import re

from snapshots.extraction.policy import EXTRACTION

_NUMBER = r"(?:[一二两三四五六七八九十几好多半]+|\d{1,3})"
_MEASURE = (
    r"(?:大杯|小杯|中杯|大份|小份|个|杯|碗|份|壶|包|盒|把|本|部|首|双|瓶|条|遍|页|罐|块|盘|顿|串|桶|台|张|套|件|枚|"
    r"颗|家|间|只|场|集|期|口|位|样|种|类|趟|圈|袋|片|根|点儿?|些|下|会儿?)"
)
_HEAD = re.compile(
    r"^(?:凡是?|(?:我|俺)?(?:妈|奶奶|外婆|姥姥|爸|媳妇|老婆|阿姨)(?:包|做|煮|炒|炖|腌|烧)的|了|着|过|到|"
    rf"的|那种|这种|一种|那类|那个|这个|那家|这家|那款|这款|[那这]{_NUMBER}?{_MEASURE}|"
    rf"{_NUMBER}{_MEASURE}|{_MEASURE}(?=[\u3400-\u9fffA-Za-z]{{2}})(?<=[份杯碗壶]).?|"
    r"各种|所有|任何|一切|一点|有|带|含|再|多|放|些|上次|同一|附近的?|楼下的?|自己|我们?的?|咱们?的?|还是|比较|"
    r"特别|非常|[\s\"'《“「:])+"
)
_END = re.compile(
    r"[,,。;!!??~]|的时候|时候|(?<=..)(?:就|都|才|也|会|因为|而且|但|所以|不然|否则|省得|免得|毕竟|反正|为了|来着|"
    r"哈哈|多一点|多点|一点|这一?口|这一?类|之类|什么的|这些|那些|这种|那种|那股|的味|那类|"
    r"的话|[看吃喝听用玩走买去坐穿]得|已经|实在|真的|特别|太|最|更|比较|再|给我|帮我|我(?!的)|你|"
    r"不(?!锈|粘|倒|辣|甜|加|含|对称))|"
    r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
)
_TAIL = re.compile(
    r"(?:的|了|着|吧|啊|呀|呢|哦|喔|哈|啦|嘛|呗|哟|噢|咯|喽|唷|㗎|架|囉|得|这东西|这玩意儿?|那玩意儿?|东西|就行|"
    r"就好|即可|就可以|为主|居多|比较多|偏多|优先|谢谢|上|里|时|系列|那样|一样|[\s!。.~,'\"》”」])+$"
)
_EMPTY = re.compile(
    r"^(?:[你您他她它咱这那此啥我给把跟前后等]|什么|谁|自己|别人|大家|人家|一次|一下|一看|想|觉得|问|知道|被|"
    r"不(?!锈|粘|倒翁|加|含|辣))|[你您他她它]|(?:的事|的感觉|起来|下去|不了|不完)$|的人(?!.*[^少多好]$)|"
    r"[^不]不[^锈粘倒辣加含]|"
    r"^(?:东西|事|事儿|事情|时候|地方|人|的|了|没|是|有|在|说|会|要|能|就|都|也|还|班|床|夜|话|车|错|完|死|问题|"
    r"起来?|下来?|出来?|过来?|回来?|进去?|点|办法|意思|感觉|样子|怎么|为什么|哪.{0,2}|几|多少|太|很|真|个|家|路|"
    r"再问|多|少|光|一样|一点|上班|下班|睡觉|吃饭|回家|出门|起床)$|"
    r"^[\d.]+$"
)
_LIST = re.compile(
    r"[、/]|以及|同(?![事学时样一])|还有|或者|或|跟|与|及|(?<![温平柔缓随暖饱总调])和(?![牛服平谐弦田果])"
)
PLAIN = frozenset("生淡麻辣甜酸苦咸糖茶酒肉鱼虾蟹葱姜蒜醋奶蛋冰烟猫狗粥面饭汤豆荤素牛羊猪鸡鸭")
_NO_NAME = re.compile(
    r"^(?:永远|必须|完全|老规矩|老样子|就是|只是|都是|早上|上午|中午(?!饭)|下午(?!茶)|晚上|"
    r"夜里|白天|上个?(?:周|月|礼拜|星期)|"
    r"下个?(?:周|月|礼拜|星期)|今[天晚早年]|明[天早儿]|昨[天晚]|现在|以后|以前|平时|平常|浑身|"
    r"每[次天回]|怎么|因为|所以|但是?|如果|"
    r"要是|只要|只有|还是|真的|其实|反正|有时候?|偶尔|经常|从来|一直|[很挺蛮]|所有|任何|跟|和|"
    r"与|对|往|替|向|尽量|回那|天天)"
    r"|^一(?:口|滴|点儿?|下|次|场|般|个|样|会儿?)$|[我你您咱]|(?<![吉其])[他她]|给|[\u3400-\u9fff]得(?=.)|(?<!一)不$|"
    r"(?<=.)(?:都(?=[不是得要没放会能可])|就(?=[不是要会能心好行去想])|也(?=[不是要会能没])|"
    r"了(?=[\u3400-\u9fff]))|[吗呢吧]$|比[这那我]|"
    r"^(?:送货|上课|开会|出差|开车|出门|走路)$"
)
"""Closed-class words that open a clause or stand inside one: what holds them is a piece of a clause, not a name."""
_MOST = 8


def names_a_thing(text: str) -> bool:
    """Return whether ``text`` may be the name of something, and no piece of a clause (早上浑身, 忙得脚, 一口)."""
    return _NO_NAME.search(text) is None


def phrase_zh(text: str) -> str:
    """Return the one thing that ``text`` begins with, "" where it names none."""
    thing = _HEAD.sub("", text.strip())
    found = _END.search(thing, 1) if len(thing) > 1 else None
    if found:
        thing = thing[: found.start()]
    thing = _TAIL.sub("", thing).strip("《》“”「」\"' ")
    if not thing or len(thing) > EXTRACTION.max_thing_chars_zh:
        return ""
    if len(thing) == 1:
        return thing if thing in PLAIN else ""
    return "" if _EMPTY.search(thing) or not names_a_thing(thing) else thing
