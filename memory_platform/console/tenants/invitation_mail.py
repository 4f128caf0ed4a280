"""Mails the link of an invitation, if the platform has a mail server and the manager wrote an address."""

from enum import StrEnum
from smtplib import SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from memory_platform.observability.logs import Event, log
from tenants.models import Invitation, Role


class MailResult(StrEnum):
    """Whether a link was mailed, and why not."""

    MAILED = "mailed"
    REFUSED = "refused"
    SERVER_AWAY = "server_away"
    NO_ADDRESS = "no_address"
    NO_SERVER = "no_server"


def mail_link(invitation: Invitation, address: str, *, tenant_name: str, inviter: str) -> MailResult:
    """Mail the link to whom the invitation is for. Runs without an open transaction; never raises for a mail server."""
    if not settings.EMAIL_URL:
        return MailResult.NO_SERVER
    if not is_mail_address(invitation.invitee):
        return MailResult.NO_ADDRESS
    tenant = " ".join(tenant_name.split())  # a subject has one line
    message = EmailMessage(
        subject=_("Invitation to %(tenant)s") % {"tenant": tenant},
        body=_(
            "%(inviter)s invites you to work on the memory platform for %(tenant)s, as %(role)s.\n\n"
            "Open this link, and choose a user name and a password, or accept with the account that you have:\n\n"
            "%(address)s\n\n"
            "The link works once, until %(expires)s UTC. It is meant for you alone: do not pass it on.\n"
            "If you do not expect this invitation, do nothing."
        )
        % {
            "inviter": inviter,
            "tenant": tenant,
            "role": Role(invitation.role).label,
            "address": address,
            "expires": date_format(invitation.expires_at, "DATETIME_FORMAT"),
        },
        to=[invitation.invitee],
    )
    try:
        message.send()
    except (SMTPRecipientsRefused, SMTPResponseException) as error:
        log(Event.MAIL_FAILED, use="invitation", error=type(error).__name__)
        return MailResult.REFUSED
    except OSError as error:  # that of a lost connection is one as well
        log(Event.MAIL_FAILED, use="invitation", error=type(error).__name__)
        return MailResult.SERVER_AWAY
    return MailResult.MAILED


def is_mail_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
