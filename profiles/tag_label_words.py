"""The words for places and people of tags, in both languages, and the neighbours that change their meaning."""

from collections.abc import Mapping

from memory_platform.kernel.text import to_comparable


def _split_alternatives(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.replace("\n", " ").split("|") if word.strip())


def _parse_guards(text: str) -> dict[str, frozenset[str]]:
    """Return ``{word: neighbours}`` of lines such as ``office: 365 | supplies``."""
    lines = (line.partition(":") for line in text.strip().splitlines())
    return {word.strip(): frozenset(_split_alternatives(neighbours)) for word, _, neighbours in lines}


_PLACES = """
home|house|my place|apartment|my flat|where i live|家|家里|我家|家庭住址|住处|住所|住址|住的地方
work|office|workplace|company|job|my work|公司|单位|办公室|上班|上班的地方|工作单位|工作的地方|写字楼
school|campus|学校|校园
gym|fitness center|fitness centre|健身房|健身中心
hospital|clinic|医院|诊所
airport|机场
kindergarten|daycare|nursery|幼儿园|幼稚园|托儿所
supermarket|grocery store|超市
parking|parking lot|car park|garage|停车场|车库|停车位|车位
hometown|老家|家乡|故乡
"""
_PEOPLE = """
mum|mom|mommy|mummy|mother|mama|mam|妈|妈妈|老妈|老妈子|母亲|娘亲|妈咪|娘家
dad|daddy|father|papa|爸|爸爸|老爸|父亲|爹|老爹
parents|folks|爸妈|父母|爸爸妈妈
wife|wifey|spouse|partner|老婆|妻子|太太|媳妇|媳妇儿|爱人
husband|hubby|spouse|partner|老公|丈夫|爱人
mother-in-law|mother in law|婆婆|岳母|丈母娘
father-in-law|father in law|公公|岳父|老丈人
grandma|grandmother|granny|nana|奶奶
grandma|grandmother|granny|nana|外婆|姥姥|外祖母
grandpa|grandfather|granddad|爷爷
grandpa|grandfather|granddad|外公|姥爷|外祖父
son|儿子
daughter|女儿|闺女
brother|哥哥|哥|老哥
brother|弟弟|老弟
sister|姐姐|姐|老姐
sister|妹妹|老妹
girlfriend|partner|女朋友|女友|对象
boyfriend|partner|男朋友|男友|对象
fiancé|fiance|fiancée|fiancee|partner|未婚夫|未婚妻
boss|manager|老板|领导|上司
doctor|医生|大夫
teacher|老师
driver|司机
"""

# Words for one place or person; a word on two lines means either.
SYNONYMS = tuple(frozenset(_split_alternatives(line)) for line in (_PLACES + _PEOPLE).splitlines() if line)

SYNONYMS_OF: Mapping[str, frozenset[str]] = {
    word: frozenset().union(*(group for group in SYNONYMS if word in group)) for group in SYNONYMS for word in group
}

HOMES, WORKPLACES = SYNONYMS[0], SYNONYMS[1]
OF_HOUSES = ("家", "'s place", "'s house", "'s home")

# Words for people with a possessor: "his mum" is not the subject's own.
PEOPLE = frozenset(word for line in _PEOPLE.splitlines() for word in _split_alternatives(line))

# After these words it belongs to somebody else.
OTHERS = PEOPLE | frozenset(
    _split_alternatives(
        """你|您|他|她|它|你们|他们|她们|人家|别人|谁|人|朋友|同事|同学|邻居|亲戚|客户|闺蜜|室友|叔叔|阿姨|舅舅|姑姑|姨妈|表哥|
        表姐|his|her|their|your|someone|somebody|everyone|whose"""
    )
)

OTHERS_END = _split_alternatives("总|姐|哥|叔|姨|婶|爷|老师|先生|女士|同学|阿姨|叔叔|教练|经理")
NAMES_BEGIN = _split_alternatives("小|老|阿")

# Characters before a word that jieba may have joined to it: 回家, 我妈, 离公司.
BEFORE_HAN = frozenset("回到去在离往从我咱俺想来返归送带至朝奔给跟和找问向叫")

# Characters after a word that jieba may have joined to it: 家里, 妈那.
AFTER_HAN = frozenset("里那边儿吧了呢吗啊呀的门口这要")

# Before these endings 家 is the measure word: 去家餐厅.
COUNTS_A_HOUSE = _split_alternatives("店|馆|厅|院|吧|城|场|超市|公司|酒店|民宿|餐厅|商场|银行|咖啡")

# Words that may precede a place that is meant.
LEADS = frozenset(
    _split_alternatives(
        """回|到|去|在|离|往|从|我|咱|我们|咱们|俺|先|再|就|要|想|直接|马上|现在|今天|明天|晚上|早上|下班|然后|顺路|导航|导航到|
        导航去|打车|叫车|开车|骑车|坐车|坐地铁|步行|走路|路过|经过|通勤|出发|送|接|带|送我|带我|送我到|送我去|带我去|带我到|接我|
        回到|我要|我想|想要|帮我|请|给|跟|和|同|问|找|联系|呼叫|拨打|打给|打电话给|打电话|电话|发给|通知|告诉|叫|约|寄到|送到|寄|
        把|距离|附近|
        navigate|go|going|drive|take|bring|to|at|from|near|nearby|towards|my|the|our|head|heading|get|getting|back|call|ring|
        phone|text|message|ask|tell|dial|route|directions|way|leave|leaving|commute|reach|contact|visit|return|please|via"""
    )
)

# Words that may follow a place that is meant.
FOLLOWERS = frozenset(
    _split_alternatives(
        """address|phone|number|please|now|today|tomorrow|tonight|this|by|and|then|from|via|at|in|traffic|parking|location|
        quickly|later|again|first|after|before|is|s|who|because|as|the|to|right|asap|soon|
        附近|那|那边|那里|的|地址|电话|吧|了|吗|要|需要|多久|怎么|接|拿|到|去|开会|楼下|门口|有|堵|堵车|路上|周边|旁边|现在|今天"""
    )
)

# Words that mean a place only between LEADS and FOLLOWERS.
AMBIGUOUS = frozenset(_split_alternatives("work|company|job|单位|公司|办公室|上班"))

# These are no place even as the first word of a query: "work is hard", "上班好累".
NEEDS_LEAD = frozenset(_split_alternatives("work|company|job|上班"))

# Before "to work" these mean the way there; "get this to work" does not.
MOVES = frozenset(
    _split_alternatives(
        "go|going|drive|driving|navigate|get|way|route|head|heading|directions|back|me|commute|traffic|time"
    )
)

# Words after it that change its meaning.
NOT_BEFORE = _parse_guards(
    """
    home: screen|page|depot|button|improvement|loan|loans|insurance|run|runs|key|team|office|row|decor|goods|delivery
    house: music|party|plant|plants|of|cleaning|cat|rules|arrest|wine|representatives
    office: 365|supplies|supply|chair|furniture|depot|space|suite|hours|party|politics|software
    school: bus|of|supplies|work|uniform|holidays|holiday
    mother: board|nature|day|days|tongue|in|teresa|ship|lode
    father: day|days|christmas|in|figure|time|brown|ted
    mum: jokes
    mummy: museum|museums|returns|movie|movies|film|tomb|tombs|exhibit|exhibition|costume|curse|case|mask
    partner: with|up|program|programme|company|store|network|portal|yoga|dance
    对象: 存储|编程|模型|数据库|是|类型|的属性
    家: 作业|功课|园|教
    娘家: 人
    dad: joke|jokes|bod|rock
    brother: in|printer|printers
    sister: in|company|city|act|ship
    son: in|of
    daughter: in
    doctor: who|strange
    单位: 换算|面积|价格|时间|元|向量|矩阵
    公司: 法|注册|股票|财报|债|上市
    妈: 的
    """
)

NOT_BEFORE["home"] |= frozenset(
    _split_alternatives(
        """made|town|theater|theatre|alone|automation|assistant|economics|game|games|cooked|cooking|brew|base|equity|owner|owners|
        schooling|school|workout|appliance|appliances|security|devices|remedies|remedy|movie"""
    )
)

# Words before it that change its meaning.
NOT_AFTER = _parse_guards(
    """
    home: nursing|funeral|motor|care|mobile|smart|second|holiday|retirement|google|tv|no|in
    house: white|open|full|opera|publishing|auction|coffee|steak|haunted|tree|clearing
    office: post|box|microsoft|ms|libre|open|oval|home|tax|patent|ticket
    school: old|film|law|night|driving|swimming|cooking|after|art|new
    mother: step|god
    mummy: the|a|an|egyptian|ancient|this|that|royal|scorpion
    partner: business|training|dance|tennis|sparring|trading|senior|managing|a|design|study|gym|running|climbing|channel
    对象: 面向|研究|调查|服务|采访|攻击|怀疑|这个|一个|介绍|找|相亲
    father: step|god
    doctor: spin|witch
    家: 找|换|选|挑|某|另
    """
)

# Words of a query that do not help to find the tag.
EMPTY_WORDS = LEADS | frozenset(
    _split_alternatives(
        """pick|up|me|for|and|with|set|find|where's|where|is|by|then|i'm|let's|ok|hey|a|an|of|on|it|can|could|you|i|want|need|would|like|how|long|far|what|there|s|place|
        的|了|吗|吧|呢|啊|一下|怎么|走|多远|多久|那|那里|那边|这|最近|去哪|哪|打|号码|地址|位置|路线|有|没有|是|也|都|很|好"""
    )
)


def list_synonyms(word: str) -> frozenset[str]:
    """Return other names of a place or person, in either language: wife, 老婆 ... for "spouse"."""
    return SYNONYMS_OF.get(to_comparable(word), frozenset())
