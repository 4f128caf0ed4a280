"""How secrets are named and written, in English and Chinese, and characters that look alike to a reader."""

import re

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_QUOTES = "\u2018\u2019\u201c\u201d\u300c\u300d\u300e\u300f\u300a\u300b"
SAME_LOOK = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, _DASHES), "-")
    | dict.fromkeys(map(ord, _SPACES), " ")
    | dict.fromkeys(map(ord, _QUOTES), '"')
    | {0x3002: ".", 0x3001: ","}
)
"""One character for one, so that places stay."""
NUMERALS = str.maketrans("零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖", "0012345678911" + "23456789")
MANY_NUMERALS = re.compile("[零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖]{3}")
DIGIT_WORDS = {
    **{"zero": "0", "oh": "0", "o": "0", "one": "1", "two": "2", "three": "3", "four": "4"},
    **{"five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"},
}
_DIGIT_WORD = rf"(?:{'|'.join(DIGIT_WORDS)})"
SPELLED = re.compile(rf"\b{_DIGIT_WORD}(?:[ ,-]{{1,3}}{_DIGIT_WORD}){{12,18}}\b", re.IGNORECASE)
SPELLED_SOME = re.compile(rf"\b{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}\b")

TOKEN = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,10}[-_])?[A-Za-z0-9_-]{16,200}|"
    r"\bgh[pousr]_[A-Za-z0-9]{20,100}|\bgithub_pat_\w{20,100}|\bnpm_[A-Za-z0-9]{30,60}|\bhf_[A-Za-z0-9]{20,60}|"
    r"\bSG\.[\w-]{16,40}\.[\w-]{16,80}|\b[Bb]earer (?=[^\s]{0,200}?\d)[\w.~+/=-]{20,2000}|"
    r"\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,50}|\bxox[abprs]-[\w-]{10,100}|\bglpat-[\w-]{16,64}|"
    r"\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{8,2000}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
    r"(?:[^-]{0,4000}-----END [A-Z ]{0,30}PRIVATE KEY-----)?|"
    r"://[^\s:/@]{1,64}:(?P<secret>[^\s@/]{3,200})@"
)

_ORDINARY_WORD = (
    r"(?!(?:wrong|not|too|an?|the|my|in|on|at|so|very|required|needed|weak|strong|expired|"
    r"incorrect|invalid|safe|secure|"
    r"correct|fine|reset|stored|saved|hidden|forgotten|lost|same|here|there|that|what|"
    r"something|long|short|being|now|still|changed|set|your|our|be|been|"
    r"only|also|mine|yours|one|it|this|case|no|always|never|really|different)(?![\w-]))"
)
_NAME = (
    r"(?<![A-Za-z])(?:pass[ -]?(?:word|code)s?|passwd|pwd|pin(?: code| number)?|api[ _-]?key|"
    r"secret(?:[ _-](?:access[ _-])?key)?|access[ _-]?token|auth[ _-]?token|cvv2?|cvc|security code|"
    r"social security number|ssn|driver'?s licen[cs]e number)(?![A-Za-z])"
)
_OF = r"(?:\s(?:for|to|of)\s[\w' ]{1,30}?)?"
_IS = r"(?:(?:\s{0,3}(?:'s|\"s|is(?: now| set to)?|was|are|will be|has been (?:changed|set|reset) to|=|:))+)"
_OPEN, _SHUT = r"[\"'`]", r"[\"'`]"
_CHARACTER = r"[A-Za-z0-9!@#$%^&*()_+=./~?-]"
_WITH_DIGIT = r"(?=[^\s]{0,200}?\d)"
_SENTENCE = r"[^.!?;\n]{3,300}"
_COPULA_ZH = r"(?:\s|就|是|为|為|:|=|已|被|给|我|(?:改|换|換|设|設|设置|設置|重置|更新)(?:成|为|為)?了?){0,6}"
_NAME_ZH = r"(?:密码|密碼|口令|密钥|密鑰|验证码|驗證碼|支付码|安全码|(?<![A-Za-z])pin码)"
_NUMBER_ZH = (
    r"(?:身份[证證](?:号码?|號碼?)?|护照(?:号码?)?|護照(?:號碼?)?|"
    r"(?:银行|信用|储蓄|社保|医保)卡(?:号码?)?|银行[账帐]号|社保号|驾照号)"
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
    re.compile(rf"{_NUMBER_ZH}{_COPULA_ZH}(?P<secret>(?=.{{0,30}}?\d)[A-Za-z0-9 ]{{6,30}})"),
)
STEMS = (
    *("pass", "pwd", "pin", "key", "secret", "token", "bearer", "cvv", "cvc", "code", "ssn", "seed", "recovery"),
    *("licen", "security", "密码", "密碼", "口令", "密钥", "密鑰", "证", "證", "验证码", "驗證碼", "支付码", "安全码"),
    *("护照", "護照", "卡", "社保", "助记词", "助記詞"),
)
"""A text with none of these and no long number holds nothing that is looked for."""
