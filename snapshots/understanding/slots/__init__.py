"""Slots: a name, a home, a diet, a setting: cut out of what people say only where that is certain."""
