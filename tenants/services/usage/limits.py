"""The limits of a tenant and its keys: the defaults, unless the operator set others."""

from dataclasses import asdict, dataclass
from typing import Self

from memory_platform.kernel.errors import FieldFault, InvalidInput
from tenants.config import LIMIT_POLICY, LimitConfig
from tenants.models import ApiKey, UsageLimit
from tenants.services.audit import Actor, record_audit

REQUESTS = ("requests_per_second", "burst")
NAMES = (*REQUESTS, "messages_per_day", "stored_snapshots", "model_tokens_per_day")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one key. ``model_tokens_per_day`` None: each purpose has its own bound, and all together none."""

    requests_per_second: int = LIMIT_POLICY.requests_per_second
    burst: int = LIMIT_POLICY.burst
    messages_per_day: int = LIMIT_POLICY.messages_per_day
    stored_snapshots: int = LIMIT_POLICY.stored_snapshots
    model_tokens_per_day: int | None = None

    @classmethod
    def from_values(cls, *values: int | None, config: LimitConfig = LIMIT_POLICY) -> Self:
        """Return the limits for ``values`` in the order of ``NAMES``; None is the default."""
        defaults = [getattr(config, name, None) for name in NAMES]
        return cls(*(own if given is None else given for given, own in zip(values, defaults, strict=True)))  # type: ignore[arg-type]  # only the last may be None

    def to_dict(self) -> dict[str, int | None]:
        return asdict(self)


def set_limits(
    values: dict[str, int | None], *, by: Actor, api_key: ApiKey | None = None, reason: str = ""
) -> UsageLimit:
    """Set some limits of the open tenant, or of one of its keys; None restores the default.

    Other limits stay. Raises InvalidInput for an unknown limit, for one that a key cannot have, and for a rate below
    one request.
    """
    check_limits(values, of_key=api_key is not None)
    row, _ = UsageLimit.objects.get_or_create(api_key=api_key)
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    told = ", ".join(f"{name} {'default' if value is None else value}" for name, value in sorted(values.items()))
    record_audit(
        by,
        "usage_limit.set",
        object_kind="usage_limit",
        object_id=str(row.id),
        reason=f"{told}: {reason}" if reason else told,
    )
    return row


def copy_limits(old: ApiKey, new: ApiKey, *, by: Actor) -> None:
    row = UsageLimit.objects.filter(api_key=old).first()
    if row is not None:
        set_limits({name: getattr(row, name) for name in REQUESTS}, by=by, api_key=new)


def check_limits(values: dict[str, int | None], *, of_key: bool) -> None:
    known = REQUESTS if of_key else NAMES
    faults = [
        FieldFault(name, "unknown", f"Must be one of {', '.join(known)}.") for name in sorted(set(values) - set(known))
    ]
    faults += [
        FieldFault(name, "too_small", "Must be at least 1." if name in REQUESTS else "Must be at least 0.")
        for name, value in sorted(values.items())
        if value is not None and value < (1 if name in REQUESTS else 0)
    ]
    if faults:
        raise InvalidInput("; ".join(f"{fault.field}: {fault.message}" for fault in faults), faults=faults)
