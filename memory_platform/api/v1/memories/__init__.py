"""Endpoints for notes, snapshots, tasks and their care."""
