"""Shared code of views: order of checks, pages, versions, repeats, rendering of answers."""
