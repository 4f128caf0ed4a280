"""Django settings for the commands that run before there is a configuration: ``up`` and ``provision``."""

INSTALLED_APPS = ["memory_platform.apps.PlatformConfig"]
USE_TZ = True
