"""Items of agents' stores: JSON values by namespace and key, found by filters and by meaning."""
