"""Prompts about messages by language. A changed word needs a new version, which notes keep."""

from memory_platform.providers.chat_prompts import PromptTemplate

PROPOSE = PromptTemplate(
    version="propose-1",
    texts={
        "en": (
            "You read numbered messages of one user and copy out what will still hold and matter in a month.\n"
            "notes: each whole clause, copied word for word, that says something lasting: fact, habit, limit (a bound "
            "to keep from now on) or plan. about: empty for the user, else the name or word by which the message calls "
            "that person, animal or thing, and relation what it is to the user. vital: why a mistake could hurt "
            "somebody, else none.\n"
            "slots: a value, copied word for word, of what the user says of themselves.\n"
            "{more}"
            "Leave out questions, requests, guesses, quotations, and what holds for today or this time only. "
            "Most messages hold nothing: then every list is empty."
        ),
        "zh": (
            "下面是一位用户的若干条带编号的消息。请摘录一个月后仍然成立且有用的内容。\n"
            "notes:逐字照抄表达长期信息的完整分句:fact(事实)、habit(习惯)、limit(今后须遵守的限制)或 plan(计划)。"
            "about:说的是用户本人则留空,否则写消息中对那个人、动物或物的称呼,relation 写其与用户的关系。"
            "vital:出错会伤害到人的原因,否则为 none。\n"
            "slots:用户说到自己时的取值,逐字照抄。\n"
            "{more}"
            "不要摘录提问、请求、猜测、引用,以及只在今天或这一次成立的内容。多数消息没有可摘录的内容:此时各列表为空。"
        ),
    },
)

FIELDS = PromptTemplate(
    version="propose-fields-1",
    texts={
        "en": "fields: words of the message, copied, that say what a field asks for.\n",
        "zh": "fields:逐字照抄消息中回答某个字段的词句。\n",
    },
)

ENDED = PromptTemplate(
    version="propose-ended-1",
    texts={
        "en": "ended: the handle of each held note that a message says is over or otherwise now.\n",
        "zh": "ended:消息表明已不再成立或已改变的旧记录的编号。\n",
    },
)
