"""Prompts of feedback for chat models, by language. A changed word is a new version."""

from memory_platform.providers.chat_prompts import PromptTemplate

JUDGE = PromptTemplate(
    version="judge-1",
    texts={
        "en": (
            "You read numbered pieces of conversations: a question, the assistant's reply where it is known, and the "
            "user's next message. Say for each what the next message does to the reply. confirm: takes it, thanks, "
            "agrees. follow_up: builds upon it. restate: asks for the same again, or says that the reply did not "
            "answer. correct: says that something in it is wrong or no longer so. topic_change: has nothing to do with "
            "it. turn is the number; quote is the exact part of the next message that shows it, empty for "
            "topic_change. Where you are in doubt, say topic_change."
        ),
        "zh": (
            "下面是若干带编号的对话片段:提问、助手的回答(若已知)以及用户的下一条消息。请判断每一条下一条消息对该回答的作用。"
            "confirm:接受、感谢、同意。follow_up:在其基础上继续。restate:再次提出同样的要求,或表示没有回答到点上。"
            "correct:指出其中有误或已不再如此。topic_change:与之无关。"
            "turn 是编号;quote 是下一条消息中能说明这一点的原文片段,topic_change 时留空。拿不准时,填 topic_change。"
        ),
    },
)
