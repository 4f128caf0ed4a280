"""Tests of the search in documents."""
