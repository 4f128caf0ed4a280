"""Database routing: the owner migrates, the app role serves."""

from typing import Any


class OwnerMigrates:
    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == "owner"

    def allow_relation(self, obj1: object, obj2: object, **hints: Any) -> bool:
        # Both aliases are the same database seen by two roles.
        return True
