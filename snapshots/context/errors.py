"""What can go wrong while a context is assembled."""

from memory_platform.kernel.errors import FieldFault, Refused


class BudgetTooSmall(Refused):
    """System prompt and query, which are never cut, do not fit into ``budget.total``. HTTP 422 with ``needed``."""

    code = "budget_too_small"

    def __init__(self, *, needed: int, total: int) -> None:
        message = f"System prompt and query alone need {needed} tokens; budget.total is {total}."
        super().__init__(message, faults=[FieldFault("budget.total", "too_small", message)])
        self.needed = needed
        self.extras = {"needed": needed}  # members of the problem document
