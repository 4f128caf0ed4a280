"""Labelled data, and modules that measure readers by them, each run by itself."""

import lab.standalone  # noqa: F401 - what the modules import needs Django set up
