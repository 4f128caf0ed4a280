"""Each bug of the console is looked for in both languages, on a phone and on a desk: the fixture ``look``."""

from tests.browser.conftest import Look

__all__ = ["Look"]
