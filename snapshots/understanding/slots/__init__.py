"""Slots: a name, a home, a diet, a setting, cut out of messages only where that is certain."""
