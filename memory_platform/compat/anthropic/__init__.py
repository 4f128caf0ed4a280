"""The backend of Anthropic's memory tool."""
