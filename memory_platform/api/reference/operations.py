from memory_platform.api.views.operations import Facts, codes_by_status, operation

__all__ = ["Facts", "codes_by_status", "operation"]
