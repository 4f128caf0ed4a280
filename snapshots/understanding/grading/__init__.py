"""Small trained classifiers: how probably a clause says something that lasts."""
