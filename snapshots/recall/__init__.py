"""Recall: what a subject's memory answers to a question. Open :mod:`snapshots.recall.service` first: the whole road.

:mod:`~snapshots.recall.loading` brings a memory from its tables, as an image (:mod:`~snapshots.recall.images`);
:mod:`~snapshots.recall.ranking` scores it, by the times a question names (:mod:`~snapshots.recall.times`), the filters
it sets (:mod:`~snapshots.recall.filtering`) and, where a model helps, other words for it
(:mod:`~snapshots.recall.rewording`).
"""
