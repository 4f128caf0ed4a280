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
    """Where a memory stands among the keywords; ``words`` are those of the question that it shares."""

    words = serializers.ListField(child=serializers.CharField())


class FactorsOutput(Output):
    """The multipliers of the score."""

    recency = serializers.FloatField()
    confidence_effective = serializers.FloatField()
    provenance = serializers.FloatField()
    frequency = serializers.FloatField()


class ExplainOutput(Output):
    """Why a memory stands where it stands; a lane that did not find it is null: both only for a question that
    asks for nothing but a time.

    ``semantic`` times all factors, rounded to six digits, is the score. Of ``fused``, ``smoothed``
    came from its neighbours, ``conversation`` from its sitting, ``preferred`` from who said it, when and how.
    With a reranking model ``reranked`` takes the place of ``semantic``.
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
