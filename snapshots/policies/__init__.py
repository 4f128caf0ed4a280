"""A tenant's policy: its sections, the version in force, and replays under another one."""
