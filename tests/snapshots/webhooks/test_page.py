"""The receiver of docs/webhooks.md works as it stands. Rows: D3."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

from django.test import override_settings

from snapshots.models import Webhook
from snapshots.webhooks.deliveries import add_test
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.snapshots.webhooks.receiver import open_ear

PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text(encoding="utf-8")
[PROGRAM] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_receiver_of_the_page_takes_what_is_signed(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with open_ear(world.acme) as ear, override_settings(UPSTREAM_HOSTS=["127.0.0.1"]):
        names = os.environ | {"SECRET": ear.secret, "PORT": str(port)}
        program = subprocess.Popen([sys.executable, "-c", PROGRAM], env=names, stdout=subprocess.PIPE, text=True)
        try:
            wait_for_port(port)
            with tenant_tx(world.acme.tenant.id):
                Webhook.objects.update(url=f"http://127.0.0.1:{port}/hooks")
                row = add_test(ear.webhook_id, by=COMMAND_LINE)
            ear.deliver()
            [sent] = ear.list_deliveries()
            assert (sent.state, sent.last_status) == ("delivered", 204)
            assert program.stdout is not None
            assert program.stdout.readline().startswith(f"msg_{row.event_id} webhook.test")
        finally:
            program.kill()
            program.wait()


def wait_for_port(port: int) -> None:
    ends = monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert monotonic() < ends, "the program does not listen"
            sleep(0.05)
        else:
            return
