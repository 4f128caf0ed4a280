"""The tunable numbers of the providers."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class EmbeddedConfig:
    """Limits of the models inside the process."""

    # A model whose cost grows with the tokens reads only this much of a text.
    text_chars: int = measured(512, source="use-multilingual-v3: 512 Chinese characters take 84 ms, 65,536 take 20 s")
    # A model of static vectors reads this much of a longer text, in pieces from its beginning to its end.
    static_text_chars: int = measured(
        16_000,
        source="wordllama, 24 texts of 64 KiB of LoCoMo's turns: this much in 16 pieces, cosine with the whole .973 or "
        "more, .978 on average; in one piece from the beginning .844 and .950. 64 KiB of one kind take 47 to 148 ms "
        "whole, 5 to 62 ms so",
    )
    static_text_pieces: int = measured(16, source="the same texts: in 4 pieces .946 and .972, in 64 .971 and .981")
    # The library cuts by tokens, after tokenizing the whole text; nothing beyond this could be read anyway.
    local_text_chars: int = assumed(4_000, owner="providers", settle_by="texts beyond the 512 tokens of most models")
    # Question vectors that a process caches for each model: 4 MB at 512 dimensions.
    questions_kept: int = assumed(2_048, owner="providers", settle_by="share of questions asked again in production")
    # For questions to a model on disk; after it, recall continues with keywords.
    question_s: float = promised(2.0)
    # Texts that a model on disk embeds before a waiting question gets its turn.
    local_batch: int = measured(
        8, source="MiniLM beside a load of 6 on 2 cores: 8 texts of 24 words take 0.7-1.2 s, 32 take 0.9-1.8 s"
    )
    related_cosine: float = assumed(0.40, owner="providers", settle_by="coverage by the cosine of widened terms")
    related_words: int = assumed(40, owner="providers", settle_by="coverage by the number of widened terms")
    # Words whose relations a process caches.
    words_kept: int = assumed(8_192, owner="providers", settle_by="distinct words of a day's questions")


@dataclass(frozen=True, slots=True)
class CircuitConfig:
    """When a service is left alone, and for how long."""

    failures: int = assumed(5, owner="providers", settle_by="outages of a real endpoint under load")
    pause_s: float = assumed(15.0, owner="providers", settle_by="outages of a real endpoint under load")


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """One call to a model over HTTP; the caller gives the timeout."""

    attempts: int = assumed(3, owner="providers", settle_by="share of calls that a second attempt saves")
    first_wait_s: float = assumed(0.1, owner="providers", settle_by="share of calls that a second attempt saves")
    longest_wait_s: float = assumed(1.0, owner="providers", settle_by="share of calls that a second attempt saves")
    jitter_s: float = assumed(0.2, owner="providers", settle_by="share of calls that a second attempt saves")
    # How long after its deadline a call is considered hanging and its connection is closed.
    late_s: float = assumed(1.0, owner="providers", settle_by="how long after its time a call on a busy machine ends")
    answer_bytes: int = measured(16_000_000, source="32 vectors of 3,072 numbers are 2.2 MB of JSON")


@dataclass(frozen=True, slots=True)
class RemoteEmbeddingConfig:
    """Embedding over HTTP."""

    # For one text; after it, recall continues with keywords.
    question_s: float = promised(2.0)
    further_text_s: float = assumed(0.2, owner="providers", settle_by="batches of bge-large on a CPU server")
    longest_s: float = assumed(20.0, owner="providers", settle_by="batches of bge-large on a CPU server")
    batch: int = measured(32, source="text-embeddings-inference refuses larger batches unless told otherwise")
    # So many different texts never have one vector. Two may: to an uncased model "Rose" and "rose" are the same.
    differing_texts: int = promised(4)
    text_chars: int = assumed(4_000, owner="providers", settle_by="context lengths of the models of L2")
    # How long Redis keeps a vector.
    kept_s: int = assumed(86_400, owner="providers", settle_by="share of questions asked again in production")

    def compute_time_limit(self, texts: int) -> float:
        return min(self.question_s + self.further_text_s * (texts - 1), self.longest_s)


@dataclass(frozen=True, slots=True)
class RerankConfig:
    """One call of a reranker."""

    # Most memories that a reranker reads.
    head: int = assumed(40, owner="providers", settle_by="coverage by the number of memories reranked")
    seconds: float = assumed(1.0, owner="providers", settle_by="coverage against waiting time with a real reranker")
    query_chars: int = assumed(1_000, owner="providers", settle_by="context lengths of rerankers, most of 512 tokens")
    text_chars: int = assumed(2_000, owner="providers", settle_by="context lengths of rerankers, most of 512 tokens")


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """One question to a chat model."""

    # While somebody waits for a recall.
    rewrite_s: float = assumed(2.0, owner="providers", settle_by="coverage against waiting time with a real model")
    summarise_s: float = assumed(20.0, owner="providers", settle_by="answers of a real model")
    extract_s: float = assumed(20.0, owner="providers", settle_by="answers of a real model")
    judge_s: float = assumed(60.0, owner="providers", settle_by="answers of a real judge")
    repairs: int = promised(1)
    # After an overloaded or broken endpoint; the waits between are those of EndpointConfig.
    retries: int = assumed(1, owner="providers", settle_by="share of calls that a second attempt saves")
    answer_tokens: int = assumed(2_048, owner="providers", settle_by="lengths of a real model's answers")
    # A longer text is no answer: 2,048 tokens are 12,000 letters.
    text_chars: int = assumed(16_000, owner="providers", settle_by="lengths of a real model's answers")
    # Thoughts count too, and each character of them may be escaped to six bytes.
    answer_bytes: int = assumed(256_000, owner="providers", settle_by="lengths of a real model's thoughts")

    def find_time_limit(self, purpose: str) -> float:
        """Return the time for one answer, repair included. Raises KeyError for an unknown purpose."""
        return {
            "rewrite": self.rewrite_s,
            "summarise": self.summarise_s,
            "extract": self.extract_s,
            "judge": self.judge_s,
        }[purpose]


@dataclass(frozen=True, slots=True)
class PromptCacheConfig:
    """Cached content of Gemini and Vertex: when it is worth creating, and how long it lives."""

    least_tokens: int = measured(
        4_096,
        source="ai.google.dev/gemini-api/docs/caching, June 2026: Gemini 3.5 Flash and 3.1 Pro take no less",
    )
    # By the prefix of the model's name.
    least_tokens_of: tuple[tuple[str, int], ...] = measured(
        (("gemini-2.5-", 2_048),), source="the same page: 2.5 Flash and 2.5 Pro; Vertex says 2,048 for 2.5 as well"
    )
    # For one call, while somebody waits for a context.
    seconds: float = assumed(3.0, owner="prompt_cache", settle_by="how long a real endpoint takes to make one")
    # Also how long the words of a changed profile may still exist at the vendor.
    lives: timedelta = assumed(
        timedelta(minutes=10), owner="prompt_cache", settle_by="pauses between the turns of real conversations"
    )
    # Cached content is not used in its last minutes.
    last: timedelta = assumed(
        timedelta(minutes=1), owner="prompt_cache", settle_by="how long after a context its product asks the model"
    )
    # With less than this left, it is extended when it is used.
    extended: timedelta = assumed(
        timedelta(minutes=4), owner="prompt_cache", settle_by="pauses between the turns of real conversations"
    )
    # After a failure, the same prefix is not tried again for this long.
    rests: timedelta = assumed(
        timedelta(minutes=1), owner="prompt_cache", settle_by="outages and quotas of a real endpoint"
    )
    answer_bytes: int = assumed(64_000, owner="prompt_cache", settle_by="answers of a real endpoint")
    # Rows of expired content that are deleted with each new one.
    cleared: int = assumed(100, owner="prompt_cache", settle_by="rows left behind in production")

    def find_least_tokens(self, model: str) -> int:
        """Return the tokens below which the vendor caches nothing for ``model``."""
        return next((least for start, least in self.least_tokens_of if model.startswith(start)), self.least_tokens)


@dataclass(frozen=True, slots=True)
class EndpointHealthConfig:
    """How much is kept of an endpoint's last calls, for the console."""

    calls: int = promised(200)
    kept_s: int = promised(7 * 86_400)


EMBEDDED = EmbeddedConfig()
HEALTH = EndpointHealthConfig()
CIRCUIT = CircuitConfig()
ENDPOINT = EndpointConfig()
REMOTE_EMBEDDING = RemoteEmbeddingConfig()
RERANK = RerankConfig()
CHAT = ChatConfig()
PROMPT_CACHE = PromptCacheConfig()
