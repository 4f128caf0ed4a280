"""How secrets are named and written in English and Chinese, and characters that look alike."""

import re
import unicodedata
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_QUOTES = "\u2018\u2019\u201c\u201d\u300c\u300d\u300e\u300f\u300a\u300b"
# The digits of all scripts, also those in circles and superscript.
_DIGITS = {
    code: f"{digit}" for code in range(0x80, 0x1FBFA) if (digit := unicodedata.digit(chr(code), None)) is not None
}
# One character is replaced by exactly one, so that positions stay.
LOOKALIKES = (
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
SPELLED_DIGITS = re.compile(rf"\b{_DIGIT_WORD}(?:[ ,-]{{1,3}}{_DIGIT_WORD}){{4,18}}\b", re.IGNORECASE)
SPELLED_DIGITS_HINT = re.compile(rf"\b{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}\b")


def parse_spelled_digits(text: str) -> str:
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

# The file names secrets and the ways to give them: "my password is ...", "... is my pin", 密码是 ...
NAMED_SECRETS = tuple(load_patterns(Path(__file__).with_name("secret_patterns.toml")).values())
SENTENCE_END = re.compile(r"[!?;\n]|\.\s")
# A former or a new value of a named secret in the same sentence.
OTHER_VALUE = re.compile(
    r"(?:\b(?:not|no longer|instead of|rather than|used to be|was|it'?s|it is|but)"
    r"|不是|不再是|而是|以前是|原来是|现在是|改成了?)"
    r"\s{0,2}(?:now )?[\"'`]?(?P<secret>(?=\S{0,60}?\d)[A-Za-z0-9!@#$%^&*_+=~-]{3,60})",
    re.IGNORECASE,
)
# A cheap first look: a text with none of these and no long number holds nothing sensitive.
SECRET_HINT = re.compile(
    "p@ss|pwd|pw|contrase|combination|otp|private|_live_|_test_|_pat_|basic |pass|pin|key|secret|token|bearer|cvv|cvc|"
    "code|ssn|seed|recovery|licen|security|动态码|校验码|私钥|密码|密碼|口令|密钥|密鑰|证|證|验证码|驗證碼|支付码|"
    "安全码|护照|護照|卡|社保|助记词|助記詞"
)
