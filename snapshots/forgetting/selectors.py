"""Reading orders to forget."""

from django.db.models import QuerySet

from profiles.models import Subject
from snapshots.models import ForgetOrder


def forget_orders_of(subject: Subject) -> QuerySet[ForgetOrder]:
    """Return a subject's orders to forget, in no order; without what they hid."""
    return ForgetOrder.objects.filter(subject_id=subject.id).defer("kept").order_by()
