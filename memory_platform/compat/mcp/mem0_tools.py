"""The eleven tools of mem0's MCP server, by its names and arguments: its clients need no new prompt.

A user of mem0's is our subject. A run is a conversation. Answers are JSON in one text item, as mem0's are.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import (
    AnyField,
    FlagField,
    JsonObjectField,
    ListOfField,
    OwnIdField,
    ProductIdField,
    TextField,
    WholeField,
)
from memory_platform.api.v1.recall.recall import TOP_K_MOST
from memory_platform.api.v1.tools.tool_definition import Arguments, BilingualText, Effect, Parameter, Tool
from memory_platform.compat.mcp.api_calls import call_api
from memory_platform.compat.mcp.chatgpt_tools import NOTES, SNAPSHOTS, load_memory
from memory_platform.compat.mcp.client_request import ToolRefused, Visit
from memory_platform.compat.mcp.served_tool import ServedTool, ToolResult, write_json

MESSAGES_MOST = 100
RESULTS = 10
# A list of memories is read up to here; mem0's pages count from 1.
ROWS_MOST = 2_000
RUN = "mcp"
SCOPES = ("agent_id", "app_id", "run_id")


def make_tool(
    name: str,
    effect: Effect,
    purpose: BilingualText,
    parameters: tuple[Parameter, ...],
    run: Callable[[Visit, Arguments], ToolResult],
) -> ServedTool:
    title = name.replace("_", " ").capitalize()
    return ServedTool(
        Tool(name, BilingualText(title, title), purpose, effect, parameters), run, is_idempotent=effect != "writes"
    )


def make_option(name: str, field: AnyField, en: str, zh: str) -> Parameter:
    return Parameter(name, field, en, zh)


USER_ID = make_option(
    "user_id",
    ProductIdField(required=False),
    "The user. Leave it out when the connection is for one user.",
    "用户编号；连接只属于一个用户时不填。",
)
AGENT_ID = make_option(
    "agent_id", ProductIdField(required=False), "The agent; kept as metadata.", "智能体编号，作为元数据保存。"
)
APP_ID = make_option(
    "app_id", ProductIdField(required=False), "The application; kept as metadata.", "应用编号，作为元数据保存。"
)
RUN_ID = make_option(
    "run_id", ProductIdField(required=False), "The conversation of the call.", "这次调用所属的对话编号。"
)
FILTERS = make_option(
    "filters",
    JsonObjectField(required=False),
    'Filters, such as {"AND": [{"user_id": "alex"}]}. Only user_id is read.',
    "过滤条件，只读取其中的 user_id。",
)
ENABLE_GRAPH = make_option(
    "enable_graph", FlagField(required=False), "Accepted; relations are always kept.", "可以填写，不影响结果。"
)
MEMORY_ID = make_option("memory_id", OwnIdField(max_length=API_CONFIG.id_chars), "Id of the memory.", "记忆的编号。")


def make_mem0_result(data: Any) -> ToolResult:
    return ToolResult(write_json(data))


def add_memory(visit: Visit, arguments: Arguments) -> ToolResult:
    """Store messages, which a worker learns from; without messages store the text as it is, which no model rewrites."""
    subject_id = visit.require_subject(arguments.get("user_id"))
    if arguments.get("messages"):
        return make_mem0_result(_add_messages(visit, subject_id, arguments))
    scopes = {name: arguments[name] for name in SCOPES if name in arguments}
    body: dict[str, Any] = {"text": arguments["text"], "metadata": {**scopes, **arguments.get("metadata", {})}}
    written = visit.call_below_subject(subject_id, "POST", SNAPSHOTS, body=body)
    event = "NONE" if written["verdict"] == "unchanged" else "ADD"
    return make_mem0_result(
        {"results": [{"id": written["id"], "memory": written["text"], "event": event, "event_id": written["id"]}]}
    )


def _add_messages(visit: Visit, subject_id: str, arguments: Arguments) -> dict[str, Any]:
    conversation = arguments.get("run_id") or visit.conversation_id or f"{RUN}-{uuid4().hex[:12]}"
    taken = ("role", "content", "name")
    sent = [{name: one[name] for name in taken if name in one} for one in arguments["messages"]]
    answer = visit.call_below_subject(
        subject_id, "POST", "conversations", conversation, "messages", body={"messages": sent}
    )
    return {
        "results": [
            {
                "message": "The message is stored; memories of it follow.",
                "status": "PENDING" if one["verdict"] == "stored" else "SUCCEEDED",
                "event_id": f"{conversation}:{one['message_id']}",
            }
            for one in answer["accepted"]
        ]
    }


def search_memories(visit: Visit, arguments: Arguments) -> ToolResult:
    subject_id = visit.require_subject(_find_named_user(arguments), "filters")
    body = {"query": arguments["query"], "top_k": arguments.get("limit", RESULTS), "lanes": ["notes", "snapshots"]}
    found = visit.call_below_subject(subject_id, "POST", "recall", body=body)
    ranked = sorted([*found["notes"], *found["memories"]], key=lambda one: -float(one["relevance"]))
    results = [render(one, subject_id) | {"score": one["relevance"]} for one in ranked[: body["top_k"]]]
    return make_mem0_result({"results": results})


def get_memories(visit: Visit, arguments: Arguments) -> ToolResult:
    subject_id = visit.require_subject(_find_named_user(arguments), "filters")
    size, page = arguments["page_size"], arguments["page"]
    if size * page > ROWS_MOST:
        raise ToolRefused(f"arguments.page: Must not reach beyond {ROWS_MOST} memories. Use search_memories.")
    rows = _list_rows(visit, subject_id, NOTES, {}, size * page)
    rows += _list_rows(visit, subject_id, SNAPSHOTS, {"kind": "manual"}, size * page - len(rows))
    results = [render(one, subject_id) for one in rows[size * (page - 1) : size * page]]
    return make_mem0_result({"results": results, "page": page, "page_size": size})


def _list_rows(visit: Visit, subject_id: str, lane: str, query: dict[str, Any], most: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor = None
    while len(rows) < most:
        asked = query | {"limit": min(most - len(rows), API_CONFIG.page_most)} | ({"cursor": cursor} if cursor else {})
        page = visit.call_below_subject(subject_id, "GET", lane, query=asked)
        rows += page["data"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return rows


def get_memory(visit: Visit, arguments: Arguments) -> ToolResult:
    subject_id = visit.require_subject()
    return make_mem0_result(render(load_memory(visit, subject_id, str(arguments["memory_id"]))[1], subject_id))


def update_memory(visit: Visit, arguments: Arguments) -> ToolResult:
    subject_id, memory_id = visit.require_subject(), str(arguments["memory_id"])
    lane, _ = load_memory(visit, subject_id, memory_id)
    written = visit.call_below_subject(subject_id, "PATCH", lane, memory_id, body={"text": arguments["text"]})
    return make_mem0_result({"results": [render(written, subject_id) | {"event": "UPDATE"}]})


def delete_memory(visit: Visit, arguments: Arguments) -> ToolResult:
    subject_id, memory_id = visit.require_subject(), str(arguments["memory_id"])
    lane, _ = load_memory(visit, subject_id, memory_id)
    visit.call_below_subject(subject_id, "POST", lane, memory_id, "forget", body={})
    return make_mem0_result({"message": "Memory deleted successfully!"})


def erase_user(visit: Visit, arguments: Arguments) -> ToolResult:
    """Erase all that is remembered of the user. A key that is bound to the user ends with it."""
    for name in SCOPES:
        if name in arguments and "user_id" not in arguments and not visit.subject_id:
            raise ToolRefused(f"arguments.{name}: Memories are erased for a whole user: name user_id.")
    subject_id = visit.require_subject(arguments.get("user_id"))
    visit.call_below_subject(subject_id, "DELETE")
    return make_mem0_result({"message": "Memories deleted successfully!"})


def list_users(visit: Visit, arguments: Arguments) -> ToolResult:
    if visit.subject_id:
        found = [visit.call_below_own_subject("GET")]
    else:
        found = call_api(visit.caller, "GET", ("subjects",), query={"limit": API_CONFIG.page_most})["data"]
    results = [
        {"id": one["subject_id"], "name": one["subject_id"], "type": "user", "created_at": one["created_at"]}
        for one in found
    ]
    return make_mem0_result({"results": results, "count": len(results)})


def list_events(visit: Visit, arguments: Arguments) -> ToolResult:
    return make_mem0_result({"results": [], "pending": visit.call_below_own_subject("GET", "pending")["pending"]})


def get_event_status(visit: Visit, arguments: Arguments) -> ToolResult:
    """Return whether the work of an event is done: all of the user's is, once nothing is pending."""
    waiting = visit.call_below_own_subject("GET", "pending")["pending"]
    return make_mem0_result({"event_id": arguments["event_id"], "status": "PENDING" if waiting else "SUCCEEDED"})


def render(one: dict[str, Any], subject_id: str) -> dict[str, Any]:
    """Return a note or snapshot as mem0 shows a memory."""
    return {
        "id": one["id"],
        "memory": one["text"],
        "user_id": subject_id,
        "metadata": one.get("metadata") or {},
        "categories": one.get("topics") or [],
        "created_at": one["said_at"],
        "updated_at": one["valid_at"],
    }


def _find_named_user(arguments: Arguments) -> str | None:
    """Return the user that mem0's filters name, at the top or within AND. Raises ToolRefused for two."""
    filters = arguments.get("filters", {})
    inner = filters.get("AND")
    parts = [filters, *(inner if isinstance(inner, list) else ())]
    names = {str(one["user_id"]) for one in parts if isinstance(one, dict) and "user_id" in one}
    if len(names) > 1:
        raise ToolRefused("arguments.filters: Must name one user.")
    return next(iter(names), None)


MEM0_TOOLS = (
    make_tool(
        "add_memory",
        "writes",
        BilingualText("Remember a text as it is, or learn from messages.", "按原文记住一段话，或从消息中学习。"),
        (
            make_option("text", TextField(), "The text to remember.", "要记住的内容。"),
            make_option(
                "messages",
                ListOfField(child=JsonObjectField(), most=MESSAGES_MOST, required=False),
                "Messages with role and content, in place of the text.",
                "带 role 和 content 的消息，代替 text。",
            ),
            USER_ID,
            AGENT_ID,
            APP_ID,
            RUN_ID,
            make_option("metadata", JsonObjectField(required=False), "Data of your own.", "自定义数据。"),
            ENABLE_GRAPH,
        ),
        add_memory,
    ),
    make_tool(
        "search_memories",
        "reads",
        BilingualText("Search memories by a question.", "按问题搜索记忆。"),
        (
            make_option("query", TextField(), "What to look for.", "要查找的内容。"),
            FILTERS,
            make_option("limit", WholeField(least=1, most=TOP_K_MOST, required=False), "How many.", "最多几条。"),
            ENABLE_GRAPH,
        ),
        search_memories,
    ),
    make_tool(
        "get_memories",
        "reads",
        BilingualText("List memories by pages.", "分页列出记忆。"),
        (
            FILTERS,
            make_option("page", WholeField(least=1, most=ROWS_MOST, default=1), "Page, from 1.", "页码，从 1 开始。"),
            make_option(
                "page_size",
                WholeField(least=1, most=API_CONFIG.page_most, default=API_CONFIG.page_default),
                "Memories on a page.",
                "每页几条。",
            ),
        ),
        get_memories,
    ),
    make_tool("get_memory", "reads", BilingualText("Get one memory.", "读取一条记忆。"), (MEMORY_ID,), get_memory),
    make_tool(
        "update_memory",
        "writes",
        BilingualText("Replace the text of a memory.", "替换一条记忆的内容。"),
        (MEMORY_ID, make_option("text", TextField(), "The new text.", "新的内容。")),
        update_memory,
    ),
    make_tool(
        "delete_memory",
        "erases",
        BilingualText("Erase one memory for good.", "彻底删除一条记忆。"),
        (MEMORY_ID,),
        delete_memory,
    ),
    make_tool(
        "delete_all_memories",
        "erases",
        BilingualText("Erase all that is remembered of the user, for good.", "彻底删除用户的全部记忆。"),
        (USER_ID, AGENT_ID, APP_ID, RUN_ID),
        erase_user,
    ),
    make_tool(
        "delete_entities",
        "erases",
        BilingualText("Erase the user and all that is remembered, for good.", "彻底删除用户及全部记忆。"),
        (USER_ID, AGENT_ID, APP_ID, RUN_ID),
        erase_user,
    ),
    make_tool("list_entities", "reads", BilingualText("List the users.", "列出用户。"), (), list_users),
    make_tool("list_events", "reads", BilingualText("List running work.", "列出进行中的工作。"), (), list_events),
    make_tool(
        "get_event_status",
        "reads",
        BilingualText("Get the state of an event.", "查询一个事件的状态。"),
        (make_option("event_id", TextField(), "Id of the event.", "事件编号。"),),
        get_event_status,
    ),
)
