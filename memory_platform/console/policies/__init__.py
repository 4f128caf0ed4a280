"""Screens of a tenant's policy and its experiments: try, save, replay, roll back."""
