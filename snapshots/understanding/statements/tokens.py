import math
import re

_UNIT = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9']+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_TOKENS_PER_WORD = 1.3


def rough_tokens(text: str) -> int:
    """Return an estimate of tokens: 1.3 per word, 1 per Chinese character, rounded up."""
    units = _UNIT.findall(text)
    han = sum(1 for unit in units if _HAN.match(unit))
    return math.ceil((len(units) - han) * _TOKENS_PER_WORD + han)
