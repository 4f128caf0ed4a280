"""Files of other systems, in the forms that their packages write, in English and Chinese."""

import sqlite3
from pathlib import Path
from typing import Any

import orjson

# mem0ai 2.2.1, `Memory.get_all`; the last one as the hosted platform tells it.
MEM0: dict[str, Any] = {
    "results": [
        {
            "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
            "memory": "Ada is allergic to peanuts",
            "hash": "b1946ac92492d2347c6235b4d2611184",
            "metadata": {"source": "chat"},
            "created_at": "2025-03-01T02:15:30.123456-08:00",
            "updated_at": None,
            "user_id": "ada",
            "role": "user",
        },
        {
            "id": "0f3c1c0e-3f0c-4a68-9a7d-0d4f1a1f7c11",
            "memory": "小敏每天早上喝龙井茶",
            "hash": "c4ca4238a0b923820dcc509a6f75849b",
            "metadata": {"语言": "中文"},
            "created_at": "2025-04-02T08:00:00+08:00",
            "updated_at": "2025-04-03T08:00:00+08:00",
            "user_id": "小敏",
        },
        {
            "id": "5c9f6a44-1111-4f5e-8d8a-2b1f0c9e7a01",
            "memory": "Prefers window seats",
            "user_id": "ada",
            "agent_id": "travel-bot",
            "run_id": "trip/2025",
            "categories": ["travel"],
            "metadata": None,
            "created_at": "2025-05-01T10:00:00Z",
            "updated_at": "2025-05-01T10:00:00Z",
            "expiration_date": None,
        },
    ]
}

# graphiti-core 0.31.2, `EntityEdge` and `EpisodicNode`; zep-cloud 4.0.1, `Message`.
ZEP: dict[str, Any] = {
    "edges": [
        {
            "uuid": "3d1f8a20-9c8e-4c57-9a70-52e6f7c0a001",
            "group_id": "ada",
            "source_node_uuid": "11111111-1111-4111-8111-111111111111",
            "target_node_uuid": "22222222-2222-4222-8222-222222222222",
            "created_at": "2025-06-01T09:00:00Z",
            "name": "LIVES_IN",
            "fact": "Ada lives in Lisbon",
            "fact_embedding": None,
            "episodes": ["e-1"],
            "expired_at": "2025-08-02T10:00:00Z",
            "valid_at": "2021-01-01T00:00:00Z",
            "invalid_at": "2025-08-01T00:00:00Z",
            "attributes": {},
        },
        {
            "uuid": "3d1f8a20-9c8e-4c57-9a70-52e6f7c0a002",
            "group_id": "ada",
            "created_at": "2025-08-02T10:00:00Z",
            "name": "LIVES_IN",
            "fact": "艾达住在苏黎世",
            "episodes": ["e-2"],
            "expired_at": None,
            "valid_at": "2025-08-01T00:00:00Z",
            "invalid_at": "9999-12-31T00:00:00Z",
            "attributes": {"since": "August"},
        },
    ],
    "episodes": [
        {
            "uuid": "e-1",
            "name": "Onboarding form",
            "group_id": "ada",
            "labels": [],
            "created_at": "2025-06-01T09:00:00Z",
            "source": "text",
            "source_description": "form",
            "content": "Emergency contact: Theo",
            "valid_at": "2025-06-01T08:00:00Z",
            "entity_edges": [],
        }
    ],
    "messages": [
        {
            "uuid": "m-1",
            "thread_id": "t/1",
            "user_id": "ada",
            "role": "user",
            "name": "Ada",
            "content": "I moved to Zürich in August.",
            "created_at": "2025-08-02T10:00:00Z",
        },
        {
            "uuid": "m-2",
            "thread_id": "t/1",
            "user_id": "ada",
            "role": "assistant",
            "content": "恭喜乔迁！",
            "created_at": "2025-08-02T10:00:05Z",
        },
    ],
}


def make_sent_message(words: str) -> dict[str, Any]:
    function = {"name": "send_message", "arguments": orjson.dumps({"message": words}).decode()}
    return {"id": "call_1", "type": "function", "function": function}


# The newer form: letta/schemas/agent_file.py.
LETTA: dict[str, Any] = {
    "agents": [
        {
            "id": "agent-0",
            "name": "support",
            "block_ids": ["block-0", "block-1"],
            "memory_blocks": [],
            "core_memory": None,
            "passages": [
                {
                    "id": "passage-77",
                    "text": "Ada's cat is called Tofu",
                    "tags": ["pets"],
                    "created_at": "2025-02-01T10:00:00+00:00",
                    "metadata": {"page": 3},
                }
            ],
            "in_context_message_ids": ["message-1"],
            "messages": [
                {"id": "message-0", "role": "system", "content": [{"type": "text", "text": "You are Sam."}]},
                {
                    "id": "message-1",
                    "role": "user",
                    "content": [
                        {
                            "type": "text",
                            "text": '{"type": "user_message", "message": "I play the cello.", "time": "2025"}',
                        }
                    ],
                    "created_at": "2025-02-02T10:00:00+00:00",
                },
                {
                    "id": "message-2",
                    "role": "assistant",
                    "content": [{"type": "text", "text": "The user is musical. I should answer."}],
                    "tool_calls": [make_sent_message("大提琴真好听！")],
                    "created_at": "2025-02-02T10:00:03+00:00",
                },
                {
                    "id": "message-3",
                    "role": "user",
                    "content": [{"type": "text", "text": '{"type": "heartbeat", "reason": "timer"}'}],
                    "created_at": "2025-02-02T10:00:04+00:00",
                },
            ],
        }
    ],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "Name: Ada. 喜欢爬山。", "limit": 5000, "description": "the user"},
        {"id": "block-1", "label": "persona", "value": "I am Sam and I am patient.", "limit": 5000},
    ],
    "groups": [],
    "files": [],
    "sources": [],
    "tools": [],
    "mcp_servers": [],
    "metadata": {},
    "created_at": "2025-02-03T00:00:00Z",
}

# The older form: letta/serialize_schemas/pydantic_agent_schema.py.
OLD_LETTA: dict[str, Any] = {
    "agent_type": "memgpt_agent",
    "name": "support",
    "core_memory": [
        {
            "created_at": "2025-01-01T00:00:00",
            "updated_at": "2025-01-05T00:00:00",
            "label": "human",
            "limit": 5000,
            "value": "Likes jazz",
        }
    ],
    "messages": [
        {
            "created_at": "2025-01-05T00:00:00",
            "role": "assistant",
            "content": [{"type": "text", "text": "Hello"}],
            "tool_calls": [],
        }
    ],
}

CHAT_LINES: list[dict[str, Any]] = [
    {
        "id": "conv-1",
        "user": "ada",
        "created_at": 1748772000,
        "messages": [
            {"role": "developer", "content": "Be kind."},
            {"role": "user", "content": "I am vegetarian."},
            {"role": "assistant", "content": [{"type": "text", "text": "Noted."}], "refusal": None},
        ],
    },
    {"user": "ada", "messages": [{"role": "user", "content": "我喜欢爬山。"}]},
]


def node(name: str, parent: str | None, role: str, parts: list[Any], **more: Any) -> dict[str, Any]:
    message = {
        "id": f"msg-{name}",
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1748772000.5,
        "content": {"content_type": "text", "parts": parts},
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **more,
    }
    return {"id": name, "message": message, "parent": parent, "children": []}


CHATGPT: list[dict[str, Any]] = [
    {
        "title": "Hiking",
        "create_time": 1748771990.0,
        "update_time": 1748772100.0,
        "conversation_id": "6841aa00-0000-8000-aaaa-000000000001",
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
            "a": node("a", "root", "system", [""], metadata={"is_visually_hidden_from_conversation": True}),
            "b": node("b", "a", "user", ["I hike every Sunday.", {"content_type": "image_asset_pointer"}]),
            "c": node("c", "b", "assistant", ["An answer that was replaced."]),
            "d": node("d", "b", "assistant", ["每个星期天？真棒！"]),
        },
    }
]

PREFERENCES = """subject,key,value,when,category
ada,seat,aisle,2025-01-01,travel
ada,seat,window,2025-06-01T10:00:00+02:00,travel
ada,city,"Zürich, CH",2025-06-02,
小敏,茶,龙井,2025-06-03 09:00,food
"""


def write_json(path: Path, content: Any) -> Path:
    path.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
    return path


def write_json_lines(path: Path, rows: list[Any]) -> Path:
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


def write_history(path: Path) -> Path:
    """Write a history as mem0ai 2.2.1 does: a memory that was changed, and one that was deleted."""
    database = sqlite3.connect(path)
    columns = "id, memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, actor_id, role"
    database.execute(f"CREATE TABLE history ({columns})")
    jan, feb, mar = (f"2025-0{month}-01T00:00:00+00:00" for month in (1, 2, 3))
    rows = [
        ("h1", "mem-1", None, "Lives in Lisbon", "ADD", jan, None, 0, None, "user"),
        ("h2", "mem-2", None, "喜欢咖啡", "ADD", jan, jan, 0, None, "user"),
        ("h3", "mem-1", "Lives in Lisbon", "Lives in Zürich", "UPDATE", jan, feb, 0, None, "user"),
        ("h4", "mem-2", "喜欢咖啡", None, "DELETE", jan, mar, 1, None, "user"),
    ]
    database.executemany("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    database.commit()
    database.close()
    return path
