"""How English and Chinese speakers respond to an answer: the patterns of two files, and lists of words."""

from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns

EN = load_patterns(Path(__file__).with_name("patterns_en.toml"))
ZH = load_patterns(Path(__file__).with_name("patterns_zh.toml"))
_ATTITUDES_EN = """
user like love enjoy prefer want need hate dislik avoid favourit favorit usual alway often sometim never realli would
said say ask told live have use go get one also thing lot much good great year day time make take
"""
_ATTITUDES_ZH = """
用户 喜欢 喜爱 爱 讨厌 不喜欢 偏好 习惯 想 要 会 能 可以 需要 觉得 希望 打算 准备 经常 平时 一般 每天 每周
现在 最近 有 是 在 用 去 做 吃 喝 住 买 看 说 问 叫 一个 一些 东西 时候 比较
"""
# Stems and words that say how something is liked or done, not what.
ATTITUDES_EN = frozenset(_ATTITUDES_EN.split())
ATTITUDES_ZH = frozenset(_ATTITUDES_ZH.split())
# Stems that a question may gain when it is asked again.
COURTESIES = frozenset(
    ["pleas", "actual", "real", "realli", "simpli", "again", "back", "still", "sorri", "ok", "okay", "yes"]
)
# Question words that ask the same.
SAME_QUESTION = {"为啥": "为什么", "啥": "什么", "how many": "how much"}


def matches_pattern(name: str, text: str) -> bool:
    return any(patterns[name].search(text) is not None for patterns in (EN, ZH))
