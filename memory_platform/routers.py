"""Database routing: the owner migrates, the app role serves."""

from typing import Any


class OwnerMigrates:
    """The aliases ``default`` and ``owner`` are one database seen by two roles; of others this says nothing."""

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        return {"owner": True, "default": False}.get(db)

    def allow_relation(self, obj1: object, obj2: object, **hints: Any) -> bool:
        return True
