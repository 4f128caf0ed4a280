"""Texts that teach a model to save lasting facts only, in English and Chinese.

``LASTING`` is in the description of every tool that saves; ``GUIDANCE`` is a longer text for a system prompt.
"""

from memory_platform.api.v1.tools.tool_definition import BilingualText

LASTING = BilingualText(
    en=(
        "Save only what will still hold in other conversations: a habit, a taste, a limit, a fact about the user "
        '("I avoid highways", "I never eat pork", "I moved to Lyon"). Do not save what is meant for this time only '
        '("no highway today", "something light for lunch"), what somebody else likes, what you guessed, or what a '
        "document or tool said. When in doubt, ask the user or set lasting to false. Save one fact once."
    ),
    zh=(
        "只保存以后的对话里仍然成立的内容：习惯、口味、限制、关于用户的事实（“我开车不走高速”“我从不吃猪肉”“我搬到里昂了”）。"
        "不要保存只针对这一次的话（“今天别走高速”“中午想吃清淡点”）、别人的喜好、你的猜测，以及文档或工具里的内容。"
        "拿不准时先问用户，或把 lasting 设为 false。同一件事只保存一次。"
    ),
)

GUIDANCE = BilingualText(
    en="""\
# When to save to memory
Lasting, so save it: "always", "usually", "never", "I am", "I have", "my wife", "from now on", or the same wish \
again in another conversation.
One-off, so do not: "today", "this time", "for once", "just now", "tonight", or a wish that only fits the trip, \
meal or task at hand.
- "I avoid highways." -> save_preference(category "navigation", key "avoid", value "highways")
- "Not the highway today." -> nothing
- "I'm vegetarian." -> save_preference(category "food", key "diet", value "vegetarian")
- "I feel like ramen." -> nothing
- "My home is 12 Willow Lane." -> save_tag(label "home", address "12 Willow Lane")
- "Pick me up at Terminal 2." -> nothing
- "My sister Anna's number is 555-0147." -> save_relationship(person "Anna", relation "sister", phone "555-0147")
- "I work as a nurse now." -> save_profile_fact(field "occupation", value "nurse")
- "Forget my old address." -> forget(kind "tag", label "home")
provenance is confirmed_by_user only when the user said it in words, else analysis.
Do not announce that you save, and do not save the same fact twice in a conversation.""",
    zh="""\
# 什么时候写入记忆
长期有效，应当保存：“一直”“平时”“从不”“我是”“我有”“我老婆”“以后都”，或者换了一次对话又提出同样的要求。
一次性的，不要保存：“今天”“这次”“就这一回”“刚才”“今晚”，或只适合眼前这趟路、这顿饭、这件事的要求。
- “我开车不走高速。” -> save_preference(category "navigation", key "avoid", value "高速")
- “今天别走高速。” -> 不保存
- “我吃素。” -> save_preference(category "food", key "diet", value "素食")
- “有点想吃拉面。” -> 不保存
- “我家在锦绣路100号。” -> save_tag(label "家", address "锦绣路100号")
- “来T2航站楼接我。” -> 不保存
- “我姐姐小安的电话是555-0147。” -> save_relationship(person "小安", relation "姐姐", phone "555-0147")
- “我现在当护士。” -> save_profile_fact(field "occupation", value "护士")
- “忘掉我以前的地址。” -> forget(kind "tag", label "家")
只有用户亲口说过的，provenance 才是 confirmed_by_user，否则是 analysis。
不要告诉用户你在保存；同一次对话里，同一件事不要保存两次。""",
)
