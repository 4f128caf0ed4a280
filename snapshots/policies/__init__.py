"""A tenant's policy as this code knows it: what may be set, what is in force, what another would do (T4, T5)."""
