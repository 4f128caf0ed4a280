"""Context: choose what goes into a model's prompt, and record why. Start with :mod:`snapshots.context.pipeline`.

:mod:`~snapshots.context.turn` classifies the user's turn, :mod:`~snapshots.context.gathering` collects what may go in,
:mod:`~snapshots.context.assemble_context` makes it fit: :mod:`~snapshots.context.choosing` keeps what is worth its
tokens,
:mod:`~snapshots.context.token_budget` counts them, :mod:`~snapshots.context.writing` renders the prompt.
"""
