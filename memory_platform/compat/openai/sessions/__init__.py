"""Sessions of OpenAI's Agents SDK: their items are messages of a conversation."""
