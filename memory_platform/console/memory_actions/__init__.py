"""Acts of staff on one memory or many: forms, pages, buttons, bulk actions."""
