"""Tenant isolation: scope, manager, and the migration operation that protects a table."""

from tenants.isolation.scope import current_tenant_id, scope_reads, tenant_reads, tenant_tx, tenant_writes

__all__ = ["current_tenant_id", "scope_reads", "tenant_reads", "tenant_tx", "tenant_writes"]
