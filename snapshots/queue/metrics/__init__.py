"""How much work there is, and how long it waits."""
