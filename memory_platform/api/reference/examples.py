"""Requests to copy, for ``/v1/docs``: Ada in English and Lin Yue in Chinese, customers of acme."""

from typing import Any

from drf_spectacular.utils import OpenApiExample


def request_example(name: str, value: Any, **where: Any) -> OpenApiExample:
    """Return an example of a request body."""
    return OpenApiExample(name, value=value, request_only=True, **where)


MESSAGES = [
    request_example(
        "English",
        {
            "messages": [
                {
                    "message_id": "m1",
                    "role": "user",
                    "content": "I'm allergic to peanuts, and my home is at 12 Willow Lane, Portland.",
                    "said_at": "2026-03-01T10:00:00Z",
                },
                {"message_id": "m2", "role": "assistant", "content": "Noted."},
            ]
        },
    ),
    request_example(
        "中文", {"messages": [{"role": "user", "content": "我家在上海市浦东新区锦绣路100号,以后别走延安高架。"}]}
    ),
    request_example(
        "A tool was called",
        {
            "messages": [
                {"role": "user", "content": "Book me a flight to Lisbon on 3 May."},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "t1", "type": "function", "function": {"name": "book", "arguments": '{"to": "LIS"}'}}
                    ],
                },
                {"role": "tool", "content": "confirmed", "tool_call_id": "t1"},
            ]
        },
    ),
]
RECALL = [
    request_example("English", {"query": "What should I not serve Ada?"}),
    request_example("中文", {"query": "林悦家在哪里?", "top_k": 5}),
    request_example(
        "Narrowed and explained",
        {
            "query": "the weekend with Grace",
            "kinds": ["statement"],
            "filter": {"and": [{"confidence": {"gte": 0.6}}, {"importance": {"gte": 0.5}}]},
            "time_range": {"from": "2026-03-01T00:00:00Z", "to": "2026-03-31T23:59:59Z"},
            "explain": True,
        },
    ),
    request_example("What was true in March", {"query": "Where does Ada live?", "as_of": "2026-03-01T00:00:00Z"}),
]
CONTEXT = [
    request_example(
        "English",
        {
            "query": "Any snack ideas for the drive?",
            "conversation_id": "weekend",
            "system_prompt": "You are a car assistant.",
        },
    ),
    request_example("中文", {"query": "导航回家", "conversation_id": "第一次用车", "system_prompt": "你是车载助手。"}),
    request_example(
        "A small budget, as one text",
        {"query": "Navigate home", "budget": {"total": 1500, "memory": 400, "window": 500}, "format": "text"},
    ),
    request_example(
        "In Anthropic's form", {"query": "Any snack ideas?", "conversation_id": "weekend", "vendor": "anthropic"}
    ),
]
OUTCOME = [
    request_example(
        "Reply and next turn",
        {"reply": "An aisle seat, as usual.", "next_user_message": "No, window, not aisle."},
    ),
    request_example("中文", {"reply": "为您订了靠窗的座位。", "next_user_message": "不是靠窗,是靠过道"}),
    request_example(
        "A verdict of the product",
        {
            "verdicts": [
                {"memory_id": "019aa9a4-7d2e-7c1b-9f60-3b1f6a3c2d10", "signal": "negative", "reason": "moved away"}
            ]
        },
    ),
]
SNAPSHOTS = [
    request_example("English", {"text": "Ada's sister Grace loves jazz.", "category": "family", "topics": ["music"]}),
    request_example(
        "中文", {"text": "林悦每周三晚上打羽毛球。", "said_at": "2026-03-04T20:00:00+08:00", "confidence": 0.8}
    ),
]
NOTES = [
    request_example("English", {"text": "I'm allergic to peanuts", "vital": True, "vital_class": "allergy"}),
    request_example(
        "中文",
        {
            "text": "我妈妈膝盖不好,不能走远路",
            "grade": "about_other",
            "about": {"kind": "contact", "label": "妈妈", "relation": "母亲"},
        },
    ),
]
PREFERENCES = [
    request_example("English", {"value": ["peanuts"], "statement": "I'm allergic to peanuts"}),
    request_example("中文", {"value": "靠窗", "statement": "我喜欢靠窗的座位", "provenance": "confirmed_by_user"}),
]
IMPORT = [
    request_example(
        "The lines of an export",
        {
            "lines": [
                {"type": "header", "format": 2, "origin": "019aa9a4-4410-7517-8d17-906f9e023e47"},
                {"type": "subject", "subject_id": "ada", "metadata": {"name": "Ada 阿达"}},
                {"type": "end", "counts": {}},
            ]
        },
        media_type="application/json",
    ),
]

TOOL_CALLS = [
    request_example(
        "English",
        {
            "conversation_id": "c1",
            "arguments": {
                "category": "navigation",
                "key": "avoid",
                "value": "highways",
                "statement": "I avoid highways.",
                "provenance": "confirmed_by_user",
            },
        },
    ),
    request_example(
        "中文", {"conversation_id": "c1", "arguments": {"category": "food", "key": "diet", "value": "素食"}}
    ),
]

POLICIES = [
    request_example(
        "Fewer memories, no recency",
        {
            "changes": {"recall": {"top_k": 5}, "context": {"total": 4000}, "ranking": {"use_recency": False}},
            "reason": "shorter prompts for the hotline",
        },
    ),
    request_example(
        "短一点", {"changes": {"retention": {"statement": 90}}, "reason": "九十天后不再需要", "dry_run": True}
    ),
]

FIELD_TRIES = [
    request_example("Fields in force", {"text": "My parcels always go to the pick-up point at the station."}),
    request_example(
        "一个草稿",
        {
            "text": "我坐飞机一定要靠窗的位子",
            "fields": {
                "seat_preference": {
                    "description": "Where on the plane or train the traveller likes to sit.",
                    "examples": ["I always book the window"],
                }
            },
        },
    ),
]

EXPERIMENTS = [
    request_example(
        "Two arms",
        {
            "name": "shorter prompts",
            "arms": [
                {"name": "as it is", "policy_version": 1, "percent": 50},
                {"name": "shorter", "policy_version": 2, "percent": 50},
            ],
            "reason": "is less as good?",
        },
    ),
]

NEXT_ASK = [
    request_example("English", {"conversation_id": "c1"}),
    request_example("中文", {"conversation_id": "第一次用车", "phase": "opening"}),
]
ANSWERS = [
    request_example("English", {"accepted": True, "value": "12 Willow Lane, Portland"}),
    request_example(
        "中文", {"accepted": True, "value": {"person": "妈妈", "phone": "138 0013 8000", "relation": "母亲"}}
    ),
    request_example("A refusal", {"accepted": False}),
]

TASKS = [
    request_example(
        "English", {"goal": "Book a quiet hotel in Lisbon", "plan": ["Find hotels", "Ask for a quiet room", "Book"]}
    ),
    request_example(
        "中文", {"goal": "订一张去上海的高铁票", "plan": [{"id": "s1", "text": "查车次"}, {"id": "s2", "text": "下单"}]}
    ),
]
TASK_CHANGES = [
    request_example(
        "A step is done",
        {"steps": [{"id": "s1", "status": "completed", "result": "G7, 9:00", "tool": "search_trains"}], "iteration": 1},
    ),
    request_example(
        "一步失败", {"steps": [{"id": "s2", "status": "failed", "error": "余票不足"}], "scratchpad": {"备选": ["G9"]}}
    ),
]
ENDINGS = [
    request_example(
        "English",
        {
            "outcome": "success",
            "key_decisions": ["a room to the courtyard"],
            "feedback": "She liked the courtyard.",
            "lessons": ["Ask for the courtyard side first."],
        },
    ),
    request_example("中文", {"outcome": "failure", "approach": "先查直达,再查中转", "lessons": "节假日要提前两周订票"}),
]
