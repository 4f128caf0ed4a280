"""The platform beside servers that an operator may put around it: the guides in docs/operations/ are run here."""
