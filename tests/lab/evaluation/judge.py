"""A judge behind real HTTP whose verdicts are known: one of two statements holds, the answer is right."""

from collections.abc import Iterator
from contextlib import contextmanager

import orjson
from pytest_django.fixtures import Settings

from lab.evaluation.judge_prompts import CHINESE, ENGLISH
from memory_platform.providers.registry import forget_providers
from tests.model_server import ModelServer, Reply, Request, completion, model_server

WRITTEN = {"answer": "In Ghent. Also, she hates rain."}
JUDGED = {
    "statements": [{"statement": "Ghent", "supported": True}, {"statement": "rain", "supported": False}],
    "addresses": 1,
    "useful": [1, 1, 99],
}
COMPARED = {"facts": [{"fact": "Ghent", "supported": True}], "correct": True}


def instructions_of(request: Request) -> str:
    return str(request.body["messages"][0]["content"])


def reply(request: Request) -> Reply:
    told = instructions_of(request)
    for prompts in (ENGLISH, CHINESE):
        for instruction, answer in ((prompts.answer, WRITTEN), (prompts.judge, JUDGED), (prompts.compare, COMPARED)):
            if instruction in told:
                return completion(orjson.dumps(answer).decode())
    return Reply({}, status=400)


@contextmanager
def judge_configured(settings: Settings) -> Iterator[ModelServer]:
    """Serve the judge over HTTP and configure it as this process's chat model."""
    with model_server(reply) as running:
        settings.CHAT_MODEL, settings.CHAT_BASE_URL, settings.CHAT_API_KEY = "judge-1", running.url, ""
        forget_providers()
        yield running
    forget_providers()
