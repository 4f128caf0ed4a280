"""Tests of documents beside memory."""
