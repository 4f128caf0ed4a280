"""Names of what the audit trail refers to by an id: members by their user name, keys and experiments by their own."""

from django.contrib.auth.models import User
from django.db.models import Case, CharField, F, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.rendering import make_column, render_word
from tenants.models import ApiKey, AuditRecord, Experiment

object_name_column = make_column("object_name", render_word, _("object"), order="object_id")


def annotate_object_names(records: QuerySet[AuditRecord]) -> QuerySet[AuditRecord]:
    """Annotate the records with ``object_name``; the id of what has no name, or exists no longer."""
    users = User.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    keys = ApiKey.objects.filter(key_id=OuterRef("object_id"))
    experiments = Experiment.objects.annotate(named=Cast("pk", CharField())).filter(named=OuterRef("object_id"))
    names = {
        "member": users.values("username")[:1],
        "api_key": keys.values("name")[:1],
        "experiment": experiments.values("name")[:1],
    }
    return records.annotate(
        object_name=Case(
            *(
                When(object_kind=kind, then=Coalesce(Subquery(name), F("object_id"), output_field=CharField()))
                for kind, name in names.items()
            ),
            default=F("object_id"),
            output_field=CharField(),
        )
    )
