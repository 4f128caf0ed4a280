"""Django's Postgres backend, told that tables here have (tenant_id, id) as their primary key."""

from django.db.backends.postgresql import base, features


class DatabaseFeatures(features.DatabaseFeatures):
    # Django groups by `id` alone where Postgres accepts that only for a whole primary key; ours is (tenant_id, id).
    allows_group_by_selected_pks = False


class DatabaseWrapper(base.DatabaseWrapper):
    features_class = DatabaseFeatures
