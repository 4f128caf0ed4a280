"""The audit trail in words."""
