"""Sets Django up for modules that run by themselves: ``python -m lab.teaching.forget_orders``."""

import os

import django
from django.apps import apps

# The modules are run by themselves and import models, which need Django set up first.
if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_platform.settings")
    django.setup()
