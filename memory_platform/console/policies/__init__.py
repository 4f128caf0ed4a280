"""Screens of a tenant's policy and experiments: edit, try, replay, activate, roll back."""
