"""Screens of stored memory: profiles, notes, messages, snapshots, tasks."""
