"""How secrets are named and written in English and Chinese, and characters that look alike."""

import re
import unicodedata

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_QUOTES = "\u2018\u2019\u201c\u201d\u300c\u300d\u300e\u300f\u300a\u300b"
# The digits of all scripts, also those in circles and superscript.
_DIGITS = {
    code: f"{digit}" for code in range(0x80, 0x1FBFA) if (digit := unicodedata.digit(chr(code), None)) is not None
}
# One character is replaced by exactly one, so that positions stay.
SAME_LOOK = (
    _DIGITS
    | {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, _DASHES), "-")
    | dict.fromkeys(map(ord, _SPACES), " ")
    | dict.fromkeys(map(ord, _QUOTES), '"')
    | {0x3002: ".", 0x3001: ","}
)
NUMERALS = str.maketrans("零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖", "001234567891123456789")
_NUMERAL = "[零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖]"
MANY_NUMERALS = re.compile(rf"{_NUMERAL}(?:\W{{0,2}}{_NUMERAL}){{2}}")
DIGIT_WORDS = {
    **{"zero": "0", "oh": "0", "o": "0", "one": "1", "two": "2", "three": "3", "four": "4"},
    **{"five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"},
}
_TIMES = {"double": 2, "triple": 3}
_DIGIT_WORD = rf"(?:(?:{'|'.join(_TIMES)}) )?(?:{'|'.join(DIGIT_WORDS)})"
SPELLED = re.compile(rf"\b{_DIGIT_WORD}(?:[ ,-]{{1,3}}{_DIGIT_WORD}){{4,18}}\b", re.IGNORECASE)
SPELLED_SOME = re.compile(rf"\b{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}\b")


def digits_spelled(text: str) -> str:
    """Return the digits that English words spell: "double four, one" is 441."""
    told = re.finditer(rf"(?:({'|'.join(_TIMES)}) )?({'|'.join(DIGIT_WORDS)})\b", text.lower())
    return "".join(DIGIT_WORDS[one[2]] * _TIMES.get(one[1], 1) for one in told)


TOKEN = re.compile(
    r"\b[a-z]{2,8}_(?:live|test|prod|pat)_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{12,200}(?:_[A-Za-z0-9]{12,200})?|\bwhsec_[A-Za-z0-9]{16,100}|\bya29\.[\w-]{20,300}|"
    r"\bxapp-[\w-]{10,200}|\b(?:pypi-|dckr_pat_)[\w-]{16,300}|\bdop_v1_[0-9a-f]{32,80}|"
    r"\bBasic [A-Za-z0-9+/]{12,400}={1,2}|"
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,10}[-_])?[A-Za-z0-9_-]{16,200}|"
    r"\bgh[pousr]_[A-Za-z0-9]{20,100}|\bgithub_pat_\w{20,100}|\bnpm_[A-Za-z0-9]{30,60}|\bhf_[A-Za-z0-9]{20,60}|"
    r"\bSG\.[\w-]{16,40}\.[\w-]{16,80}|\b[Bb]earer (?=[^\s]{0,200}?\d)[\w.~+/=-]{20,2000}|"
    r"\bA[KS]IA[0-9A-Z]{16}\b|\bAIza[\w-]{30,50}|\bxox[abprs]-[\w-]{10,100}|\bglpat-[\w-]{16,64}|"
    r"\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{8,2000}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]{0,4000}-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?|"
    r"://[^\s:/@]{0,64}:(?P<secret>[^\s@/]{3,200})@"
)

_ORDINARY_WORD = (
    r"(?!(?:wrong|not|too|an?|the|my|in|on|at|so|very|required|needed|weak|strong|expired|"
    r"incorrect|invalid|safe|secure|"
    r"correct|fine|reset|stored|saved|hidden|forgotten|lost|same|here|there|that|what|"
    r"something|long|short|being|now|still|changed|set|your|our|be|been|"
    r"only|also|mine|yours|one|it|this|case|no|always|never|really|different|who|which|where|when|how|why|nothing|everything|he|she|they|we|you|any|some)(?![\w-]))"
)
_NAME = (
    r"(?<![A-Za-z])(?:p[a@]ss[ -]?(?:w[o0]rd|code|phrase)s?|passwd|pwd|pw|pin(?: code| number)?|api[ _-]?key|"
    r"(?:wi-?fi|network|private) key|contrase\u00f1a|passwort|mot de passe|"
    r"(?:client[ _-])?secret(?:[ _-](?:access[ _-])?key)?|(?:access|auth|refresh)[ _-]?token|cvv2?|cvc|security code|"
    r"social security number|ssn|driver'?s licen[cs]e number)(?![A-Za-z])"
)
_OF = r"(?:\s(?:for|to|of)\s[\w' ]{1,30}?)?"
_WHERE = r"(?: (?:at|in|to|for|of|on|by) [A-Za-z' ]{1,30}?(?= ?(?:'s |is |was |->|=|:)))?"
_IS = (
    r"(?:(?:\s{0,3}(?:'s|\"s|is(?: now| set to)?|was|are|will be|(?:has been )?(?:changed|set|reset) to|would be|"
    r"(?:not|no longer)(?=\s\S{0,20}\d)|"
    r"->|\u2192|=|:|是|为))+)"
)
_OPEN, _SHUT = r"[\"'`]", r"[\"'`]"
_CHARACTER = r"[A-Za-z0-9!@#$%^&*()_+=./~?-]"
_WITH_DIGIT = r"(?=[^\s]{0,200}?\d)"
_SENTENCE = r"[^.!?;\n]{3,300}"
_COPULA_ZH = r"(?:\s|就|是|为|為|:|=|已|被|给|我|(?:改|换|換|设|設|设置|設置|重置|更新)(?:成|为|為)?了?){0,6}"
_NAME_ZH = r"(?:密码|密碼|口令|密钥|密鑰|验证码|驗證碼|支付码|安全码|动态码|校验码|密码锁|私钥|(?<![A-Za-z])pin码)"
_NUMBER_ZH = (
    r"(?:身份[证證](?:号码?|號碼?)?|护照(?:号码?)?|護照(?:號碼?)?|"
    r"(?:银行|信用|储蓄|借记|社保|医保|工资|[工建农中招]行)卡(?:号码?)?|银行[账帐]号|社保号|社会(?:保险|安全)号|"
    r"驾(?:照|驶证)号?码?|(?:通行|回乡|台胞|军官|居住)证(?:号码?)?|税号)"
)
_NUMBERED = r"(?: number| no\.?| num| #)"
# Short or ordinary words count only with "number" behind them or "my" before them.
_DOCUMENT = (
    rf"\b(?:(?:passport|driver'?s?'? licen[cs]e|driving licen[cs]e|id card|identity card|residence permit|nhs|hkid|"
    r"personalausweis|national insurance|aadhaar|tfn|dni|bsn|pesel|cpf|curp|personnummer|codice fiscale|steuer-?id|"
    r"tax id|itin|insee|num[e\u00e9]ro de s[e\u00e9]curit[e\u00e9] sociale|ssn|social security|bank account|sort code|"
    rf"(?:credit|debit|bank) card){_NUMBERED}?|(?:ni|account|routing|card|medicare|ein|sin|nie|social){_NUMBERED}|"
    r"(?:my|our) (?:ni|account|routing|card|medicare|ein|sin|nie|social)(?= is|'s|:))"
)
_DOCUMENT_NUMBER = (
    r"(?=[A-Z]{0,8}(?:[ ./-]?[A-Z]{0,3}\d){5})"
    r"(?:[A-Z]{0,8}|(?-i:[A-Z]{2}) )\d[A-Z0-9]{0,20}(?:[ ./-]?[A-Z]{0,3}\d[A-Z0-9]{0,12}){0,6}(?:\(\d\)| [A-Z]\b)?"
)
_OPENER = (
    r"(?:p[a@]ss[ -]?(?:w[o0]rd|code|phrase)s?|passwd|pwd|pin code|wi-?fi key)(?![A-Za-z])"
    r"(?![ -](?:manager|vault|generator|app|hint|reset|tool))"
)
_DOOR = (
    r"(?:door|gate|safe|house|building|alarm|lock|locker|garage|apartment|flat|office|wi-?fi|phone|laptop|account|card)"
)
_CODE = (
    rf"\b(?:{_DOOR}|entry|access|verification|security|one[- ]time|2fa|mfa|sms|unlock) codes?|\botp|"
    rf"\bcode (?:to|for|of) (?:the |my |our )?(?:[a-z]+ )?{_DOOR}|\b(?:{_DOOR}|vault) combination"
)
_ORDINARY_ZH = (
    r"(?!什么|多少|几|哪|谁|怎|不|没|错|对|正确|一样|[相同空旧新老你我他她咱好在随被已用由最很太要]|必|应|自动|安全|"
    r"保密|大家|非常|比较|为了|忘|.位|字母|数字|默认|私|公|原来|以前|之前|可以|需要|给|了|[大小]写|简单|复杂|[中英]文|"
    r"对方|系统|指纹|面容|刷脸|人脸|手势|图|短信)"
)
NAMED = (
    re.compile(rf"{_NAME}{_OF}{_IS}\s{{0,3}}(?P<secret>{_ORDINARY_WORD}{_CHARACTER}{{3,200}})", re.IGNORECASE),
    re.compile(rf"{_NAME}{_OF}{_IS}?\s{{0,3}}{_OPEN}(?P<secret>[^\"'`\n]{{2,200}}){_SHUT}", re.IGNORECASE),
    re.compile(rf"{_NAME}\s{{1,3}}(?P<secret>{_WITH_DIGIT}{_CHARACTER}{{3,200}})", re.IGNORECASE),
    re.compile(
        rf"\b(?:chang|set|reset|updat)\w{{0,4}} (?:my|the|our|your)[\w' ]{{0,30}}? ?{_NAME}{_OF} to "
        rf"{_OPEN}?(?P<secret>{_ORDINARY_WORD}{_CHARACTER}{{3,200}})",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:seed|recovery|pass) ?phrase{_OF}{_IS}\s{{0,3}}(?P<secret>{_ORDINARY_WORD}{_SENTENCE})", re.I),
    re.compile(rf"助[记記][词詞]\s{{0,3}}[是为為:=]{{1,2}}\s{{0,3}}(?P<secret>{_SENTENCE})"),
    re.compile(rf"(?<![A-Za-z])token{_IS}\s{{0,3}}(?P<secret>{_WITH_DIGIT}{_CHARACTER}{{8,200}})", re.IGNORECASE),
    re.compile(rf"\bpassport(?: number| no\.?)?{_IS}\s{{0,3}}(?P<secret>[A-Z]{{0,2}}\d{{6,9}})\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:ssn|id|id card|identity|bank account) (?:number|no\.?)?{_IS}?\s{{0,3}}"
        rf"(?P<secret>\d(?:[ -]?[\dX]){{7,18}})\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_NAME_ZH}{_COPULA_ZH}[\"'`]?(?P<secret>[A-Za-z0-9!@#$%^&*_+=.~-]{{4,200}}|(?=.{{0,2}}\d)[A-Za-z0-9]{{3}})",
        re.IGNORECASE,
    ),
    re.compile(rf"{_DOCUMENT}{_IS}?\s{{0,3}}(?P<secret>{_DOCUMENT_NUMBER})", re.IGNORECASE),
    re.compile(
        rf"(?:{_CODE})(?: code)?{_WHERE}{_IS}?\s{{0,3}}(?P<secret>\d(?:[ -]?\d){{2,11}}[#*]?)(?!\d)", re.IGNORECASE
    ),
    re.compile(rf"(?<![A-Za-z])pass\s{{0,2}}[:=]\s{{0,3}}(?P<secret>{_ORDINARY_WORD}{_CHARACTER}{{3,200}})", re.I),
    re.compile(
        rf"(?<![^\s\"'])(?P<secret>{_ORDINARY_WORD}(?:(?<![^.!?;:,\"']\s)(?<!\w)|{_WITH_DIGIT}){_CHARACTER}{{3,60}})"
        rf"[\"']?(?:,? (?:that|this|it))?(?: is|'s) (?:my|the|our)[\w' ]{{0,30}}? ?{_OPENER}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\buse (?P<secret>{_ORDINARY_WORD}{_CHARACTER}{{3,60}}) as (?:my|the|our)[\w' ]{{0,30}}? ?{_OPENER}",
        re.I,
    ),
    re.compile(
        r"(?<![A-Za-z0-9])(?P<secret>[A-Za-z0-9!@#$%^&*_+=.~-]{4,60})就?是(?:我|我们|咱|公司)?(?:家|家里)?的?"
        r"(?:wifi|无线|银行卡|手机|电脑|开机|支付|门锁|门禁|登录|登陆|取款)?的?(?:密码|密碼|口令)(?![管本锁器])",
        re.I,
    ),
    re.compile(
        r"用(?P<secret>[A-Za-z0-9!@#$%^&*_+=.~-]{4,60})来?(?:做|当|作)[^,.!?\n]{0,6}(?:密码|密碼|口令)(?![管本锁器])"
    ),
    re.compile(rf"{_NAME_ZH}{_COPULA_ZH}\"(?P<secret>[^\"\n]{{2,40}})\""),
    re.compile(
        rf"(?:密码|密碼|口令)(?:就?是|为|(?:设|设置|改|换)[成为]了?)(?P<secret>{_ORDINARY_ZH}[\u3400-\u9fff]"
        r"[\u3400-\u9fffA-Za-z0-9!@#$%^&*_+=~-]{1,19}?)"
        r"(?=$|[\s,.!?;]|[二两三四五六]个字)"
    ),
    re.compile(rf"(?<!会员)(?<!积分)(?:卡号|[账帐]号){_COPULA_ZH}(?P<secret>\d(?:[ -]?\d){{7,22}})(?!\d)"),
    re.compile(rf"{_NUMBER_ZH}{_COPULA_ZH}(?P<secret>(?=.{{0,30}}?\d)[A-Za-z0-9 ]{{6,30}})"),
)
SENTENCE_END = re.compile(r"[!?;\n]|\.\s")
# A former or a new value of a named secret in the same sentence.
OTHER_VALUE = re.compile(
    r"(?:\b(?:not|no longer|instead of|rather than|used to be|was|it'?s|it is|but)"
    r"|不是|不再是|而是|以前是|原来是|现在是|改成了?)"
    r"\s{0,2}(?:now )?[\"'`]?(?P<secret>(?=\S{0,60}?\d)[A-Za-z0-9!@#$%^&*_+=~-]{3,60})",
    re.IGNORECASE,
)
# A cheap first look: a text with none of these and no long number holds nothing sensitive.
STEMS = re.compile(
    "p@ss|pwd|pw|contrase|combination|otp|private|_live_|_test_|_pat_|basic |pass|pin|key|secret|token|bearer|cvv|cvc|"
    "code|ssn|seed|recovery|licen|security|动态码|校验码|私钥|密码|密碼|口令|密钥|密鑰|证|證|验证码|驗證碼|支付码|"
    "安全码|护照|護照|卡|社保|助记词|助記詞"
)
