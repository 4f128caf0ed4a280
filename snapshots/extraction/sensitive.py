"""Sensitive data: card numbers, identity numbers, secrets. Found by form and checksum; masked, never learned.

Sources: Luhn check, ISO/IEC 7812-1 annex B; Chinese resident identity number, GB 11643-1999; IBAN, ISO 13616.
"""

import re

_CARD = re.compile(r"(?<![\d.])[2-6](?:[ -]?\d){12,18}(?!\d)")
_CHINESE_ID = re.compile(r"(?<![\dA-Za-z])\d{17}[\dXx](?![\dA-Za-z])")
_SSN = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_TOKEN = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,10}[-_])?[A-Za-z0-9_-]{16,200}|"
    r"\bgh[pousr]_[A-Za-z0-9]{20,100}|\bgithub_pat_\w{20,100}|"
    r"\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,50}|\bxox[abprs]-[\w-]{10,100}|\bglpat-[\w-]{16,64}|"
    r"\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{8,2000}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
    r"(?:[^-]{0,4000}-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
)
_ORDINARY_WORD = (
    r"(?!(?:wrong|not|too|an?|the|my|in|on|at|so|very|required|needed|weak|strong|expired|"
    r"incorrect|invalid|safe|secure|"
    r"correct|fine|reset|stored|saved|hidden|forgotten|lost|same|here|there|that|what|"
    r"something|long|short|being|now|still|"
    r"only|also|mine|yours|one|it|this|case|no|always|never|really|different)(?![\w-]))"
)
_NAMED_SECRET = re.compile(
    r"\b(?:pass(?:word|code|phrase)|pwd|pin(?: code| number)?|api[ _-]?key|secret(?: key)?|access[ _-]?token|"
    r"auth[ _-]?token|cvv2?|cvc|security code|seed phrase|social security number|ssn|passport (?:number|no\.?)|"
    r"driver'?s licen[cs]e number)\b(?:\s(?:for|to|of)\s[\w' ]{1,30}?)?\s*(?:is|was|are|=|:|\uff1a)+\s*"
    rf"(?P<secret>{_ORDINARY_WORD}[A-Za-z0-9!@#$%^&*()_+=./~?-]{{3,200}})",
    re.IGNORECASE,
)
_NAMED_SECRET_ZH = re.compile(
    r"(?:密码|口令|密钥|验证码|支付码|安全码)\s*(?:就?是|为|:|\uff1a|=)?\s*(?P<secret>[A-Za-z0-9!@#$%^&*_+=.~-]{4,200})"
)
_NAMED_NUMBER_ZH = re.compile(
    r"(?:身份证号?码?|护照号?码?|银行卡号?|信用卡号?|社保号|驾照号)\s*(?:就?是|为|:|\uff1a|"
    r"=)?\s*(?P<secret>[A-Za-z0-9 ]{6,30})"
)
_LONG = re.compile(r"\d{3}|[A-Za-z0-9_-]{16}")
_NAME_STEMS = """
pass pwd pin key secret token cvv cvc code ssn seed licen security 密码 密碼 口令 密钥 证 證 验证码 支付码 安全码
护照 卡 社保
"""
_NAMES = tuple(_NAME_STEMS.split())
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECK = "10X98765432"
CARD_LENGTHS = range(13, 20)


def luhn_valid(digits: str) -> bool:
    """Return whether a string of digits passes the Luhn check. Source: ISO/IEC 7812-1 annex B."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += sum(divmod(value, 10))
    return total % 10 == 0


def chinese_id_valid(number: str) -> bool:
    """Return whether an 18-character resident identity number has a right check character. Source: GB 11643-1999."""
    total = sum(int(d) * w for d, w in zip(number[:17], _ID_WEIGHTS, strict=True))
    return _ID_CHECK[total % 11] == number[17].upper()


def iban_valid(text: str) -> bool:
    """Return whether an IBAN has a right check number. Source: ISO 13616 (mod 97)."""
    compact = text.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def sensitive_spans(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of sensitive data in ``text``, in order, not overlapping."""
    if not _LONG.search(text) and not any(name in text.lower() for name in _NAMES):
        return []
    found = [(m.start(), m.end(), "card number") for m in _CARD.finditer(text) if _is_card(m.group())]
    found += [
        (m.start(), m.end(), "identity number") for m in _CHINESE_ID.finditer(text) if chinese_id_valid(m.group())
    ]
    found += [(m.start(), m.end(), "identity number") for m in _SSN.finditer(text)]
    found += [(m.start(), m.end(), "bank number") for m in _IBAN.finditer(text) if iban_valid(m.group())]
    found += [(m.start(), m.end(), "secret") for m in _TOKEN.finditer(text)]
    for named in (_NAMED_SECRET, _NAMED_SECRET_ZH, _NAMED_NUMBER_ZH):
        found += [(*m.span("secret"), "secret") for m in named.finditer(text)]
    return _disjoint(sorted(found))


def mask_sensitive(text: str) -> tuple[str, int]:
    """Return ``text`` with sensitive data replaced by ``[masked KIND]``, and how many were masked."""
    spans = sensitive_spans(text)
    for start, end, kind in reversed(spans):
        text = f"{text[:start]}[masked {kind}]{text[end:]}"
    return text, len(spans)


def is_sensitive(text: str) -> bool:
    """Return whether ``text`` holds anything that must not be learned."""
    return bool(sensitive_spans(text))


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return len(digits) in CARD_LENGTHS and len(set(digits)) > 1 and luhn_valid(digits)


def _disjoint(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
