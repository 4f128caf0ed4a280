"""A small data set of our own in English and Chinese: two subjects, four conversations, questions with evidence."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

# Role, named speaker, words.
Said = tuple[str, str | None, str]

LIN: dict[str, list[Said]] = {
    "c1": [
        ("user", None, "I moved from Oslo to Lisbon in March because the winters were too dark for me."),
        ("assistant", None, "That sounds like a good change. How do you like it?"),
        ("user", None, "I love it, and I started pottery classes in a small studio near the harbour."),
        ("user", "Ruth", "My brother keeps bees on his roof, four hives of them by now."),
    ],
    "c2": [
        ("user", None, "Last weekend we hiked up Monsanto with my neighbour Teresa and her two dogs."),
        ("user", None, "The rent went up again, so I am looking for a cheaper flat with a balcony."),
    ],
}
MEI: dict[str, list[Said]] = {
    "c1": [
        ("user", None, "我上个月开始学拉小提琴,老师说我的节奏感很好。"),
        ("assistant", None, "太好了!你每天练多久?"),
        ("user", None, "我妈妈在杭州开了一家很小的茶馆,周末我常去帮忙。"),
    ],
    "c2": [("user", None, "上周我们全家去爬了黄山,日出特别美,弟弟累得走不动了。")],
}
QUESTIONS = {
    "lin": [
        ("q1", "Where did Lin live before Lisbon?", ["c1-0"], "single", "Oslo"),
        ("q2", "What new hobby is there, and who came along on the hike?", ["c1-2", "c2-0"], "multi", None),
        ("q3", "What does Ruth's brother keep on his roof?", ["c1-3"], "single", "bees"),
        ("q4", "What is the favourite colour?", [], "none", None),
        ("q5", "What was never asked?", ["c2-1"], "5", None),
    ],
    "mei": [
        ("m1", "她在学什么乐器?", ["c1-0"], "single", "小提琴"),
        ("m2", "妈妈的茶馆在哪里?", ["c1-2"], "single", None),
        ("m3", "谁去爬了黄山,看到了什么?", ["c2-0"], "single", None),
    ],
}


def bilingual() -> dict[str, Any]:
    """Return the data set; message ids are ``<conversation>-<number>``, days pass between conversations."""
    return {"name": "bilingual", "subjects": [_subject("lin", LIN), _subject("mei", MEI)]}


def write_dataset(tmp_path: Path, content: Any = None) -> Path:
    """Write a data set, by default ``bilingual``, and return its path."""
    path = tmp_path / "bilingual.json"
    path.write_bytes(orjson.dumps(content or bilingual()))
    return path


def _subject(subject_id: str, conversations: dict[str, list[Said]]) -> dict[str, Any]:
    return {
        "subject_id": subject_id,
        "conversations": [
            {"conversation_id": name, "messages": _messages(name, day, said)}
            for day, (name, said) in enumerate(conversations.items(), start=1)
        ],
        "questions": [
            {"id": id_, "query": query, "evidence": evidence, "category": category, "answer": answer}
            for id_, query, evidence, category, answer in QUESTIONS[subject_id]
        ],
    }


def _messages(conversation: str, day: int, said: Sequence[Said]) -> list[dict[str, Any]]:
    return [
        {
            "message_id": f"{conversation}-{number}",
            "role": role,
            "name": name,
            "content": content,
            "said_at": f"2026-03-{day:02d}T10:{number:02d}:00+00:00",
        }
        for number, (role, name, content) in enumerate(said)
    ]
