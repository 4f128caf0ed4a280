"""What the assistant says after an order, in the words that the order has just hidden."""

from snapshots.forgetting.find import without_orders
from snapshots.forgetting.hidden_rows import unpack
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.forgetting.told import shares_secret
from snapshots.models import ForgetOrder, ForgetOrderState, Message


def repeats_hidden(answer: Message, policy: ForgettingPolicy = FORGETTING) -> bool:
    """Return whether an assistant's turn repeats what an order a few turns before it hid, in the open scope."""
    before = Message.objects.filter(
        subject_id=answer.subject_id,
        conversation_id=answer.conversation_id,
        seq__lt=answer.seq,
        seq__gte=answer.seq - 2 * policy.answers_after,
    )
    recent = dict(before.order_by().values_list("id", "content"))
    orders = ForgetOrder.objects.filter(
        subject_id=answer.subject_id, message_ref__in=list(recent), state=ForgetOrderState.WITHHELD
    ).order_by()
    return any(shares_secret(answer.content, *_hidden(order)) for order in orders)


def _hidden(order: ForgetOrder) -> tuple[str, str]:
    """Return the words of the messages that an order hid, and what stays of them."""
    if order.kept is None:
        return "", ""
    messages = {str(one["id"]): without_orders(one["content"]) for one in unpack(order.kept)["messages"]}
    rows = Message.objects.filter(subject_id=order.subject_id, id__in=list(messages)).order_by()
    return "\n".join(messages.values()), "\n".join(rows.values_list("content", flat=True))
