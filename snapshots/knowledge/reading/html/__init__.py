"""Reads HTML as a visitor sees it: without scripts, hidden elements and navigation."""

from snapshots.knowledge.reading.html.html_reader import read_html, read_html_into

__all__ = ["read_html", "read_html_into"]
