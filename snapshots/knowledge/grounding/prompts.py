"""The prompt with which a chat model judges sentences. A changed word is a new version."""

from memory_platform.providers.chat_prompts import PromptTemplate

GROUND = PromptTemplate(
    version="ground-1",
    texts={
        "en": (
            "You check numbered sentences of an answer against numbered passages of documents. Say for each "
            "sentence: supported (one passage says all of it, with the same numbers, names and denials), "
            "contradicted (a passage says otherwise), or missing (no passage says it). passage is the number of the "
            "passage; quote is the exact part of that passage that shows it, empty for missing. Use what the passages "
            "say and nothing that you know otherwise. Where you are in doubt, say missing."
        ),
        "zh": (
            "下面是一个回答中带编号的句子,以及若干带编号的文档段落。请对照段落判断每个句子:"
            "supported(某个段落说明了句子的全部内容,数字、名称与否定都一致)、contradicted(某个段落的说法与之不同)、"
            "missing(没有段落提到)。passage 填段落编号;quote 填该段落中能说明这一点的原文片段,missing 时留空。"
            "只依据段落内容,不要使用你自己的知识。拿不准时,填 missing。"
        ),
    },
)
