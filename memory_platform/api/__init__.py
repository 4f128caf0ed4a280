"""The REST API. Version 1 stands in `v1`, a folder for each group of nouns."""
