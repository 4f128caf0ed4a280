"""Create the demo world: ``manage.py seed_world``."""

import logging
from typing import Any

from django.core.management.base import BaseCommand

from memory_platform.devstack.private_files import DEMO_FILE
from memory_platform.devstack.seed.world import seed_world
from memory_platform.env.environment import environment


class Command(BaseCommand):
    help = "Make the tenants acme and globex with staff, keys and two weeks of talks and answers; safe to repeat."

    def handle(self, **options: Any) -> None:
        data_dir = environment().data_dir
        self.stdout.write("Two weeks of talks are told and answered: half a minute ...")
        # A line for each step of each talk would push the logins off the screen.
        logging.disable(logging.INFO)
        access = seed_world(data_dir)
        self.stdout.write(f"{len(access.keys)} tenants are there; logins and keys: {data_dir / DEMO_FILE}")
