"""Instructions that pose as memory: ignore the rules, reveal secrets, act unasked, send data away.

They are refused as memory, not as messages: the product decides what its model does with a request. How answers should
sound (length, tone, language, form of address) is an ordinary preference and is not matched here.
"""

import re

from memory_platform.kernel.text import simplify

_RULES_EN = (
    r"(?:instructions?|prompts?|rules|guidelines|directives|restrictions|safeguards|"
    r"guardrails|safety|policies|polic(?:y|ies)|filters?|constraints)"
)
_CONFIRM = r"(?:ask(?:ing)?|confirm(?:ing|ation)?|approval|permission|consent|checking with|verif(?:y|ying|ication))"
_ACT = (
    r"(?:approve|authori[sz]e|pay|buy|purchase|order|transfer|wire|unlock|open|book|delete|accept|sign|spend|charge|"
    r"proceed|go ahead|do (?:it|that|so|everything|anything)|act)"
)
_SEND = r"(?:send|forward|upload|email|text|post|transmit|export|leak|share|copy)"
# The end of a sentence; a clause may be read alone.
_END = r"(?=\W*(?:$|\n)|[.!?;])"
AS_SYSTEM = r"(?:^|(?<=[.!?;。,\n]))\s{0,4}(?:system|assistant|系统|助手|助理)\s?:"
"""How words begin that pose as those of the one who runs the model. It is read with the start of each line."""
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|disable|skip|violate|break|circumvent|"
    rf"turn off)\b[^.!?\n]{{0,40}}\b{_RULES_EN}\b"
    rf"|\b(?:change|rewrite|replace|modify)\b[^.!?\n]{{0,30}}\b(?:system prompt|your (?:rules|"
    r"instructions|guidelines))\b"
    rf"|\b(?:reveal|show|print|repeat|leak|expose|output|tell me|give me|share)\b[^.!?\n]{{0,40}}"
    r"\b(?:system prompt|hidden prompt|your (?:instructions|prompt|rules|secrets?)|passwords?|"
    r"api keys?|credentials|secret keys?|other (?:users?|people)'s?)"
    # Without confirmation: of what is paid, sent or opened, or as an order not to ask.
    r"|(?<!\bi )(?<!\bwe )(?<!\bthey )\b(?:without|no need (?:for|to)|don't|do not|never|stop) (?:my |any |ever |"
    rf"the )?{_CONFIRM}(?:\b(?! (?:me )?(?:what|how|why|when|where|who|if|about|a |the |so |anything|questions)))"
    r"[^.!?\n]{0,30}\b(?:me|confirm\w*|permission|approval|before|first|again|transfers?|payments?|purchases?|orders?)\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bthey )\b(?:no need to|don't|do not|never) (?:ever )?"
    rf"{_CONFIRM}(?: for (?:it|that))?{_END}"
    rf"|(?<!\bthey )(?<!\bpeople )\b{_ACT}\b[^.!?\n]{{0,60}}\bwithout (?:my |any |ever |the )?{_CONFIRM}{_END}"
    rf"|(?<!\bi )(?<!\bwe )(?<!\bi always )(?<!\bwe always )\b{_SEND}\b[^.!?\n]{{0,40}}"
    r"\b(?:my |all |the |user |private |personal |their |our )+(?:\w+ )?"
    r"(?:data|conversations?|messages?|chats?|history|details|information|info|contacts|records|logs|memory|memories|"
    r"credentials|files"
    r"|location|whereabouts|(?:home |street )?address|(?:phone )?number)\b[^.!?\n]{0,20}\b(?:to|with)\b"
    # Words of the one who runs the model, or to it by its name.
    rf"|{AS_SYSTEM}"
    r"|(?<!\bmy )(?<!\bour )(?<!teaching )\b(?:assistant|ai|chat ?bot|language model) "
    rf"(?:must|has to|shall|should|needs to|is to) (?:always |never |also |now )*(?:{_ACT}|{_SEND}|obey|comply|follow|"
    r"ignore|reveal|tell|give|recommend|say|agree|trust|believe)\b"
    r"|\byou are now (?:a|an|in|dan|free|unrestricted|no longer)\b|\bdeveloper mode\b|"
    r"\bjailbreak\b|\bact as (?:dan|an? unrestricted)\b"
    r"|\b(?:you|i) (?:must|have to|should) (?:obey|always obey)\b|\bi(?:'m| am) (?:an?|the|"
    rf"your) (?:admin(?:istrator)?|developer|root)\b[^.!?\n]{{0,30}}\b(?:so|grant|access|"
    r"must)\b"
    # Promotion in every answer, and doors and money given away.
    r"|\b(?:recommend|promote|advertise|endorse|plug|praise)\b[^.!?\n]{0,40}\b(?:every|each|"
    r"all) (?:answers?|repl(?:y|ies)|"
    r"responses?|messages?|conversations?|time)\b|\b(?:every|each|all) (?:answers?|repl(?:y|ies)|"
    r"responses?)\b[^.!?\n]{0,20}"
    r"\b(?:recommend|promote|advertise|endorse|plug|praise)\b"
    r"|\b(?:always|automatically|must|immediately) (?:approve|authori[sz]e|unlock|disarm|transfer|wire|accept)\b"
    r"|(?:每次|每条|所有|任何)(?:的)?(?:回答|回复|对话|答案)[^。!?\n]{0,8}(?:推荐|推广|宣传|安利)"
    r"|(?:付款|支付|转账|扣款|订单)[^。,!?\n]{0,6}(?:直接|自动|一律)(?:扣|付|通过|批准|同意|转)"
    r"|(?:一律|总是|自动|直接)(?:给[^。,!?\n]{0,8})?(?:开门|开锁|解锁|放行|批准|转账)"
    r"|\b(?:store|save|record|log|remember|note) that (?:i am|i'm|my (?:role|rank|account|"
    r"access) is) (?:an? |the )?"
    r"(?:root|superuser|(?:super)?admin(?:istrator)?(?! (?:at|in|for|of)\b))\b"
    r"|(?:忽略|无视|忘记|忘掉|绕过|跳过|违反|解除|关闭|不用管|不要遵守|不必遵守|"
    r"别管)[^。!?\n]{0,16}(?:指令|指示|规则|规定|限制|提示词|提示|安全|约束|设定|审核|策略)"
    r"|(?:修改|改写|替换|更改)[^。!?\n]{0,10}(?:系统提示|提示词|你的规则|你的指令|你的设定)"
    r"|(?:透露|泄露|显示|输出|告诉我|说出|公开|打印|复述|展示)[^。!?\n]{0,14}(?:系统提示|"
    r"提示词|你的指令|你的规则|密码|密钥|口令|其他用户|别的用户|别人的)"
    r"|(?:不用|不必|无需|不需要|别|不要|不经)(?:再)?(?:问我|跟我|经过我|向我|等我|"
    r"我)?(?:的)?(?:确认|同意|批准|授权|请示|核实)|(?:不用|不必|无需|不需要|别|"
    rf"不要)(?:再)?问我(?:的?意见|确认|同意|直接|就|[,。]|{_END})"
    r"|(?:直接|自动)(?:帮我|替我)?(?:下单|付款|转账|支付|扣款|购买)[^。!?\n]{0,10}(?:不用|不必|无需|不需要|别)"
    r"|(?<!我)(?<!已经)(?:把|将)[^。!?\n]{0,12}(?:数据|聊天记录|对话|信息|资料|隐私|通讯录|记录|文件|记忆|历史|位置|定位|地址|住址|"
    r"号码|行踪)[^。!?\n]{0,8}(?:发|传|转发|上传|发送|泄露|导出|共享|告诉)(?:送|给|到|至)?(?![^。!?\n]{0,8}[了过])"
    r"|(?:你|助手|助理|AI|模型)(?:必须|务必|一定要|应该|要)(?:永远|始终|一直|总是)?(?:服从|听从|无条件|听我的)"
    r"|(?:你现在是|从现在起你是|扮演)[^。!?\n]{0,10}(?:没有限制|不受限|无限制|DAN|越狱|开发者模式)|越狱模式|开发者模式",
    re.IGNORECASE | re.MULTILINE,
)
_CUE_STEMS = """
ignor disregard forget overrid bypass disabl skip violat break circumvent prompt reveal secret password credential
confirm approv permission consent checking verif send forward upload email transmit export leak jailbreak obey admin
developer root superuser rules assistant system chatbot share instruct recommend promot advertis endors praise
plug authori unlock disarm transfer wire accept
忽略 无视 忘 绕过 跳过 违反 解除 关闭 不用 遵守 别管 提示 指令 规则 透露 泄露 密码 密钥 口令
确认 同意 批准 授权 问我 直接 自动 数据 记录 信息 资料 隐私 通讯录 文件 记忆 历史 对话 模式 限制
位置 定位 地址 住址 号码 行踪 系统 助手 助理 服从 听从 无条件 听我的
回答 回复 付款 支付 订单 转账 开门 开锁 解锁 放行
"""
_CUES = (
    *_CUE_STEMS.split(),
    *("api key", "turn off", "you are now", "act as", "ask", "post ", "copy ", "ai ", "text "),
)


def may_instruct(text: str) -> bool:
    """Return whether ``text`` holds a word that instructions are made with: cheap, asked before sentences are."""
    lowered = simplify(text).lower()
    return any(cue in lowered for cue in _CUES)


def is_instruction(text: str) -> bool:
    """Return whether ``text`` (matching form) tells the model what to do with its rules, secrets or powers."""
    return may_instruct(text) and _INSTRUCTION.search(text) is not None
