"""Django settings. Everything that can be set from outside comes from ``memory_platform.env.environment``."""

from importlib.util import find_spec
from typing import Any

from csp import constants as csp
from psycopg.conninfo import conninfo_to_dict

from memory_platform.api import rest_settings
from memory_platform.env.environment import PROJECT_ROOT, environment, split_list
from memory_platform.env.mail_server import read_mail_server
from memory_platform.observability.logs import logging_config

_env = environment()

SECRET_KEY = _env.secret_key
KEY_PEPPER = _env.key_pepper
DEBUG = _env.debug
ALLOWED_HOSTS = split_list(_env.allowed_hosts)
CSRF_TRUSTED_ORIGINS = split_list(_env.csrf_trusted_origins)
ROOT_URLCONF = "memory_platform.urls"
WSGI_APPLICATION = "memory_platform.wsgi.application"
APPEND_SLASH = False  # both forms of an API address answer; a redirect would lose a POST's body

INSTALLED_APPS = [
    "memory_platform.apps.StandaloneConfig",
    "tenants",
    "profiles",
    "snapshots",
    "admin_interface",
    "colorfield",
    "memory_platform.console.apps.ConsoleConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "django_celery_beat",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
# Commands that measure stand beside the product; a deployment may leave the folder `lab` out.
if find_spec("lab"):
    INSTALLED_APPS.append("lab")

MIDDLEWARE = [
    *rest_settings.MIDDLEWARE,
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.common.CommonMiddleware",
    "memory_platform.console_middleware.ConsoleFiles",
    "memory_platform.console_middleware.ConsoleSession",
    "django.middleware.locale.LocaleMiddleware",
    "memory_platform.console_middleware.ConsoleForms",
    "memory_platform.console_middleware.ConsoleLogin",
    "memory_platform.console_middleware.ConsoleMessages",
    "memory_platform.console_middleware.ConsoleSessionLimits",
    "allauth.account.middleware.AccountMiddleware",
    "memory_platform.console_middleware.ConsoleFrames",
]
# Pages load nothing from elsewhere, and neither script nor style that is written into them counts. Images may be data:
# the libraries' stylesheets draw small icons so.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [csp.NONE],
        "script-src": [csp.SELF],
        "style-src": [csp.SELF],
        "img-src": [csp.SELF, "data:"],
        "font-src": [csp.SELF],
        "connect-src": [csp.SELF],
        "form-action": [csp.SELF],
        "frame-src": [csp.SELF],
        "frame-ancestors": [csp.SELF],
        "base-uri": [csp.NONE],
    }
}
X_FRAME_OPTIONS = "SAMEORIGIN"  # django-admin-interface opens related-object windows in a frame
SILENCED_SYSTEM_CHECKS = ["security.W019"]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Pages in place of Django's own, which must not reach another project that has these apps.
        "DIRS": [PROJECT_ROOT / "memory_platform" / "console" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # Its {% csrf_token %} stands in place of Django's.
            "builtins": ["memory_platform.console.shared.tenant_switch_guard"],
        },
    }
]


def _database(url: str, *, pool: bool) -> dict[str, Any]:
    parts = dict(conninfo_to_dict(url))
    known = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    database = {key: str(parts.pop(name, "") or "") for key, name in known.items()}
    # libpq's own clocks: a new connection gets 2 s, a peer that vanished is noticed after 5 s.
    options: dict[str, Any] = {"connect_timeout": 2, "tcp_user_timeout": 5000, **parts}
    if pool:
        # A refused connection is tried again for 2 s, then with the next query: the pool's own waits double for 300 s.
        waits = {"timeout": 2, "reconnect_timeout": 2}
        options["pool"] = {"min_size": 1, "max_size": _env.database_pool_size, **waits}
    return {
        "ENGINE": "memory_platform.postgres",
        **database,
        "OPTIONS": options,
        "ATOMIC_REQUESTS": False,
        "PREPARED_STATEMENTS": _env.database_prepared_statements,
    }


DATABASES = {
    "default": _database(_env.database_url, pool=True),
    "owner": _database(_env.database_owner_url, pool=False),
}
DATABASE_ROUTERS = ["memory_platform.routers.OwnerMigrates"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOOKUP_ROLE = _env.lookup_role

MCP_ALLOWED_ORIGINS = frozenset(split_list(_env.mcp_allowed_origins))
MCP_AUTHORIZATION_SERVERS = split_list(_env.mcp_authorization_servers)
MCP_API_KEY = _env.mcp_api_key

REDIS_URL = _env.redis_url
CACHES = {
    # What all processes must know together: failed log-ins, and codes of second factors that were used.
    "default": {"BACKEND": "memory_platform.providers.redis.shared_cache.SharedCache"},
    # Read for every page; each process keeps its own copy of the theme.
    "admin_interface": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "theme"},
}
CELERY_BROKER_URL = _env.celery_broker_url
EMBEDDER = _env.embedder
EMBEDDING_BASE_URL = _env.embedding_base_url
EMBEDDING_API_KEY = _env.embedding_api_key
EMBEDDING_DIMENSIONS = _env.embedding_dimensions
EMBEDDING_PREVIOUS_BASE_URL = _env.embedding_previous_base_url
EMBEDDING_PREVIOUS_API_KEY = _env.embedding_previous_api_key
EMBEDDING_PREVIOUS_DIMENSIONS = _env.embedding_previous_dimensions
EMBEDDING_LANGUAGES = _env.embedding_languages
MODELS_OFFLINE = _env.models_offline
RERANKER = _env.reranker
RERANK_URL = _env.rerank_url
RERANK_MODEL = _env.rerank_model
RERANK_API_KEY = _env.rerank_api_key
CHAT_BASE_URL = _env.chat_base_url
CHAT_MODEL = _env.chat_model
CHAT_API_KEY = _env.chat_api_key
CHAT_ENDPOINTS = _env.chat_endpoints
CHAT_ROUTES = _env.chat_routes
PROMPT_CACHE_ENDPOINT = _env.prompt_cache_endpoint
REWRITE_PASSAGE = _env.rewrite_passage
OTEL_EXPORTER_OTLP_ENDPOINT = _env.otel_exporter_otlp_endpoint
UPSTREAM_KEYS = split_list(_env.upstream_keys)
UPSTREAM_HOSTS = split_list(_env.upstream_hosts)
UPSTREAM_CALLS = _env.upstream_calls
UPSTREAM_FIRST_BYTE_SECONDS = _env.upstream_first_byte_seconds
UPSTREAM_PAUSE_SECONDS = _env.upstream_pause_seconds

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = _env.secure_cookies

LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # where a log-in leads that was asked to lead elsewhere
AUTHENTICATION_BACKENDS = ["memory_platform.console.log_in.staff_backend.StaffBackend"]
CONSOLE_REQUIRE_SECOND_FACTOR = _env.console_require_second_factor
CONSOLE_IDLE_MINUTES = _env.console_idle_minutes
CONSOLE_SESSION_HOURS = _env.console_session_hours
SESSION_COOKIE_AGE = CONSOLE_SESSION_HOURS * 3600
CONSOLE_OIDC_ISSUER = _env.console_oidc_issuer
CONSOLE_OIDC_CLIENT_ID = _env.console_oidc_client_id
CONSOLE_OIDC_CLIENT_SECRET = _env.console_oidc_client_secret
CONSOLE_OIDC_SCOPES = _env.console_oidc_scopes
CONSOLE_OIDC_GROUPS_CLAIM = _env.console_oidc_groups_claim
CONSOLE_OIDC_GROUPS = _env.console_oidc_groups
# Of django-allauth the console uses rate limits, the second factor and the list of sessions: nobody signs up, and no
# mail is sent.
ALLAUTH_TRUSTED_PROXY_COUNT = _env.trusted_proxies
ACCOUNT_ADAPTER = "memory_platform.console.log_in.allauth_adapters.PasswordRules"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_REAUTHENTICATION_METHODS = ("password",)
# Failed log-ins by address, and by account from one address; a wrong code of a second factor counts as one. All log-ins
# of an account: more than one address may try in an hour. `invitation`: tries of links.
ACCOUNT_RATE_LIMITS = {
    "log_in_account": "100/1h/key",
    "invitation": "30/10m/ip",
    "login_failed": "20/5m/ip,5/5m/key",
    "reauthenticate": "10/5m/user",
    "change_password": "10/5m/user",
    "reset_password": "5/5m/ip",
}
MFA_ADAPTER = "memory_platform.console.log_in.allauth_adapters.SecondFactorRules"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Memory platform"
MFA_TOTP_TOLERANCE = 1  # one step of 30 s each side, for clocks that differ
MFA_ALLOW_UNVERIFIED_EMAIL = True  # no address is ever verified here

EMAIL_URL = _env.email_url  # "": no mail is sent
globals().update(read_mail_server(EMAIL_URL))
EMAIL_TIMEOUT = 10  # seconds; somebody waits for the page

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]  # each in its own: who cannot read the page must find theirs
LOCALE_PATHS = [PROJECT_ROOT / "memory_platform" / "locale"]
FORMAT_MODULE_PATH = ["memory_platform.console.formats"]
USE_I18N = True
USE_THOUSAND_SEPARATOR = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = PROJECT_ROOT / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True  # static files are served without a collectstatic step

# The API's own limits (memory_platform.api.requests.body_parsing) are stricter and answer as problem+json.
DATA_UPLOAD_MAX_MEMORY_SIZE = 17 * 1024 * 1024

REST_FRAMEWORK = rest_settings.REST_FRAMEWORK
LOGGING = logging_config(level=_env.log_level, readable=_env.log_format == "console")
