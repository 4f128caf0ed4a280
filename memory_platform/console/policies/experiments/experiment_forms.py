"""The forms of experiments: arms as rows with versions from a list, and new shares for the arms of one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.policies.policy_history import list_version_choices
from memory_platform.console.policies.row_widgets import Row, RowInput, RowsWidget
from memory_platform.console.shared.action_reasons import ReasonField
from tenants.models import Experiment
from tenants.policies.arms import BUCKETS, Arm
from tenants.services.policies import active_number

# Arms that the form has room for; the API takes more.
MAX_ARMS = 10
LEAST_ARMS = 2
MAX_NAME_CHARS = 64


class ArmsWidget(RowsWidget):
    """One row per arm: its name, its version, and its share of the people."""

    add_label = _("Add an arm")

    def __init__(self, versions: Sequence[tuple[str, Any]]) -> None:
        inputs = (
            RowInput("name", _("Arm"), forms.TextInput(attrs={"maxlength": MAX_NAME_CHARS})),
            RowInput("version", _("Policy version"), forms.Select(choices=[("", "—"), *versions])),
            RowInput("percent", _("Percent of all people"), forms.NumberInput(attrs={"min": 1, "max": BUCKETS})),
        )
        super().__init__(inputs, most=MAX_ARMS)

    def count_empty_rows(self, row_count: int) -> int:
        return max(LEAST_ARMS - row_count, 0)

    def load_rows(self, value: Any) -> list[Row]:
        held = json.loads(value or "[]")
        return held if isinstance(held, list) else []

    def dump_rows(self, rows: list[Row]) -> str:
        return json.dumps(rows, ensure_ascii=False)

    def describe_rows(self, rows: list[Row]) -> dict[str, Any]:
        return {"total": sum(int(row["percent"]) for row in rows if row.get("percent", "").isdecimal())}

    def add_row(self, data: Mapping[str, Any], name: str) -> str:
        """Return the sent rows, with one more, as an initial value."""
        return self.dump_rows([*self.parse_rows(data, name), {}][: self.most])


def make_usual_arms() -> str:
    """Return the arms that a new form offers: the active version and another one, half of all people each."""
    half = str(BUCKETS // LEAST_ARMS)
    usual = {"name": gettext("control"), "version": str(active_number()), "percent": half}
    return json.dumps([usual, {"name": gettext("variant"), "version": "", "percent": half}], ensure_ascii=False)


class ArmsField(forms.Field):
    """At least two arms with different names, and at most all subjects."""

    def __init__(self, versions: Sequence[tuple[str, Any]] = (), **options: Any) -> None:
        super().__init__(required=False, widget=ArmsWidget(versions), label=_("arms"), **options)
        self.numbers = {number for number, _name in versions}

    def clean(self, value: Any) -> list[Arm]:
        rows = self.widget.load_rows(value)
        if len(rows) < LEAST_ARMS or not all(all(row.values()) for row in rows):
            raise forms.ValidationError(
                gettext("Give at least two arms, each with a name, a version and a percentage.")
            )
        if any(row["version"] not in self.numbers for row in rows):
            raise forms.ValidationError(gettext("There is no version with this number."))
        if not all(row["percent"].isdecimal() and 1 <= int(row["percent"][:4]) <= BUCKETS for row in rows):
            raise forms.ValidationError(gettext("A percentage is a whole number between 1 and 100."))
        arms = [Arm(row["name"][:MAX_NAME_CHARS], int(row["version"]), int(row["percent"])) for row in rows]
        if len({arm.name for arm in arms}) < len(arms):
            raise forms.ValidationError(gettext("Give each arm a different name."))
        check_total([arm.percent for arm in arms])
        return arms


def check_total(percents: Sequence[int]) -> None:
    """Raise ValidationError if the arms would take more than all subjects."""
    if sum(percents) > BUCKETS:
        raise forms.ValidationError(gettext("The percentages must add up to at most 100."))


class ExperimentForm(forms.ModelForm[Experiment]):
    """A name, at least two arms, and a reason."""

    arm = ArmsField()
    reason = ReasonField()

    class Meta:
        model = Experiment
        fields = ("name",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "arm" in self.fields:
            self.fields["arm"] = ArmsField(list_version_choices(active_number()))


class SharesFormBase(forms.ModelForm[Experiment]):
    """New percentages for the arms of one experiment, and a reason."""

    reason = ReasonField()

    class Meta:
        model = Experiment
        fields = ()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.errors:
            return given
        percents = {arm["name"]: given[make_share_name(n)] for n, arm in enumerate(self.instance.arms)}
        check_total([*percents.values()])
        return {**given, "percents": percents}


def make_share_name(number: int) -> str:
    return f"share{number}"


def make_shares_form(experiment: Experiment) -> Any:
    fields = {
        make_share_name(n): forms.IntegerField(
            label=arm["name"], min_value=0, max_value=BUCKETS, initial=arm["percent"]
        )
        for n, arm in enumerate(experiment.arms)
    }
    return type("SharesForm", (SharesFormBase,), fields)
