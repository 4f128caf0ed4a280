"""What answers say of the policy that steered them."""

from rest_framework import serializers

from memory_platform.api.serializers import Output


class ExperimentOutput(Output):
    """The experiment that the subject takes part in."""

    name = serializers.CharField()
    arm = serializers.CharField()


def shown_part(experiment: str, arm: str) -> dict[str, str] | None:
    """Return a subject's part in an experiment as the API shows it; None for a subject without any."""
    return {"name": experiment, "arm": arm} if experiment else None
