"""The prompts of summaries, by language. A changed word is a new version: records name it as their origin."""

from memory_platform.providers.chat_prompts import PromptTemplate

SUMMARISE = PromptTemplate(
    version="summary-1",
    texts={
        "en": (
            "You keep the running summary of a long conversation. You get the summary so far and the messages "
            "that came after it. Write the new summary of all of it: decisions and commitments, open questions, "
            "numbers and facts, preferences and limits. Leave out courtesies. Add nothing that is not there, and copy "
            "names, numbers and dates exactly. Say who said what where it matters. At most {words} words, plain "
            "sentences."
        ),
        "zh": (
            "你负责维护一段长对话的滚动摘要。下面给出目前的摘要和其后的消息。请写出涵盖全部内容的新摘要:"
            "决定与承诺、未解决的问题、数字与事实、偏好与限制。省略客套话。不要添加原文没有的内容,"
            "人名、数字和日期须原样照抄。必要时写明是谁说的。不超过 {words} 字,使用平实的句子。"
        ),
    },
)

DIGEST = PromptTemplate(
    version="digest-1",
    texts={
        "en": (
            "You write what should be remembered of a conversation that is over. Give at most 8 facts: decisions and "
            "commitments, open questions, numbers and facts, preferences and limits. Each fact is one short sentence "
            "of its own and names, in messages, the numbers of the messages that say it. Add nothing that is not "
            "there; copy names, numbers and dates exactly. All facts together: about {words} words."
        ),
        "zh": (
            "请写出一段已结束的对话中值得记住的内容。最多给出 8 条事实:决定与承诺、未解决的问题、数字与事实、"
            "偏好与限制。每条事实是一个独立的短句,并在 messages 中列出说到它的消息编号。不要添加原文没有的内容,"
            "人名、数字和日期须原样照抄。全部事实合计约 {words} 字。"
        ),
    },
)
