"""Tests of the index of chunks."""
