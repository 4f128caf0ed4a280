"""What extraction asks chat models, by language. A changed word is a new version: records name it as their origin."""

from memory_platform.providers.chat_prompts import Prompt

ANALYSE = Prompt(
    version="extract-1",
    texts={
        "en": (
            "You read numbered messages of one person and list what they teach about that person for good. Sort each "
            "item: explicit (said outright), implicit (a habit that shows), change (something is otherwise now; name "
            "the old value in replaces where it is said), constraint (a limit to keep: allergies, diets, budgets, "
            "hours, roads). Kinds: profile (field and value: name, occupation, city, employer, pets, interests, "
            "...), preference (category, key, value; keys such as likes, dislikes, avoid, allergies, diet, "
            "temperature), tag (label with address or phone). Values stand in the person's own words. quote is the "
            "exact part of that message that proves the item, message its number. Nothing about other people, nothing "
            "meant for now only (today, this time), no questions, plans, wishes, quotations or stories. Most messages "
            "teach nothing: then items is empty."
        ),
        "zh": (
            "下面是某人的若干条带编号的消息。请列出这些消息中关于此人、长期有效的信息。每条标明 sort:"
            "explicit(明确说出)、implicit(从习惯看出)、change(情况已改变;若说到旧值则写入 replaces)、"
            "constraint(须遵守的限制:过敏、饮食、预算、时间、道路)。"
            "kind:profile(field 与 value,如 name、occupation、city、employer、pets、interests)、"
            "preference(category、key、value,key 如 likes、dislikes、avoid、allergies、diet、temperature)、"
            "tag(label 以及 address 或 phone)。value 使用本人的原话。"
            "quote 是该消息中能证明此条的原文片段,message 是消息编号。不要列出关于他人的信息、"
            "只针对当下的要求(今天、这次)、疑问、计划、愿望、引用或虚构内容。"
            "多数消息没有可学的内容:此时 items 为空。"
        ),
    },
)
