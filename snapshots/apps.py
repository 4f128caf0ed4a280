"""The snapshots app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SnapshotsConfig(AppConfig):
    name = "snapshots"
    verbose_name = _("Conversations and memory")
