"""The screen of subjects: search, page, export, erasure."""
