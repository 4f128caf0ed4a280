"""``manage.py reseal_upstream_keys``: encrypt the keys of all tenants' model endpoints, and the secrets of webhooks,
by the newest secret."""

from django.core.management.base import CommandError

from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.management.base_command import PlatformCommand, choose_tenants
from snapshots.webhooks.webhooks import reseal_webhooks
from tenants.isolation import tenant_tx
from tenants.services.upstreams.upstreams import reseal_upstreams


class Command(PlatformCommand):
    help = (
        "Encrypt the keys of all tenants' model endpoints, and the secrets of their webhooks, by the first secret of "
        "UPSTREAM_KEYS. Afterwards the other secrets are not needed any more. Safe to repeat."
    )

    def handle(self, *args: object, **options: object) -> None:
        done, unreadable = 0, []
        for tenant in choose_tenants(None):
            try:
                with tenant_tx(tenant.id):
                    done += reseal_upstreams() + reseal_webhooks()
            except MemoryPlatformError:
                unreadable.append(tenant.slug)
        self.stdout.write(f"{done} keys are encrypted by the first secret.")
        if unreadable:
            raise CommandError(
                f"No secret reads the keys of: {', '.join(unreadable)}. Their managers must set them again."
            )
