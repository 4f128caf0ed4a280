"""Context: what goes into a model's prompt, and why. Open :mod:`snapshots.context.service` first: the whole road.

:mod:`~snapshots.context.turn` says what the user is after, :mod:`~snapshots.context.gathering` collects what may go in,
:mod:`~snapshots.context.assemble` makes it fit: :mod:`~snapshots.context.choosing` says what is worth its tokens,
:mod:`~snapshots.context.budget` how many there are, :mod:`~snapshots.context.writing` how it is written.
"""
