"""Context: choose the content of a model's prompt, and record why. Start with :mod:`snapshots.context.pipeline`.

:mod:`~snapshots.context.turn` classifies the user's turn, :mod:`~snapshots.context.gathering` collects the candidates,
:mod:`~snapshots.context.assemble_context` makes them fit: :mod:`~snapshots.context.choosing` keeps the useful ones,
:mod:`~snapshots.context.token_budget` counts them, :mod:`~snapshots.context.writing` renders the prompt.
"""
