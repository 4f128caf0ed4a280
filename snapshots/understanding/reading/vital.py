"""Clauses that are vital by their words alone, and clauses that name an illness and are not: denied, over, a joke, an
order.

A vital note stands in every prompt, so it must be what it says. A denial must govern the harmful thing: "I can't have
dairy" and 不能吃虾 are limits, "I don't have asthma" is none.
"""

import re

from memory_platform.kernel.text import visible
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.links import has_link

# What somebody may have or not have: a condition, not what it asks for.
_CONDITION_EN = (
    r"(?:allerg\w+|anaphyla\w+|intoleran\w+|coeliac|celiac|diabet\w+|asthma\w*|epilep\w+|seizures?|cancer|hypertension|"
    r"arthritis|migraines?|depress\w+|bipolar|adhd|autis\w+|dyslexi\w+|deaf|blind|pregnan\w+|pacemaker|"
    r"high blood pressure|heart (?:condition|disease|problems?)|hernia|ulcer|eczema|gout|anaemi\w+|anemi\w+)"
)
_MEDICINE_EN = (
    r"(?:metformin|warfarin|apixaban|statins?|insulin|inhalers?|pills?|tablets?|meds?|medications?|medicines?|"
    r"blood thinners?|chemo|antidepressants?|beta blockers?|epi-?pens?|hearing aids?|crutches|\w+(?:pril|"
    r"olol|sartan|statin|azole|cillin))"
)
_CONDITION_ZH = (
    r"(?:过敏|不耐受|糖尿病|高血压|低血压|哮喘|癫痫|心脏病|痛风|"
    r"甲亢|甲减|抑郁症?|双相|偏头痛|关节炎|乳糜泻|蚕豆病|怀孕|癌|自闭症?|色盲|夜盲|肾病|肝病|贫血)"
)
_STILL = re.compile(
    r"\b(?:still|ever since|to this day|again|even now)\b|至今|还是|仍|一直到?现在|到现在|又犯|复发", re.IGNORECASE
)
_DENIED = re.compile(
    rf"\b(?:don't|doesn't|do not|does not|didn't|haven't|hasn't|have never|has never|never|not|isn't|"
    rf"aren't|ain't|no|without|"
    rf"free of|nor)\s(?:(?:have|has|had|got|get|suffer(?:ing)? from|be|been|an?|any|known|really|even|"
    rf"actually|my|more|food|drug|"
    rf"type|\d|\w+ly)\s){{0,4}}{_CONDITION_EN}"
    rf"|\b(?:nobody|no ?one|none|neither)\b.{{0,40}}?\b{_CONDITION_EN}"
    rf"|\b(?:don't|doesn't|do not|does not|never) (?:\w+ )?(?:take|use|need|be on|have) (?:any |my |"
    rf"the )?(?:\w+ )?{_MEDICINE_EN}\b"
    r"|\ballergic to (?:nothing|none|no ?one|nobody)\b"
    rf"|(?:没有?人|(?<!有)没有?|(?<!要)不(?!能|可|得|可以)|无|从没有?|并非|不是|未)(?:得过?|有|患过?|曾)?(?:对[^,。]{{1,10}})?(?:任何|什么|药物|食物|花粉|会|算|怎么|再){{0,2}}{_CONDITION_ZH}",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"\b(?:no longer|not|don't|doesn't|isn't|aren't)\b.{{0,40}}\b(?:{_CONDITION_EN}|"
    rf"{_MEDICINE_EN})\b.{{0,20}}\b(?:any ?more|any longer)\b"
    rf"|(?<!can )(?<!could )\bno longer (?:have|has|take|takes|use|uses|need|needs|am|is|on|suffer\w*|"
    rf"got)?\b.{{0,24}}\b(?:{_CONDITION_EN}|{_MEDICINE_EN})\b"
    rf"|\b(?:{_CONDITION_EN}|{_MEDICINE_EN})\b.{{0,16}}\b(?:gone|cured|went away|cleared up|disappeared|"
    rf"a thing of the past|over now|in remission)\b"
    rf"|\b(?:outgrew|outgrown|grew out of|got over|cured of|recovered from|came off|(?:stopped|"
    rf"quit) (?:taking|using)|off)\b.{{0,24}}\b(?:{_CONDITION_EN}|{_MEDICINE_EN})\b"
    rf"|\bused to (?:be|have|get|suffer|take|use)\b.{{0,30}}\b(?:{_CONDITION_EN}|{_MEDICINE_EN})\b"
    rf"|\b(?:was|were|had)\b.{{0,20}}\b{_CONDITION_EN}\b.{{0,30}}\b(?:as an? (?:\w+ )?(?:kid|child|teen\w*|"
    rf"baby|boy|girl|toddler)|when (?:i|he|she|they|we) (?:was|were)|growing up|years ago)\b"
    rf"|\b(?:as an? (?:kid|child|teen\w*|baby|boy|girl)|when (?:i|he|she|they|we) (?:was|"
    rf"were) \w+),? .{{0,30}}\b(?:was|were|had)\b.{{0,20}}\b{_CONDITION_EN}"
    rf"|不再(?:对[^,。]{{1,10}})?(?:有|是|得)?{_CONDITION_ZH}|不再(?:需要|用|吃|服用?|打).{{0,8}}(?:药|胰岛素|双胍)"
    rf"|{_CONDITION_ZH}.{{0,6}}(?:已经|早就|都|全|彻底|完全)?(?:好了|没了|痊愈|治好|消失|康复)"
    rf"|(?:以前|曾经|过去|小时候|小学|年轻时|当年|原来)[^,。]{{0,14}}{_CONDITION_ZH}",
    re.IGNORECASE,
)
# Things of the world that are called by what they are for: a test, a cream, a season. Whoever takes them has it.
_OBJECT = re.compile(
    rf"(?<!\bon )(?<!\bmy )(?:anti-?)?\b{_CONDITION_EN}[ -](?:skin |blood |eye |awareness |relief )?(?:tests?|"
    r"checks?|pills?|tablets?|creams?|lotions?|sprays?|drops|shots?|jabs?|syrups?|seasons?|medicines?|meds|"
    r"medications?|clinics?|wards?|leaflets?|posters?|labels?|cards?|days?|weeks?|walks?|runs?|charit(?:y|ies)|"
    r"talks?|courses?|books?|documentar(?:y|ies)|study|studies|research)\b"
    r"|(?:抗|防|脱|低|不易|易)?过敏的?(?:季节?|测试|检测|检查|原|药膏?|面?霜|率|科)|(?:抗|防|脱|低|不易|易)过敏的?|"
    r"(?:哮喘|糖尿病|高血压|癌)(?:季|门诊|讲座|科普|食品|药|日|筛查|的书|保险)|(?:呼吸|心内|神经|消化|肾内|内分泌|皮肤|妇产|骨|儿|内|外)科",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(?:takes?|taking|have to take|needs?|uses?|carr(?:y|ies)|prescribed)\b"
    r"|每天|天天|每晚|每周|一直|长期|常年|得吃|要吃|在吃",
    re.IGNORECASE,
)
# What nobody's body reacts to: duties, moods, people and what they say.
_JEST = re.compile(
    r"\b(?:allerg(?:ic|y) to|intolerant (?:of|to)|diabetic from) (?:\w+ly |my |the |your |his |her |their |our |these |"
    r"this |any |all |early |bad |boring |other |stupid |hard |endless |constant |such )*(?:(?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)days?|mornings?|works?|working|jobs?|delays?|nonsense|meetings?|exercise|exercising|gyms?|drama|"
    r"people|humans|spreadsheets?|homework|chores|cleaning|housework|commitment|stress|small talk|waiting|queues?|"
    r"queuing|losing|being|doing|getting|paying|studying|taxes|bills|budgets|deadlines|emails?|politics|politicians|"
    r"bureaucracy|paperwork|traffic|weddings|romance|feelings|fun|lies|liars|stupid\w*|idiots?|fools|rules|authority|"
    r"responsibilit\w+|adulting|alarms?|alarm clocks|winter|rain|school|lectures|small print|excuses|spam|ads|adverts|"
    r"bosses|boss|exes|ex|mondays?|honesty|truth|failure|success|love|change|effort|sarcasm|small spaces|common sense|"
    r"logic|boredom|freedom|you|us|myself|everyone|everybody|mankind|men|women|strangers|questions?|talk|talking|"
    r"chatter|chat|gossip|jokes?|puns?|opinions?|advice|nagging|compliments?|criticism|phone calls?|(?:wife|husband|"
    r"mother|father|brother|sister|teacher|manager|landlord|neighbou?r|colleague|friend|flatmate|in-law)s?|"
    r"\w{3,}(?:ness|ism|ship|hood))\b(?!'s)|对(?:周[一二三四五六日末]|星期.|礼拜.|上班|工作|加班|早起|开会|运动|健身|"
    r"作业|学习|考试|老板|领导|人类|傻\w?|废话|等待|排队|迟到|拖延|家务|数学|相亲|结婚|恋爱|无聊|加班\w*|KPI|ddl|PPT|"
    r"一切|空气|钱|穷|贫穷|诚实|真话|爱情|失败|成功|努力|唠叨|八卦|闲聊|提问|问题|说教|寂寞|自由)过敏|对(?:你|您|他|她|"
    r"大家|男人|女人|小孩|同事|邻居|婆婆|老公|老婆|前任|亲戚)们?(?:的?(?:问题|提问|话|唠叨|建议|意见|笑话|关心|声音|"
    r"态度|样子|表扬|批评|八卦))?过敏",
    re.IGNORECASE,
)
_LAUGHS = re.compile(
    r"\b(?:lol|lmao|rofl|haha\w*|jk|just kidding|kidding|joking|yeah right|as if)\b"
    r"|[😂🤣🙄😜😆]|哈哈|开玩笑|闹着玩|狗头|呵呵",
    re.IGNORECASE,
)
# Something that is surely meant though the sentence laughs: it names what bodies react to.
_BODILY = re.compile(
    r"nut|peanut|shell|fish|mussel|crab|prawn|shrimp|egg|milk|dairy|gluten|wheat|soy|sesame|bee|wasp|"
    r"sting|pollen|dust|cat|dog|"
    r"latex|penicillin|aspirin|ibuprofen|kiwi|straw|花生|坚果|虾|蟹|海鲜|鱼|蛋|奶|麸|豆|芝麻|蜂|花粉|尘|猫|狗|青霉素|头孢|芒果|酒精",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"\b(?:in (?:an? |case of )?(?:any )?emergenc(?:y|ies)|emergency contact|next of kin|ice contact|(?:if|should|"
    r"in case) (?:anything|something)\b.{0,12}?\b(?:happens?|goes wrong)|if (?:i|i'm) (?:collapse|faint|pass out|"
    r"can't be reached|have (?:a|an) (?:attack|accident|seizure)|unconscious|get hurt))\b.{0,60}?(?:\b(?:call|ring|"
    r"phone|text|contact|notify|reach|get hold of|is|it's|would be)\b|:)|\b(?:call|ring|phone|text|contact|notify|"
    r"reach|get hold of)\b.{1,60}?\b(?:in an emergency|in case of emergency|in emergencies|(?:if|when|whenever|"
    r"should) (?:i|he|she) (?:faints?|collapses?|pass(?:es)? out|ha(?:ve|s) (?:a|an) (?:\w+ )?(?:seizure|attack|fit|"
    r"accident))|(?:if|should|in case) (?:anything|something)\b.{0,12}?\bhappens?)|(?:紧急联系人|紧急情况|"
    r"万一.{0,4}?出事|出了?(?:什么)?事|有(?:什么)?急事|有(?:什么)?事|紧急时候?).{0,10}?(?:是|找|打给?|联系|通知|叫|:)",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"\b(?:my|our)\s\w+|\d{3}|\b(?-i:[A-Z][a-z]+)\b|[妈爸爹娘哥姐弟妹]|老[婆公]|[丈大]夫|妻|[女男儿]友|儿子|女儿|同事|朋友|室友|邻居|\d{5}",
    re.IGNORECASE,
)
_ASKS_WHOM = re.compile(r"\b(?:who|whom|whose|contact|number|call)\b|谁|哪位|联系|打给|号码", re.IGNORECASE)
_MAY_NOT_EAT = re.compile(
    r"\b(?:can'?t|cannot|can not|mustn'?t|must not|can never|shouldn'?t|(?:is|are)n'?t allowed(?: to)?|"
    r"not allowed(?: to)?) (?:have|eat|drink|tolerate|digest|touch|go near|be near|take) (?:\w+ ){0,3}?(?:dairy|milk|"
    r"lactose|gluten|wheat|nuts?|peanuts?|cashews?|almonds?|eggs?|shellfish|prawns?|shrimps?|crab|fish|soya?|sesame|"
    r"honey|grapefruit|aspirin|ibuprofen|penicillin|nsaids|codeine|alcohol|sugar|salt|caffeine)\b|(?:不能|不可以|不许|"
    r"不得)(?:吃|喝|碰|沾|闻|用)[^,。]{0,4}(?:奶|乳制品|麸质|小麦|坚果|花生|鸡?蛋|海鲜|虾|蟹|芝麻|蜂蜜|西柚|阿司匹林|"
    r"布洛芬|青霉素|头孢)",
    re.IGNORECASE,
)
_FOOD_EN = (
    r"(?:dairy|milk|gluten|wheat|(?:pea|wal|hazel|pine|brazil )?nuts?|cashews?|almonds?|pistachios?|pecans?|eggs?|"
    r"shellfish|prawns?|shrimps?|crabs?|mussels?|oysters?|fish|soya?|sesame|celery|mustard|kiwis?|strawberr(?:y|ies)|"
    r"aspirin|ibuprofen|penicillin|amoxicillin|codeine|latex|(?:bee|wasp|hornet)s?(?: stings?)?)"
)
_FOOD_ZH = (
    r"(?:花生|坚果|核桃|腰果|杏仁|牛?奶|乳制品|麸质|小麦|鸡?蛋|海鲜|虾|蟹|鱼|"
    r"芝麻|大豆|芒果|猕猴桃|阿司匹林|布洛芬|青霉素|头孢|蜂|酒精)"
)
_WHOM_EN = r"(?:me|him|her|us|them|one of us|(?:my|our) \w+)"
# Something that bodies react to would kill whoever takes it. Traffic and spreadsheets do not.
_MAY_KILL = re.compile(
    rf"\b{_FOOD_EN}\b(?: (?:or|and) \w+)?(?:,? \w+ly)? (?:(?:can|could|will|would|might|may|nearly|almost|has|have) "
    r"(?:\w+ly )?(?:kill|killed|hospitali[sz]ed?|be the (?:death|end) of)|"
    rf"(?:can|could|will|would|might|may) (?:\w+ )?(?:put|send|land)) {_WHOM_EN}\b"
    r"|\b(?:could|can|will|would|might|may|nearly|almost) (?:\w+ly )?"
    r"(?:die|died|end up in (?:hospital|the er|a&e)|go into (?:anaphyla\w+ )?shock) "
    rf"(?:from|of|because of|after|with|if \w+ (?:eats?|touch(?:es)?|has|have)) (?:\w+ ){{0,3}}?{_FOOD_EN}\b"
    rf"|{_FOOD_ZH}[^,。;]{{0,4}}(?:会|能|可能|差点|要)[要送]?了?(?:我|他|她|人)们?的?命"
    rf"|[吃碰沾闻喝用打叮蜇][^,。;]{{0,4}}{_FOOD_ZH}[^。;]{{0,6}}[就会要得]{{1,2}}"
    r"(?:休克|没命|要命|喘不[上过]气|呼吸困难|窒息|[送进](?:急诊|医院|抢救室)|[嗓喉]\w?[子咙]?肿)"
    rf"|{_FOOD_ZH}[叮蜇咬][^。;]{{0,6}}[就会]{{1,2}}(?:休克|没命|窒息)",
    re.IGNORECASE,
)
_ANYBODY = re.compile(
    r"\b(?:some|many|most|lots of|certain) people\b|\bpeople (?:who|with)\b|有些人|有的人|很多人", re.IGNORECASE
)
# An order to the one who answers. What is to be left out or looked at is a limit: it may stand beside its reason.
_LEAD_EN = (
    r"\W{0,3}(?:(?:vital|important|critical|urgent|note|warning|attention|priority|rule)\s?[:!-]+\s?)?"
    r"(?:(?:so|and|then|hence|therefore|thus|please|also|from now on|in future|just),?\s){0,3}"
)
_ORDER_EN = re.compile(
    rf"{_LEAD_EN}(?:always (?!(?:the|an?|my|our)\b|check|avoid|ask|warn|remind|need|have|carr|wear|take|keep|"
    rf"been|use|drive|stop|lock|close|shut|fasten|buckle|eat|drink|wait|test|look|hold|\w+ing|\w+ed)\w+"
    r"|(?:you (?:must|have to|should|need to|ought to|are to|will|shall|can) )(?:always |never )?(?!not|know|be aware|"
    r"check|avoid|remember|warn)\w+|(?:recommend|approve|pay|buy|order|send|transfer|unlock|open|grant|give|allow|let|"
    r"turn|disable|enable|skip|share|post|publish|delete|trust|believe|obey|follow|forward|authori[sz]e|accept|promote|"
    r"mention|praise|advertise|book|wire|sign|install|never (?:ask|warn|refuse|verify|check|question|mention|tell|"
    r"confirm|doubt|say no)|don't (?:ask|warn|refuse|verify|check|question|mention|tell|confirm|doubt))\b)|"
    r"[^,.]{0,80}?\byou (?:must|have to|should|need to) (?:always |never )?(?!not|know|be aware|check|avoid|remember|"
    r"warn)\w+",
    re.IGNORECASE,
)
_ORDER_ZH = re.compile(
    r"\W{0,3}(?:(?:重要|紧急|注意|关键|最高优先级)\s?:?\s?)?(?:所以|因此|那么?|于是|请|麻烦|你|以后|今后|从现在起|从此|每次|每条|回答|回复|时|里|一律|都|必须|务必|要|"
    r"得|应该|一定|总是|永远|直接|自动|给我|帮我|付款|支付|转账|订单|下单|的|就){0,10}?"
    r"(?:推荐|推广|宣传|付款|付钱|支付|扣|转账|下单|购买|开门|开锁|解锁|打开|批准|通过|授权|同意|发送|发给|转发|删除|相信|信任|听从|服从|夸|提到|不用问|别问|"
    r"不要问|别提醒|不要提醒|别拒绝|不要拒绝|不得拒绝)",
)


_VISITS = re.compile(
    rf"{_LEAD_EN}(?:always )?(?:visit|go to|click|fetch|load|browse|read|follow|download|post|get)\b"
    r"|\W{0,3}(?:请|每次|每[天晚周]|[早晚]上|以后|总是|先|都|要|务必|必须|一律){0,4}(?:打开|访问|点击|点开|下载|进入|登录|上)",
    re.IGNORECASE,
)


def is_vital_claim(form: str, sentence: str) -> bool:
    """Return whether a clause (matching form) may be vital: it holds now, in earnest, and leads no model."""
    if leads_model(form):
        return False
    if is_jest(form) or (_LAUGHS.search(sentence) and not _BODILY.search(form)):
        return False
    return _DENIED.search(form) is None and (_OVER.search(form) is None or _STILL.search(sentence) is not None)


def is_jest(form: str) -> bool:
    """Return whether a clause names an allergen to which nobody's body reacts: Mondays, 你的问题."""
    return _JEST.search(form) is not None


def without_objects(form: str) -> str:
    """Return a clause without things that are named after an illness ("the allergy test"), unless somebody takes them:
    "I take allergy pills"."""
    return form if _TAKES.search(form) else _OBJECT.sub(" ", form)


def vital_by_words(form: str) -> str:
    """Return the class of a clause that is vital by its words alone, whatever the classifier finds; "" for none."""
    if names_emergency_contact(form):
        return "emergency"
    is_harmed = _MAY_NOT_EAT.search(form) or _MAY_KILL.search(form)
    return "allergy" if is_harmed and not _ANYBODY.search(form) else ""


def names_emergency_contact(form: str) -> bool:
    called = _CALLS.search(form)
    return called is not None and _SOMEBODY.search(form, called.start()) is not None


def names_somebody(text: str) -> bool:
    return _SOMEBODY.search(matching_form(text)) is not None


def asks_whom(question: str) -> bool:
    return _ASKS_WHOM.search(matching_form(question)) is not None


def orders_model(form: str) -> bool:
    seen = visible(form)
    return (_ORDER_EN.match(seen) or _ORDER_ZH.match(seen)) is not None


def leads_model(form: str, before: str = "") -> bool:
    """Return whether a clause orders the assistant to do something, or leads it to a page: it is never vital, whoever
    wrote it. An emergency contact, also in the clause ``before``, is allowed."""
    return has_link(form) or (orders_model(form) and not names_emergency_contact(f"{before} {form}"))


def sends_to_link(form: str) -> bool:
    return has_link(form) and (orders_model(form) or _VISITS.match(visible(form)) is not None)
