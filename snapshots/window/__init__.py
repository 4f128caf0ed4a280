"""The last messages of a conversation, in Redis, with Postgres behind it."""
