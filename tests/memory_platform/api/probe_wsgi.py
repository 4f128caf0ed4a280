"""The platform's WSGI application with the probes' addresses, for tests that need a real server."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_platform.settings")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

settings.ROOT_URLCONF = "tests.memory_platform.api.probes"
application = get_wsgi_application()
