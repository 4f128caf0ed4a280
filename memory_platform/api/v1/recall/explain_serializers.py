"""Why a memory stands where it stands, as recall tells it."""

from rest_framework import serializers

from memory_platform.api.requests.serializers import Output


class LaneHitOutput(Output):
    """Where a memory stands in one lane, in the view that ranks it higher; ranks count from 1.

    ``own`` reads the memory alone, ``window`` with the words around it, ``continued`` with the turn before it.
    """

    rank = serializers.IntegerField()
    score = serializers.FloatField()
    view = serializers.ChoiceField(choices=["own", "window", "continued"])


class KeywordHitOutput(LaneHitOutput):
    """Where a memory stands among the keywords; ``words`` are those of the question that it shares. Left out where it
    shares none itself, but the memories around it do, or words near in meaning."""

    words = serializers.ListField(child=serializers.CharField(), required=False)


class FactorsOutput(Output):
    """The multipliers of the score."""

    recency = serializers.FloatField()
    confidence_effective = serializers.FloatField()
    provenance = serializers.FloatField()
    frequency = serializers.FloatField()


_SHARE = "0 to 1, to four digits."


class RelevancePartsOutput(Output):
    """What a relevance was worked out from; what does not apply is left out. ``need`` times: for one of ``memories``
    the probability whose log-odds lie half-way between those of ``as_note`` and ``as_statement``; for a note or a reply
    ``as_note``, its log-odds raised by ``in_time`` and twice ``asks_reply``, or ``as_message`` instead. In receipts a
    slot has ``as_note``, or ``as_tag`` instead, a note may have ``as_older`` or ``as_slot`` instead of all these, the
    latter where both are told, and what is left of a message is multiplied by ``share``."""

    need = serializers.FloatField(help_text=f"How probably the question needs memory at all, {_SHARE}")
    named = serializers.FloatField(
        required=False, help_text="The least that `need` is, because the question says a name which the memory holds."
    )
    as_note = serializers.FloatField(
        required=False,
        help_text="How probably words like these help a question like this; of `memories` less what a note has ahead.",
    )
    as_statement = serializers.FloatField(
        required=False, help_text="How probably it helps by where its score stands among all messages."
    )
    as_message = serializers.FloatField(
        required=False, help_text="How probably the message of a note helps, where that is more than the note itself."
    )
    asks_reply = serializers.FloatField(
        required=False, help_text="How probably the question asks for what the assistant said; with replies."
    )
    in_time = serializers.FloatField(
        required=False, help_text="What a note or a reply gains for being said at the time that the question names."
    )


class ExplainOutput(Output):
    """Why a memory stands where it stands; a lane that did not find it is null: both only for a question that
    asks for nothing but a time.

    ``semantic`` times all factors, rounded to six digits, is the score; it is the relevance, but for ``memories``,
    which are ranked by ``need`` times ``as_statement``. Of ``fused``, ``smoothed`` came from its neighbours,
    ``conversation`` from its sitting, ``preferred`` from who said it, when and how. With a reranking model ``reranked``
    takes the place of ``semantic``.
    """

    dense = LaneHitOutput(allow_null=True)
    keyword = KeywordHitOutput(allow_null=True)
    fused = serializers.FloatField()
    smoothed = serializers.FloatField()
    conversation = serializers.FloatField()
    preferred = serializers.FloatField()
    semantic = serializers.FloatField()
    reranked = serializers.FloatField(allow_null=True)
    factors = FactorsOutput()
    relevance = RelevancePartsOutput()
