"""The load generator: clients, rounds, figures."""
