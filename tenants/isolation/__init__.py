"""Tenant isolation: scope, manager, and the migration operation that protects a table."""

from tenants.isolation.scope import current_tenant_id, scope_reads, tenant_notes, tenant_reads, tenant_tx

__all__ = ["current_tenant_id", "scope_reads", "tenant_notes", "tenant_reads", "tenant_tx"]
