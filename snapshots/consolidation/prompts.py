"""The prompts of consolidation, by language. A changed word is a new version."""

from memory_platform.providers.chat_prompts import PromptTemplate

JOIN = PromptTemplate(
    version="join-1",
    texts={
        "en": (
            "You get several notes about one person that say nearly the same. Write them as one note: one statement of "
            "all of them, with nothing left out and nothing added. Use the words of the notes alone, keep names, "
            "numbers and every not or never exactly, and keep who compares what with what in its order. No "
            "introduction, no list, no longer than the notes."
        ),
        "zh": (
            "下面是关于同一个人的几条笔记,意思几乎相同。请把它们写成一条:完整表达全部内容,不遗漏,也不添加。"
            "只使用笔记中的词语,人名、数字以及每一个“不”“没”“从不”须原样保留,比较的先后次序不变。"
            "不要开场白,不要列表,不要比笔记更长。"
        ),
    },
)
