"""Which memories of an image answer a question best; :mod:`~snapshots.recall.ranking.pipeline` is the page to read."""
