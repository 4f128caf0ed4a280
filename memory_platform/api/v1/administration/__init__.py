"""Tenant, usage, jobs, exports, imports and certificates of erasure."""
