"""The explanation of a memory's place in a recall."""

from rest_framework import serializers

from memory_platform.api.requests.serializers import Output
from memory_platform.api.v1.memories.shared_serializers import texts_output


class LaneHitOutput(Output):
    """The place of a memory in one kind of search."""

    rank = serializers.IntegerField(help_text="Rank, from 1.")
    score = serializers.FloatField(help_text="Score of this search: cosine or BM25.")
    view = serializers.ChoiceField(
        choices=["own", "window", "continued"],
        help_text="Text that was compared: `own` (the memory alone), `window` (with the memories around it), "
        "`continued` (with the message before it).",
    )


class KeywordHitOutput(LaneHitOutput):
    """The place of a memory in the keyword search."""

    words = texts_output(
        "Words of the question that the memory contains. Absent if it was found by words around it or near in meaning.",
        required=False,
    )


class FactorsOutput(Output):
    """Factors that multiply the score."""

    recency = serializers.FloatField(help_text="Newer memories weigh more.")
    confidence_effective = serializers.FloatField(help_text="Confidence after decay.")
    provenance = serializers.FloatField(help_text="A stronger provenance weighs more.")
    frequency = serializers.FloatField(help_text="Memories that were often useful weigh more.")


class RelevancePartsOutput(Output):
    """The parts of a relevance. A part that does not apply is absent.

    The relevance is `need` times: for `memories`, the probability halfway (in log-odds) between `as_note` and
    `as_statement`; for notes and replies, `as_note` raised by `in_time` and twice `asks_reply`, or `as_message`.
    Receipts also have `as_tag`, `as_older`, `as_slot` and `share`.
    """

    need = serializers.FloatField(help_text="How probably the question needs memory at all, 0 to 1.")
    named = serializers.FloatField(
        required=False, help_text="Lower bound of `need` because the question says a name that the memory contains."
    )
    as_note = serializers.FloatField(
        required=False, help_text="How probably words like these help a question like this."
    )
    as_statement = serializers.FloatField(
        required=False, help_text="How probably it helps, by its score among all messages."
    )
    as_message = serializers.FloatField(
        required=False, help_text="How probably the message of a note helps, if that is more than the note itself."
    )
    asks_reply = serializers.FloatField(
        required=False, help_text="How probably the question asks for what the assistant said. For replies only."
    )
    in_time = serializers.FloatField(
        required=False, help_text="Added because it was said at the time that the question names."
    )


class ExplainOutput(Output):
    """The explanation of a memory's place.

    The score is `semantic` (or `reranked`) times all factors, rounded. `semantic` is the relevance; for `memories` it
    is `need` times `as_statement`.
    """

    dense = LaneHitOutput(allow_null=True, help_text="Place in the vector search; null if it was not found there.")
    keyword = KeywordHitOutput(
        allow_null=True, help_text="Place in the keyword search; null if it was not found there."
    )
    fused = serializers.FloatField(help_text="Both searches together.")
    smoothed = serializers.FloatField(help_text="Part of `fused` that came from the memories around it.")
    conversation = serializers.FloatField(help_text="Part of `fused` that came from its conversation.")
    preferred = serializers.FloatField(help_text="Part of `fused` that came from who said it, when and how.")
    semantic = serializers.FloatField(help_text="What it is ranked by, before the factors, 0 to 1.")
    reranked = serializers.FloatField(
        allow_null=True, help_text="Relevance by the reranking model, in place of `semantic`; null without one."
    )
    factors = FactorsOutput(help_text="Factors that multiply the score.")
    relevance = RelevancePartsOutput(help_text="Parts of the relevance.")
