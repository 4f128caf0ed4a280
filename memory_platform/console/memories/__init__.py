"""Screens of what is held: profiles, notes, messages and snapshots, tasks."""
