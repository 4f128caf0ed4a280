"""The platform's WSGI application with the probes' addresses, for tests that need a real server.

``PROBE_LIMITS`` holds time limits of the server's sockets in place of its own, as JSON.
"""

import dataclasses
import json
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_platform.settings")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from memory_platform.api.config import API_CONFIG
from memory_platform.api.server import gunicorn_worker

limits = json.loads(os.environ.get("PROBE_LIMITS", "{}"))
vars(gunicorn_worker)["API_CONFIG"] = dataclasses.replace(API_CONFIG, **limits)
settings.ROOT_URLCONF = "tests.memory_platform.api.probes"
application = get_wsgi_application()
