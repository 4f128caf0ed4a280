"""The calls with which a new tenant begins, as one pastes them into a shell; README.md has the same."""

FIRST_MESSAGE = r"""curl -s $BASE/v1/subjects/user_1/conversations/c1/messages \
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
  -d '{"messages": [{"role": "user", "content": "I am allergic to peanuts, and my home is at 12 Elm Street."},
                    {"role": "user", "content": "Last weekend we hiked up Mount Tam with my sister Ruth."}]}'"""
FIRST_CONTEXT = r"""curl -s $BASE/v1/subjects/user_1/context \
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
  -d '{"query": "Any snack ideas for the next hike?", "system_prompt": "You are a helpful assistant."}'"""


def render_first_call(call: str, base: str, key: str) -> str:
    """Return a call with the lines before it that name the platform's address and where the key belongs."""
    return f"BASE={base}\nKEY={key}\n{call}"
