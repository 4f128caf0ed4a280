"""Modules that teach the readers by labelled data, each run by itself."""

import lab.standalone  # noqa: F401 - what the modules import needs Django set up
