#!/usr/bin/env python
"""Command line of the platform: ``python manage.py help``."""

import os
import sys

from django.core.management import execute_from_command_line

BEFORE_CONFIGURATION = {"up", "provision"}
"""Commands that make what the configuration will name, and so cannot wait for it."""

if __name__ == "__main__":
    bare = BEFORE_CONFIGURATION.intersection(sys.argv[1:2])
    settings = "memory_platform.devstack.bare_settings" if bare else "memory_platform.settings"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", settings)
    execute_from_command_line(sys.argv)
