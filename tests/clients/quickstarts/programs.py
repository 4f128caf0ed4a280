"""Programs with which libraries introduce themselves: those that a package carries as they are, the others written in
the order of the calls of the published one."""

import re
from importlib.metadata import metadata


def find_published(package: str, sign: str) -> str:
    """Return the program of a package's README that has ``sign`` in it."""
    blocks = re.findall(r"^```python\n(.*?)^```$", str(metadata(package)["Description"]), re.MULTILINE | re.DOTALL)
    (program,) = (block for block in blocks if sign in block)
    return str(program)


MEM0 = """
from mem0 import MemoryClient

client = MemoryClient(api_key="your-api-key")

messages = [
    {"role": "user", "content": "My sister Ruth plays the cello."},
    {"role": "assistant", "content": "I shall keep that in mind."},
    {"role": "user", "content": "I am allergic to shellfish."},
]
client.add(messages, user_id="user123")

results = client.search("Which instrument does Ruth play?", filters={"user_id": "user123"})
print([one["memory"] for one in results["results"]])
"""
PERSISTENCE = """
import operator
from typing import Annotated, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

State = TypedDict("State", {"topic": str, "steps": Annotated[list[str], operator.add]})

builder = StateGraph(State)
builder.add_node("first", lambda state: {"topic": "tea", "steps": ["first"]})
builder.add_node("second", lambda state: {"topic": "煮茶", "steps": ["second"]})
builder.add_edge(START, "first")
builder.add_edge("first", "second")
builder.add_edge("second", END)

checkpointer = InMemorySaver()
graph = builder.compile(checkpointer=checkpointer)

config = {"configurable": {"thread_id": "tea"}}
graph.invoke({"topic": "", "steps": []}, config)
print(graph.get_state(config).values, graph.get_state(config).next)

history = list(graph.get_state_history(config))
print([(state.values, state.next, state.metadata["step"]) for state in history])

graph.invoke(None, history[1].config)
print(len(list(graph.get_state_history(config))))

graph.update_state(config, {"topic": "coffee", "steps": ["edited"]})
print(graph.get_state(config).values)
"""
MEMORY = """
from langgraph.store.memory import InMemoryStore

store = InMemoryStore()
namespace = ("1", "memories")
store.put(namespace, "a-memory", {"food_preference": "I like pizza", "语言": "中文"})
memories = store.search(namespace)
print([sorted(one.dict()["value"].items()) for one in memories], memories[-1].key, memories[-1].namespace)
print(store.get(namespace, "nothing"), store.list_namespaces(prefix=("1",)))
"""
MEMORY_TOOL = """
from anthropic import Anthropic
from anthropic.tools import BetaLocalFilesystemMemoryTool

client = Anthropic()
memory = BetaLocalFilesystemMemoryTool()

runner = client.beta.messages.tool_runner(
    model="claude-sonnet-5-5",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Remember that I drink tea at four."}],
    tools=[memory],
)
for message in runner:
    for block in message.content:
        if block.type == "text":
            print(block.text)
        elif block.type == "tool_use" and block.name == "memory":
            print(f"[Memory tool called: {block.input['command']}]")
    response = runner.generate_tool_call_response()
    if response:
        print(response["content"])
"""
