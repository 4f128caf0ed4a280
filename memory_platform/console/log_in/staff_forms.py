"""Forms of staff accounts: a new one, its settings, and a password that the operator sets."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tenants.services.tenants import list_tenants_managed_alone

USER_NAME_HELP = gettext_lazy("At most 150 letters, digits and @ . + - _")


class NewStaffForm(UserCreationForm[User]):
    """User name, address and password of a new account. Errors of a password stand at the password."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        label_log_in_fields(self)

    def validate_password_for_user(self, user: User, password_field_name: str = "password1") -> None:  # noqa: S107 - a field
        super().validate_password_for_user(user, password_field_name)  # type: ignore[misc]  # the stubs are older


class StaffForm(UserChangeForm[User]):
    """An account. The last active manager of a tenant stays active, the last operator one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        label_log_in_fields(self)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not (cleaned.get("is_active", True) and cleaned.get("is_superuser", True)) and is_last_operator(
            self.instance
        ):
            raise forms.ValidationError(
                _("This account is the last operator. Make another active account an operator first.")
            )
        return cleaned

    def clean_is_active(self) -> bool:
        is_active: bool = self.cleaned_data["is_active"]
        alone = list_tenants_managed_alone(self.instance.pk) if self.instance.is_active and not is_active else []
        if alone:
            text = _(
                "This account is the last active manager of: %(tenants)s. Make somebody else a manager there first: "
                "switch to the tenant, then change the role of a member or invite a manager."
            )
            raise forms.ValidationError(text % {"tenants": ", ".join(tenant.name for tenant in alone)})
        return is_active


def is_last_operator(user: User) -> bool:
    """Return whether no other active operator is there. The answer holds until the transaction ends: operators who
    remove each other wait for one another."""
    operators = User.objects.filter(is_active=True, is_superuser=True).order_by("pk")
    return [one.pk for one in operators.select_for_update()] == [user.pk]


class StaffPasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # no type at run time
    """A new password for somebody's account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("usable_password", None)
        label_log_in_fields(self)


LABELS: dict[str, tuple[Any, Any]] = {
    "username": (gettext_lazy("User name"), USER_NAME_HELP),
    "email": (gettext_lazy("E-mail"), ""),
    "is_active": (gettext_lazy("May log in"), gettext_lazy("Untick this instead of deleting the account.")),
    "is_superuser": (
        gettext_lazy("Operator of the platform"),
        gettext_lazy("May work in every tenant, and change the platform itself."),
    ),
    "password2": (gettext_lazy("The same password again"), ""),
    "new_password2": (gettext_lazy("The same password again"), ""),
}


def label_log_in_fields(form: forms.BaseForm) -> None:
    """Give the fields of a form of accounts the console's own words."""
    for name in LABELS.keys() & form.fields.keys():
        form.fields[name].label, form.fields[name].help_text = LABELS[name]
