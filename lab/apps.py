"""The laboratory as an app: commands that evaluate, measure and simulate. The product runs without it."""

from django.apps import AppConfig


class LabConfig(AppConfig):
    name = "lab"
