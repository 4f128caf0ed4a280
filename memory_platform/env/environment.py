"""Configuration: the one typed table, and the only reader of the process environment.

Values come from the environment, else from the file that ``make run`` keeps (``stack.env`` in ``DATA_DIR``, by default
``.dev``), so that ``manage.py`` commands in a second terminal meet the running stack. Start-up reports every fault at
once.
The table in docs/configuration.md is printed from this class by ``manage.py env_table``.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from memory_platform.env.chat_endpoints import (
    DEFAULT,
    OPENAI,
    ChatEndpoint,
    chat_endpoints,
    chat_routes,
    require_keeper,
    unknown_routes,
)
from memory_platform.env.fault_texts import explain_faults
from memory_platform.env.mail_server import read_mail_server
from memory_platform.env.model_names import EMBEDDERS, RERANKERS, is_known

PROJECT_ROOT = Path(__file__).resolve().parents[2]
# Written by `manage.py up`: the addresses and secrets of the embedded stack. Never committed.
STACK_FILE = Path(os.environ.get("DATA_DIR") or PROJECT_ROOT / ".dev") / "stack.env"

LEAST_SECRET_CHARS = 32
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})

ConsoleRole = Literal["viewer", "support", "manager"]

# The languages that `memory_platform.kernel.text.detect_language` distinguishes.
LANGUAGES = ("en", "zh", "ja", "ko", "other")


class ConfigurationFault(SystemExit):
    """The environment is unusable; the message lists every fault. Ends the process with status 1."""


class Environment(BaseSettings):
    """All settings from outside."""

    model_config = SettingsConfigDict(env_file=STACK_FILE, extra="ignore", frozen=True)

    database_url: str = Field(description="Postgres as the app role: `postgresql://user:password@host/name`.")
    database_owner_url: str = Field(description="The same database as the owner role; used by migrations only.")
    redis_url: str = Field(description="Redis for windows and counters, `redis://` or `unix://`.")
    celery_broker_url: str = Field(description="Broker of the wake-ups, `redis://`, `redis+socket://` or `amqp://`.")
    secret_key: str = Field(min_length=LEAST_SECRET_CHARS, description="Django's signing key, at least 32 characters.")
    key_pepper: str = Field(
        min_length=LEAST_SECRET_CHARS, description="Secret that API keys are hashed with, at least 32 characters."
    )
    debug: bool = Field(default=False, description="Django's debug pages. Never in production.")
    allowed_hosts: str = Field(
        default="localhost,127.0.0.1,[::1]", description="Host names that are answered, comma-separated."
    )
    csrf_trusted_origins: str = Field(default="", description="Origins of the console behind a proxy, comma-separated.")
    secure_cookies: bool = Field(
        default=False, description="The console's cookies travel over TLS only. Set it wherever the console has TLS."
    )
    trusted_proxies: int = Field(
        default=0,
        ge=0,
        le=10,
        description=(
            "How many proxies of yours stand before the web and append to `X-Forwarded-For`: so the console knows "
            "a client's address. 0: the header is ignored."
        ),
    )
    console_require_second_factor: bool = Field(
        default=False, description="Whoever logs in to the console with a password must use a second factor."
    )
    console_session_hours: int = Field(
        default=12, ge=1, le=24 * 30, description="A log-in to the console ends after so many hours, used or not."
    )
    console_idle_minutes: int = Field(
        default=60,
        ge=5,
        le=24 * 60,
        description="A log-in to the console ends after so many minutes without a request.",
    )
    console_oidc_issuer: str = Field(
        default="",
        description="OpenID provider for log-ins to the console: its issuer, exactly as the provider names it. "
        "Empty for none.",
    )
    console_oidc_client_id: str = Field(default="", description="Client id of the console at that provider.")
    console_oidc_client_secret: str = Field(default="", repr=False, description="Client secret there.")
    console_oidc_scopes: str = Field(
        default="openid profile email", pattern=r"\bopenid\b", description="Scopes that the console asks for there."
    )
    console_oidc_groups_claim: str = Field(
        default="groups", min_length=1, description="Claim that lists a person's groups, as strings."
    )
    console_oidc_groups: Annotated[dict[str, dict[str, ConsoleRole]], NoDecode] = Field(
        default={},
        description=(
            "What a group of that provider gives, JSON: `{GROUP: {TENANT SLUG: ROLE}}` with the roles `viewer`, "
            "`support` and `manager`."
        ),
    )
    email_url: str = Field(
        default="",
        repr=False,
        description=(
            "Mail server, `smtp://user:password@host:port?_default_from_email=console@example.com` (`submission://` "
            "for STARTTLS, `smtps://` for TLS). Empty for none: then links of invitations are handed on by hand, and "
            "nobody can reset a forgotten password alone."
        ),
    )
    embedder: str = Field(
        default="wordllama,use",
        description=(
            "Embedding models, comma-separated; each text goes to the first that knows its language: `wordllama` "
            "(embedded; English), `use` (embedded; Chinese and others), `openai:MODEL` (an endpoint in OpenAI's form), "
            "`sentence-transformers:PATH` (a folder or name; needs the packages of `make models`), "
            "`openai-previous:MODEL` (the endpoint that a new one replaces), `hashing` or `hashing:LENGTH` (tests), or "
            "`none` (keywords only)."
        ),
    )
    embedding_base_url: str = Field(
        default="https://api.openai.com/v1", description="Where `openai:` embeds: the address before `/embeddings`."
    )
    embedding_api_key: str = Field(default="", repr=False, description="Bearer token of that endpoint.")
    embedding_dimensions: int = Field(
        default=0, ge=0, le=4000, description="Length of its vectors; 0: known by the model's name, or asked once."
    )
    embedding_previous_base_url: str = Field(
        default="", description="Where `openai-previous:` embeds while its vectors still answer."
    )
    embedding_previous_api_key: str = Field(default="", repr=False, description="Bearer token of that endpoint.")
    embedding_previous_dimensions: int = Field(
        default=0, ge=0, le=4000, description="Length of its vectors; 0: known by the model's name, or asked once."
    )
    embedding_languages: str = Field(
        default=",".join(LANGUAGES),
        description="Languages that models behind endpoints and of `sentence-transformers:` know, comma-separated.",
    )
    models_offline: bool = Field(
        default=True, description="Models named for sentence-transformers are never fetched, only read from disk."
    )
    reranker: str = Field(
        default="none",
        description=(
            "Reranks the head of a recall that asks for it: `none`, `http` (an endpoint in the form of Jina, Cohere or "
            "TEI), or `cross-encoder:PATH` (a folder or name; needs the packages of `make models`)."
        ),
    )
    rerank_url: str = Field(default="", description="Where `http` reranks: the whole address.")
    rerank_model: str = Field(default="", description="Model named to that endpoint; empty for TEI, which serves one.")
    rerank_api_key: str = Field(default="", repr=False, description="Bearer token of that endpoint.")
    chat_base_url: str = Field(
        default=OPENAI, description="Chat endpoint in OpenAI's form, before `/chat/completions`."
    )
    chat_model: str = Field(
        default="",
        max_length=180,
        description="Chat model there, called the endpoint `default`: it does all that has no route. Empty for none.",
    )
    chat_api_key: str = Field(default="", repr=False, description="Bearer token of that endpoint.")
    chat_endpoints: Annotated[dict[str, ChatEndpoint], NoDecode] = Field(
        default={},
        repr=False,
        description=(
            "Further chat endpoints, JSON: `{NAME: {kind, model, base_url, api_key, project, region}}`; `kind` is "
            "`openai`, `google`, `google-vertex` or `anthropic` (the last three need the packages of `make chat`)."
        ),
    )
    chat_routes: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        description=(
            "Which endpoint does what, JSON: `{PURPOSE: NAME}` with the purposes `summarise`, `extract`, `judge` and "
            '`rewrite`; the name `""` means no model.'
        ),
    )
    prompt_cache_endpoint: str = Field(
        default="",
        description="Name of the chat endpoint (`google`, `google-vertex` with a region) that keeps stable prefixes.",
    )
    upstream_keys: str = Field(
        default="",
        repr=False,
        description=(
            "Secrets of at least 32 characters, comma-separated, that encrypt tenants' keys for their model endpoints, "
            "and the secrets of their webhooks. The first encrypts, all decrypt. Empty: neither can be set, and the "
            "OpenAI proxy is off."
        ),
    )
    upstream_hosts: str = Field(
        default="",
        description=(
            "Hosts (`host` or `host:port`, comma-separated) that tenants' model endpoints and webhooks may have "
            "without TLS or at a private address. All others need `https://` and public addresses."
        ),
    )
    upstream_calls: int = Field(
        default=3,
        ge=1,
        le=10_000,
        description=(
            "Calls that the OpenAI proxy keeps open at once in a web process; more get 503. Each holds a thread while "
            "the model answers: keep it below gunicorn's `--threads`."
        ),
    )
    upstream_first_byte_seconds: float = Field(
        default=300, gt=0, le=3600, description="The proxy's time until a model begins to answer."
    )
    upstream_pause_seconds: float = Field(
        default=120, gt=0, le=3600, description="The longest pause in a model's answer through the proxy."
    )
    rewrite_passage: bool = Field(
        default=False, description="A rewritten question is also searched for by an imagined answer (HyDE)."
    )
    lookup_role: str = Field(
        default="memory_lookup", description="Postgres role (NOLOGIN) that owns the look-ups made before a tenant."
    )
    database_pool_size: int = Field(default=8, ge=1, le=100, description="Connections per web or worker process.")
    database_prepared_statements: bool = Field(
        default=True, description="Prepare statements once per connection. `False` behind pgbouncer before 1.21."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="Least level logged.")
    log_format: Literal["json", "console"] = Field(default="json", description="`json` lines, or readable `console`.")
    otel_exporter_otlp_endpoint: str = Field(
        default="", pattern="^(https?://.+)?$", description="Collector of traces, OTLP before `/v1/traces`, or empty."
    )
    mcp_allowed_origins: str = Field(default="", description="Origins of web pages that may call `/mcp`, by commas.")
    mcp_authorization_servers: str = Field(default="", description="OAuth servers, by commas, that hand out API keys.")
    mcp_api_key: str = Field(default="", repr=False, description="API key of `manage.py mcp_stdio`.")
    data_dir: Path = Field(
        default=PROJECT_ROOT / ".dev", description="Where `make run` keeps the embedded stack's data and secrets."
    )
    stack_url: str = Field(
        default="http://127.0.0.1:8000", description="Where the API answers; `make run` notes it for `manage.py bench`."
    )

    @field_validator("database_url", "database_owner_url")
    @classmethod
    def _is_a_postgres_address(cls, value: str) -> str:
        """Refuse an address that libpq refuses, without repeating it: it may hold a password."""
        try:
            parts = conninfo_to_dict(value)
        except ProgrammingError:
            raise ValueError("is not a Postgres address") from None
        if not parts.get("dbname") or not parts.get("user"):
            raise ValueError("must name a user and a database")
        return value

    @field_validator("embedder")
    @classmethod
    def _require_known_embedders(cls, value: str) -> str:
        """Refuse unknown embedders, and ``none`` beside another."""
        names = split_list(value)
        unknown = [name for name in names if not is_known(name, EMBEDDERS)]
        if unknown or not names:
            raise ValueError(f"lists {', '.join(map(repr, unknown)) or 'nothing'}; allowed: {', '.join(EMBEDDERS)}")
        if "none" in names and len(names) > 1:
            raise ValueError("combines `none` with other embedders; use `none` alone, or leave it out")
        return value

    @field_validator("reranker")
    @classmethod
    def _require_known_reranker(cls, value: str) -> str:
        if not is_known(value, RERANKERS):
            raise ValueError(f"is {value!r}; allowed: {', '.join(RERANKERS)}")
        return value

    @field_validator("embedding_base_url", "embedding_previous_base_url", "rerank_url", "chat_base_url")
    @classmethod
    def _is_an_http_address(cls, value: str) -> str:
        """Refuse an invalid address, without repeating it."""
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("is not an http:// or https:// address")
        return value

    @field_validator("embedding_languages")
    @classmethod
    def _require_known_languages(cls, value: str) -> str:
        if not split_list(value) or not set(split_list(value)) <= set(LANGUAGES):
            raise ValueError(f"lists an unknown language; allowed: {', '.join(LANGUAGES)}")
        return value

    @field_validator("console_oidc_issuer")
    @classmethod
    def _require_safe_issuer(cls, value: str) -> str:
        """Refuse an issuer that could be read or changed on the way; this machine's own may have no TLS."""
        parts = urlsplit(value)
        if value and not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS)):
            raise ValueError("is not an https:// address")
        return value

    @field_validator("console_oidc_groups", mode="before")
    @classmethod
    def _parse_group_roles(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value or "{}")
        except ValueError:
            raise ValueError("is not JSON") from None

    @field_validator("email_url")
    @classmethod
    def _require_mail_server_address(cls, value: str) -> str:
        read_mail_server(value)
        return value

    @field_validator("upstream_keys")
    @classmethod
    def _require_long_secrets(cls, value: str) -> str:
        if any(len(key) < LEAST_SECRET_CHARS for key in split_list(value)):
            raise ValueError(f"has a secret of fewer than {LEAST_SECRET_CHARS} characters")
        return value

    @field_validator("chat_endpoints", mode="before")
    @classmethod
    def _names_chat_endpoints(cls, value: Any) -> Any:
        return chat_endpoints(value) if isinstance(value, str) else value

    @field_validator("chat_routes", mode="before")
    @classmethod
    def _require_known_purposes(cls, value: Any) -> Any:
        return chat_routes(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_routes(self) -> Self:
        if self.chat_model and DEFAULT in self.chat_endpoints:
            raise PydanticCustomError("two_defaults", "CHAT_MODEL and CHAT_ENDPOINTS both name the endpoint `default`")
        known = [*self.chat_endpoints, *([DEFAULT] if self.chat_model else [])]
        if lost := unknown_routes(self.chat_routes, known):
            raise PydanticCustomError(
                "no_endpoint",
                "CHAT_ROUTES sends {purposes} to endpoints that do not exist; allowed: {known}",
                {"purposes": ", ".join(lost), "known": ", ".join(known) or "none"},
            )
        require_keeper(self.prompt_cache_endpoint, self.chat_endpoints)
        return self

    @model_validator(mode="after")
    def _check_oidc(self) -> Self:
        if self.console_oidc_issuer and not (self.console_oidc_client_id and self.console_oidc_client_secret):
            raise PydanticCustomError(
                "no_client",
                "CONSOLE_OIDC_ISSUER is set, and CONSOLE_OIDC_CLIENT_ID or CONSOLE_OIDC_CLIENT_SECRET is empty",
            )
        return self

    @model_validator(mode="after")
    def _check_addresses(self) -> Self:
        if self.reranker == "http" and not self.rerank_url:
            raise PydanticCustomError("no_address", "RERANKER is http and RERANK_URL is empty")
        if "openai-previous:" in self.embedder and not self.embedding_previous_base_url:
            raise PydanticCustomError(
                "no_address", "EMBEDDER lists openai-previous and EMBEDDING_PREVIOUS_BASE_URL is empty"
            )
        return self


def split_list(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


# Stand-ins for values that a stack makes itself, used by `check_given`: nothing connects or signs with them.
STAND_INS = {
    "database_url": "postgresql://app@/later",
    "database_owner_url": "postgresql://owner@/later",
    "redis_url": "unix:///later",
    "celery_broker_url": "redis+socket:///later",
    "secret_key": "made when the stack is started first",
    "key_pepper": "made when the stack is started first",
}


@cache
def environment() -> Environment:
    """Return the configuration of this process, read once. Raises ConfigurationFault with every fault."""
    try:
        return Environment()  # type: ignore[call-arg]  # required fields come from the environment
    except ValidationError as invalid:
        raise ConfigurationFault(explain_faults(invalid)) from None


def check_given() -> None:
    """Check the variables that a stack does not provide. Raises ConfigurationFault. Empty values count as absent."""
    made_later: dict[str, Any] = {name: value for name, value in STAND_INS.items() if not os.environ.get(name.upper())}
    try:
        Environment(_env_file=None, _env_ignore_empty=True, **made_later)  # type: ignore[call-arg]  # settings of pydantic
    except ValidationError as invalid:
        raise ConfigurationFault(explain_faults(invalid)) from None
