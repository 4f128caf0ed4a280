"""Settings that another project may leave out: they get the defaults of our configuration.

Nothing of the environment is read: in another project its settings are the only configuration.
"""

from typing import Any

from django.conf import settings

from memory_platform.env.environment import Environment, split_list

# What code outside of the console and of `make run` reads.
FILLED = (
    "CHAT_API_KEY",
    "CHAT_BASE_URL",
    "CHAT_ENDPOINTS",
    "CHAT_MODEL",
    "CHAT_ROUTES",
    "EMBEDDER",
    "EMBEDDING_API_KEY",
    "EMBEDDING_BASE_URL",
    "EMBEDDING_DIMENSIONS",
    "EMBEDDING_LANGUAGES",
    "EMBEDDING_PREVIOUS_API_KEY",
    "EMBEDDING_PREVIOUS_BASE_URL",
    "EMBEDDING_PREVIOUS_DIMENSIONS",
    "LOOKUP_ROLE",
    "MCP_ALLOWED_ORIGINS",
    "MCP_API_KEY",
    "MCP_AUTHORIZATION_SERVERS",
    "MODELS_OFFLINE",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "PROMPT_CACHE_ENDPOINT",
    "RERANKER",
    "RERANK_API_KEY",
    "RERANK_MODEL",
    "RERANK_URL",
    "REWRITE_PASSAGE",
    "UPSTREAM_CALLS",
    "UPSTREAM_FIRST_BYTE_SECONDS",
    "UPSTREAM_HOSTS",
    "UPSTREAM_KEYS",
    "UPSTREAM_PAUSE_SECONDS",
)
LISTS = {"MCP_ALLOWED_ORIGINS", "MCP_AUTHORIZATION_SERVERS", "UPSTREAM_HOSTS", "UPSTREAM_KEYS"}
REQUIRED = ("KEY_PEPPER", "REDIS_URL", "CELERY_BROKER_URL")


def fill_settings() -> None:
    """Give every setting that the project does not have its default."""
    for name in FILLED:
        if not hasattr(settings, name):
            setattr(settings, name, find_default(name))


def find_default(name: str) -> Any:
    """Return the default of a setting in the form that the code reads: a list where a variable has commas."""
    value = Environment.model_fields[name.lower()].get_default()
    return split_list(value) if name in LISTS else value
