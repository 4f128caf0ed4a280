"""Ids that a product chooses: of subjects, conversations, messages, and the categories and keys of preferences."""

from memory_platform.kernel.character_checks import find_text_fault, has_control

ID_CHARS, ID_BYTES = 200, 800


def find_product_id_fault(value: str) -> tuple[str, str] | None:
    """Return ``(code, message)`` when ``value`` cannot be an id chosen by the product, or None."""
    if has_control(value):
        return "control_character", "Must not contain control characters."
    if not 1 <= len(value) <= ID_CHARS or len(value.encode()) > ID_BYTES:
        return "length", f"Must have 1 to {ID_CHARS} characters and at most {ID_BYTES} bytes of UTF-8."
    if "/" in value or value in {".", ".."}:
        return "not_an_id", "Must not contain '/', and must not be '.' or '..'."
    return find_text_fault(value)
