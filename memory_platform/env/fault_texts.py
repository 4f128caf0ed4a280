"""Texts of start-up about an environment that cannot be used."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

# Pydantic's fault type for a required field without a value.
MISSING = "missing"


def explain_faults(invalid: ValidationError) -> str:
    """Return the faults, one per line, and how to mend them. Only missing values can come from a stack."""
    faults = invalid.errors(include_input=False)
    lacks = any(fault["type"] == MISSING for fault in faults)
    wrong = any(fault["type"] != MISSING for fault in faults)
    ways = ["Correct what is wrong in the environment."] if wrong else []
    if lacks:
        ways.append(
            "Set what is missing, or start the embedded stack with `make run`, which sets it; "
            "DATA_DIR=DIR names one that runs in another directory than .dev."
        )
    return "\n".join([f"The configuration has {len(faults)} fault(s):", *map(_describe_fault, faults), " ".join(ways)])


def _describe_fault(fault: ErrorDetails) -> str:
    said = "is not set" if fault["type"] == MISSING else fault["msg"].removeprefix("Value error, ")
    name = str(fault["loc"][0]).upper() if fault["loc"] else ""
    return f"  {name}: {said}" if name else f"  {said}"
