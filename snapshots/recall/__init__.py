"""Recall: find the memories of a subject that help with a question. Start with :mod:`snapshots.recall.pipeline`.

:mod:`~snapshots.recall.loading` reads a memory from its tables, as an index (:mod:`~snapshots.recall.memory_indexes`);
:mod:`~snapshots.recall.ranking` scores it, by the times a question names (:mod:`~snapshots.recall.times`), the filters
it sets (:mod:`~snapshots.recall.filtering`) and, where a model helps, other words for it
(:mod:`~snapshots.recall.rewording`).
"""
