"""A chat model that answers with a colour."""

from pydantic import BaseModel

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.chat import Chat, Connection
from memory_platform.providers.config import CircuitConfig
from memory_platform.providers.contracts import ChatPrompt
from tests.model_server import ModelServer, Reply

SECRET = "ck-never-shown"

TEXT = "我家的狗叫什么"

ASKED = ChatPrompt("Name a colour, never a number.", TEXT)

GOOD = '{"colour": "red", "shade": 3}'


class Colour(BaseModel):
    """What the model is asked for."""

    colour: str
    shade: int


class Colours(BaseModel):
    """Several."""

    colours: list[Colour]


def chat(server: ModelServer, *, seconds: float = 5.0, failures: int = 100, pause_s: float = 60) -> Chat:
    endpoint = ChatEndpoint(kind="openai", model="some-model", base_url=server.url, api_key=SECRET)
    made = Chat(Connection(endpoint), seconds=seconds, circuit_config=CircuitConfig(failures=failures, pause_s=pause_s))
    made.prepare()
    return made


def replies(server: ModelServer, *first: Reply, then: Reply) -> None:
    waiting = iter(first)
    server.answer = lambda _: next(waiting, then)
