"""Rewrite written Cantonese as Mandarin, character for character: one set of patterns reads both, and positions
stay."""

import re

_CANTONESE = re.compile(r"[唔嘅咗冇佢喺啲嚟嗰𠮶哋咁㗎囖]|钟意|中意|[我又都就净]系(?!统|列)|返工|收工|鍾意")
_MANDARIN = {
    ord(c): ord(m)
    for c, m in zip(
        "唔嘅喇咗冇佢喺啲嚟嗰𠮶咩咁畀俾睇饮搵攞掂淨", "不的了了没他在些来那那么这给给看喝找拿碰只", strict=True
    )
}
_PAIRS = {
    "钟意": "喜欢",
    "中意": "喜欢",
    "不系": "不是",
    "不使": "不用",
    "不好": "不要",
    "而家": "现在",
    "琴日": "昨天",
    "听日": "明天",
    "食饭": "吃饭",
    "我系": "我是",
    "又系": "又是",
    "都系": "都是",
    "就系": "就是",
    "今个礼拜": "这个礼拜",
    "我食": "我吃",
    "不食": "不吃",
    "食得": "吃得",
    "食素": "吃素",
    "食辣": "吃辣",
    "返工": "上班",
    "收工": "下班",
}
_BEING = re.compile("(?<![关联体星派院不])系(?![统列数主])")
_MANDARIN_PAIRS = re.compile("|".join(_PAIRS))


def as_mandarin(text: str) -> str:
    """Return simplified ``text`` with Cantonese words replaced by Mandarin ones of the same length."""
    if not _CANTONESE.search(text):
        return text
    return _BEING.sub("是", _MANDARIN_PAIRS.sub(lambda found: _PAIRS[found.group()], text.translate(_MANDARIN)))
