"""What tests of invitations share: the form of a manager, links out of pages, a mail server."""

import re
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from threading import Thread
from typing import Any

from django.test import Client

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Invitation
from tests.conftest import House

LIST = "/console/tenants/invitation/"
ADD = f"{LIST}add/"
PAGE = "/console/invitation/"
ACCEPT = f"{PAGE}accept/"
LINK = re.compile(r'data-copy="(http://testserver/console/invitation/#[^"]+)"')


def fill_form(client: Client, **values: Any) -> dict[str, Any]:
    """Return the form as it is sent when a manager opens it and fills it in."""
    (sheet,) = re.findall(r'name="sheet" value="([0-9a-f-]{36})"', client.get(ADD).content.decode())
    return {"invitee": "Nia 王", "role": "support", "reason": "new colleague", "sheet": sheet, **values}


def invite(client: Client, **values: Any) -> str:
    """Make an invitation by the form; return its link."""
    (link,) = LINK.findall(client.post(ADD, fill_form(client, **values)).content.decode())
    return str(link)


def list_invitations(house: House) -> list[Invitation]:
    with tenant_tx(house.tenant.id):
        return list(Invitation.objects.order_by("created_at", "id"))


def list_actions(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        records = AuditRecord.objects.filter(object_kind="invitation", refused=False)
        return list(records.order_by("at", "id").values_list("action", flat=True))


class _SmtpSession(socketserver.StreamRequestHandler):
    """Speaks as much SMTP as a client needs to deliver one mail."""

    def handle(self) -> None:
        self.wfile.write(b"220 tests\r\n")
        for line in self.rfile:
            command = line.strip().upper()
            if command == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                self._read_mail()
            elif command == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            refuses = self.server.refuses and command.startswith(b"RCPT")  # type: ignore[attr-defined]  # MailServer
            self.wfile.write(b"550 nobody here\r\n" if refuses else b"250 ok\r\n")

    def _read_mail(self) -> None:
        lines = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            lines.append(line.removeprefix(b"."))
        self.server.mails.append(message_from_bytes(b"".join(lines)))  # type: ignore[attr-defined]


class MailServer(socketserver.ThreadingTCPServer):
    """A mail server of this machine that keeps what it takes."""

    daemon_threads = True

    def __init__(self, *, refuses: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _SmtpSession)
        self.refuses = refuses
        self.mails: list[Message] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


@contextmanager
def run_mail_server(settings: Any, *, refuses: bool = False) -> Iterator[MailServer]:
    """Run a mail server, and let the platform send to it."""
    with MailServer(refuses=refuses) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        settings.EMAIL_URL = f"smtp://127.0.0.1:{server.port}"
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.DEFAULT_FROM_EMAIL = "console@example.com"
        yield server
        server.shutdown()
