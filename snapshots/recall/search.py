"""The parts of a recall: the question made ready, and the images that this process holds."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import tzinfo
from time import perf_counter

from memory_platform.kernel.text import beginning, detect_language
from memory_platform.providers.contracts import EmbeddingUnavailable
from memory_platform.providers.registry import word_relations
from snapshots.embedding.contextual import EVERY_LANGUAGE
from snapshots.embedding.rows import Float32
from snapshots.embedding.spaces import Embedders, active_embedders, spaces_key
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.images.image import Image
from snapshots.recall.loading.cache import ImageCache, ImageKey, KnownSubjects
from snapshots.recall.loading.current import Whose
from snapshots.recall.loading.images import LoadedImage, load_image
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.ranking.naming import holds_name, read_names
from snapshots.recall.ranking.notes import rank_apart
from snapshots.recall.ranking.pipeline import Scored, judge_memories, rank_judged
from snapshots.recall.ranking.probe import Probe, asked_at, make_probe
from snapshots.recall.ranking.replies import rank_replies
from snapshots.recall.rewording.wordings import Wording, rank_wordings
from snapshots.recall.values import DOCUMENTS, SEARCHED, SNAPSHOTS, RankedHit, RecallQuery
from snapshots.relevance.policy import RELEVANCE
from snapshots.relevance.questions import read_wants

# The images of this process. They hold no text; every use is validated against the database's version.
IMAGES = ImageCache(DEFAULT_RECALL.image_cache_bytes)
# Ids of subjects by tenant and the product's own id. Every use is validated against the database.
SUBJECTS = KnownSubjects(DEFAULT_RECALL.known_subjects)


@dataclass(frozen=True, slots=True)
class Question:
    """A question made ready outside of any transaction: its probe, the spaces to ask, what was missing, the time.

    ``others`` are its other wordings, which find memories together with the question's own words. ``policy`` is what it
    was made ready by, and steers its answer.
    """

    probe: Probe
    embedders: Embedders
    degraded: frozenset[DegradedReason]
    embed_ms: float
    others: tuple[Wording, ...] = ()
    policy: RecallPolicy = DEFAULT_RECALL
    text: str = ""

    def asked_at(self, query: RecallQuery) -> "Question":
        """Return the question as it is meant at the moment of ``query``: the times it names are read once for all."""
        return replace(self, probe=asked_at(self.probe, query.text, query.read_at))

    def meant_in(self, zone: tzinfo | None, query: RecallQuery) -> "Question":
        """Return the question as it is meant by the clock of a zone; itself where that changes nothing."""
        local = query.read_in(zone)
        there = self if local is query else self.asked_at(local)
        return self if there.probe.times == self.probe.times else there

    def about_known(self, image: Image) -> "Question":
        """Return the question as it needs memory: at least by ``named_need`` where ``image`` holds a name it says."""
        names, least = read_names(self.text), RELEVANCE.named_need
        if self.probe.needs >= least or not names or not holds_name(image, names):
            return self
        return replace(self, probe=replace(self.probe, needs=least, is_named=True))

    def judge(self, query: RecallQuery, image: Image) -> Scored:
        """Return how probably each memory of ``image`` helps, by the question's own words."""
        return judge_memories(query, self.probe, image, self.policy)

    def rank(self, query: RecallQuery, scored: Scored, image: Image) -> list[RankedHit]:
        """Return the best ``query.top_k`` of the memories that were judged, in whatever wordings there are."""
        if not self.others:
            return rank_judged(query, scored, image, self.policy)
        return rank_wordings(query, scored, self.others, image, self.policy)

    def rank_notes(self, query: RecallQuery, image: Image, said: tuple[Image, Scored]) -> list[RankedHit]:
        """Return the best notes of ``image``, best first, by the question's own words alone; ``said`` are the
        statements as they were judged."""
        return rank_apart(query, self.probe, image, self.policy, said=said)

    def rank_replies(self, query: RecallQuery, image: Image) -> list[RankedHit]:
        """Return the best replies of ``image``, best first, where they have something to say to it."""
        return rank_replies(query, self.probe, image, self.policy)


class Stopwatch:
    """Milliseconds per named stage of one call; of one that comes again, of all its times."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block under ``name``."""
        started = perf_counter()
        try:
            yield
        finally:
            self.ms[name] = round(self.ms.get(name, 0.0) + (perf_counter() - started) * 1000, 3)


def prepare_question(
    text: str, policy: RecallPolicy = DEFAULT_RECALL, *, lanes: Collection[str] = (SNAPSHOTS,)
) -> Question:
    """Tokenise and embed a question; no model is asked where ``lanes`` need none.

    No transaction may be open; a model that does not answer leaves the keywords.
    """
    return prepare_questions([text], policy, lanes=lanes)[0]


def prepare_questions(
    texts: Sequence[str], policy: RecallPolicy = DEFAULT_RECALL, *, lanes: Collection[str] = (SNAPSHOTS,)
) -> list[Question]:
    """Do the same for several questions, in one call to each model; each tells what was missing for all."""
    watch, embedders = Stopwatch(), active_embedders() if SEARCHED.intersection(lanes) else ()
    texts = [beginning(text, policy.question_chars) for text in texts]
    with watch.stage("embed"):
        embedded, degraded = embed_questions(texts, embedders)
        relations = word_relations(embedders)
        probes = [make_probe(*one, policy.scoring, relations) for one in zip(texts, embedded, strict=True)]
    wanted = [read_wants(text, probe.vectors) for text, probe in zip(texts, probes, strict=True)]
    read = [
        replace(probe, needs=wants.memory, replies=wants.replies) for probe, wants in zip(probes, wanted, strict=True)
    ]
    missing = degraded | {DegradedReason.DOCUMENTS_UNAVAILABLE} if DOCUMENTS in lanes else degraded
    return [
        Question(probe, embedders, missing, watch.ms["embed"], policy=policy, text=text)
        for text, probe in zip(texts, read, strict=True)
    ]


def in_other_words(question: Question, others: Sequence[str]) -> Question:
    """Return ``question`` with other wordings, made ready in one call to each model. No transaction may be open."""
    more = prepare_questions(others, question.policy)
    wordings = tuple(map(Wording, others, (one.probe for one in more)))
    return replace(question, others=wordings, degraded=question.degraded.union(*(one.degraded for one in more)))


def embed_question(text: str, embedders: Embedders) -> tuple[dict[str, Float32], frozenset[DegradedReason]]:
    """Return the question's vector by space, from every listed model that knows its language or all, and what was
    missing."""
    (vectors,), degraded = embed_questions([text], embedders)
    return vectors, degraded


def embed_questions(
    texts: Sequence[str], embedders: Embedders
) -> tuple[list[dict[str, Float32]], frozenset[DegradedReason]]:
    """Do the same for each of several questions, and say what was missing for any of them."""
    languages = list(map(detect_language, texts))
    vectors: list[dict[str, Float32]] = [{} for _ in texts]
    degraded: frozenset[DegradedReason] = frozenset()
    for embedder in embedders:
        known = [i for i, language in enumerate(languages) if {language, EVERY_LANGUAGE} & set(embedder.languages)]
        try:
            rows = embedder.embed_questions([texts[i] for i in known]) if known else ()
        except EmbeddingUnavailable:
            degraded = frozenset({DegradedReason.EMBEDDING_UNAVAILABLE})
            continue
        for i, row in zip(known, rows, strict=True):
            vectors[i][embedder.name] = row
    return vectors, degraded


def held_image(whose: Whose, embedders: Embedders) -> LoadedImage | None:
    """Return the image that this process holds of the subject, of whatever moment."""
    subject_id = whose.subject_id or SUBJECTS.get((whose.tenant_id, whose.external_id or ""))
    return IMAGES.held(ImageKey(whose.tenant_id, subject_id, spaces_key(embedders))) if subject_id else None


def current_image(whose: Whose, embedders: Embedders, held: LoadedImage | None = None) -> LoadedImage | None:
    """Return the image of the subject's memory as it is, grown from ``held`` or new; None for an unknown subject.

    It is kept for the next question, unless it had to do without vectors: then the next call tries again.
    """
    loaded = load_image(whose, embedders, held)
    if loaded is None or loaded.degraded:
        return loaded
    if whose.external_id:
        SUBJECTS.put((whose.tenant_id, whose.external_id), loaded.subject_id)
    IMAGES.put(ImageKey(whose.tenant_id, loaded.subject_id, spaces_key(embedders)), loaded)
    return loaded
