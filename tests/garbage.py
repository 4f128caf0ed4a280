"""pytest plugin: Python looks for garbage seldom. What a run imports, collects and caches lives until it ends."""

import gc

# Of new objects in the youngest generation, and of looks at it and at the middle one, until the next is looked at: with
# Python's 700, 10 and 10 a worker of the unit tests spends 4 s on it.
THRESHOLDS = (20_000, 20, 50)

gc.disable()


def pytest_collection_finish() -> None:
    """Keep what collecting made out of every later look for garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()
