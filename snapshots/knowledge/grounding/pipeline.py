"""How a text is checked against documents. The whole road, top-down.

Each sentence is a question to the documents; of the chunks found, the sentence nearest to it is its evidence. Models
are asked with no transaction open, and nothing is stored.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from uuid import UUID

from snapshots.knowledge.chunking.sentence_borders import find_sentence_ends
from snapshots.knowledge.grounding.config import LIMITS, SUPPORT, GroundingLimits
from snapshots.knowledge.grounding.evidence import ChosenEvidence, PassageText, choose_evidence
from snapshots.knowledge.grounding.model_judge import QuotedVerdict, judge_sentences
from snapshots.knowledge.grounding.values import FactDifference, GroundedSentence, GroundingQuery, GroundingReport
from snapshots.knowledge.search.document_question import prepare_document_questions
from snapshots.knowledge.search.passages import ChunkText, load_chunk_texts
from snapshots.knowledge.search.pipeline import rank_wording
from snapshots.knowledge.search.searched_parts import SearchedParts, find_searched_parts
from snapshots.knowledge.search.values import DocumentQuery, PassageCitation
from snapshots.recall.filtering.filter_grammar import Condition
from snapshots.recall.question import Stopwatch
from snapshots.recall.values import DegradedReason
from tenants.isolation import tenant_tx
from tenants.services.usage.metered_chat import find_metered_chat

# The chunks that a sentence is compared with, best first.
SentenceChunks = Sequence[ChunkText]
# A sentence's first character in the text, and the one after its last.
Span = tuple[int, int]
# Blanks and marks of lists and headings before a sentence.
_AROUND = " \t\r\n#*•>-"


def ground_text(tenant_id: UUID, query: GroundingQuery, limits: GroundingLimits = LIMITS) -> GroundingReport:
    """Return for each sentence of the text whether the tenant's documents support it, until time is up. Opens its own
    scopes; models are asked outside of them."""
    watch, due = Stopwatch(), monotonic() + limits.seconds
    spans = split_claims(query.text)
    sentences: list[GroundedSentence] = []
    chunks: list[SentenceChunks] = []
    degraded = frozenset[DegradedReason]()
    with watch.stage("embed"):
        parts = find_searched_parts(tenant_id, query.scope)
    asked = spans[: query.limit]
    for first in range(0, len(asked), limits.at_once):
        some = asked[first : first + limits.at_once]
        if first and monotonic() > due:
            degraded |= {DegradedReason.GROUNDING_TIMEOUT}
            break
        own, lacking = _find_chunks(tenant_id, query, some, parts, watch)
        with watch.stage("compare"):
            judged, is_embedded = _judge_by_rules(query.text, some, own)
        sentences += judged
        chunks += own
        degraded |= lacking if is_embedded else lacking | {DegradedReason.EMBEDDING_UNAVAILABLE}
    if query.asks_model and sentences:
        with watch.stage("judge"):
            sentences, lacking = _judge_by_model(tenant_id, sentences, chunks)
        degraded |= lacking
    return GroundingReport(sentences, len(spans) - len(sentences), degraded, watch.ms)


def _find_chunks(
    tenant_id: UUID, query: GroundingQuery, spans: Sequence[Span], parts: SearchedParts, watch: Stopwatch
) -> tuple[list[SentenceChunks], frozenset[DegradedReason]]:
    """Return for each sentence the chunks that a search finds."""
    with watch.stage("embed"):
        questions, degraded = prepare_document_questions(
            [query.text[start:end] for start, end in spans], spaces=parts.spaces
        )
    among = Condition("document_id", "in", query.document_ids) if query.document_ids else None
    search = DocumentQuery(query.text, filter=among, scope=query.scope)
    with watch.stage("search"), tenant_tx(tenant_id):
        ranked = [
            [one.chunk_id for one in rank_wording(question, search, parts)[: LIMITS.chunks]] if parts.parts else []
            for question in questions
        ]
        texts = load_chunk_texts(list({chunk for chunks in ranked for chunk in chunks}))
    return [[texts[chunk] for chunk in one if chunk in texts] for one in ranked], degraded


def split_claims(text: str) -> list[Span]:
    """Return the sentences of a text by their characters, without blanks around them; those without a letter or digit,
    such as rules and bare list marks, are none."""
    spans, start = [], 0
    for end in find_sentence_ends(text):
        words = text[start:end]
        if sum(map(str.isalnum, words)) > 1 and any(map(str.isalpha, words)):
            spans.append((start + len(words) - len(words.lstrip(_AROUND)), start + len(words.rstrip())))
        start = end
    return spans


def _judge_by_rules(
    text: str, spans: Sequence[Span], chunks: Sequence[SentenceChunks]
) -> tuple[list[GroundedSentence], bool]:
    """Return the sentences with their evidence, and whether the sentence encoder answered."""
    claims = [
        (text[start:end][: LIMITS.sentence_characters], [PassageText(one.text, one.heading_path) for one in own])
        for (start, end), own in zip(spans, chunks, strict=True)
    ]
    found, is_embedded = choose_evidence(claims)
    return [_report_evidence(text, *one) for one in zip(spans, chunks, found, strict=True)], is_embedded


def _report_evidence(
    text: str, span: Span, chunks: SentenceChunks, evidence: ChosenEvidence | None
) -> GroundedSentence:
    start, end = span
    if evidence is None:
        return GroundedSentence(text[start:end], start, end, is_supported=False, support=0.0)
    chunk = chunks[evidence.passage]
    return GroundedSentence(
        text[start:end],
        start,
        end,
        is_supported=evidence.support >= SUPPORT.supported,
        support=evidence.support,
        citation=_cite(chunk, evidence.start, evidence.end),
        quote=chunk.text[evidence.start : evidence.end],
        differences=evidence.differences,
    )


def _cite(chunk: ChunkText, start: int, end: int) -> PassageCitation:
    """Return the citation of ``[start:end]`` of a chunk's text; of the whole chunk, if that repeats text from
    elsewhere."""
    is_plain = len(chunk.text) == chunk.end - chunk.start  # a repeated table header stands in no span
    first, last = (chunk.start + start, chunk.start + end) if is_plain else (chunk.start, chunk.end)
    return PassageCitation(chunk.external_id, chunk.title, chunk.heading_path, chunk.page, chunk.url, first, last)


def _judge_by_model(
    tenant_id: UUID, sentences: Sequence[GroundedSentence], chunks: Sequence[SentenceChunks]
) -> tuple[list[GroundedSentence], frozenset[DegradedReason]]:
    model = find_metered_chat(tenant_id, "judge")
    if model is None:
        return list(sentences), frozenset({DegradedReason.JUDGE_UNCONFIGURED})
    shown = _choose_shown_chunks(chunks)
    verdicts = judge_sentences(model, [one.text for one in sentences], [one.text for one in shown])
    if verdicts is None:
        return list(sentences), frozenset({DegradedReason.JUDGE_TIMEOUT})
    return [_follow_verdict(one, verdicts.get(i), shown) for i, one in enumerate(sentences)], frozenset()


def _choose_shown_chunks(chunks: Sequence[SentenceChunks]) -> list[ChunkText]:
    """Return the chunks that a model reads: the best of every sentence, then the second ones, each once."""
    shown: dict[UUID, ChunkText] = {}
    for rank in range(LIMITS.chunks):
        shown |= {own[rank].id: own[rank] for own in chunks if rank < len(own)}
    return list(shown.values())[: LIMITS.chunks_judged]


def _follow_verdict(
    sentence: GroundedSentence, verdict: QuotedVerdict | None, shown: Sequence[ChunkText]
) -> GroundedSentence:
    if verdict is None:
        return sentence
    judged = replace(sentence, judge="model", is_supported=verdict.is_supported, support=float(verdict.is_supported))
    if verdict.passage is None:
        return judged
    chunk = shown[verdict.passage]
    at = chunk.text.find(verdict.quote)  # -1 where blanks or capitals differ
    citation = _cite(chunk, at, at + len(verdict.quote)) if at >= 0 else _cite(chunk, 0, len(chunk.text))
    kept = () if verdict.is_supported else (FactDifference("statement", "", verdict.quote),)
    return replace(judged, citation=citation, quote=verdict.quote, differences=kept)
