"""The skeleton of all teaching, on a few rows: the fit, its weights, and the origin that they name. Rows: D4."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lab.teaching.training import (
    compute_mean_share,
    embed_texts,
    fit_regression,
    hash_sets,
    name_version,
    read_weights,
    render_shares,
    select_places,
)

NUMBERS = np.array([[0.0, 1.0], [0.1, 0.9], [1.0, 0.0], [0.9, 0.1]])
HOW: dict[str, Any] = {"strictness": 10.0, "max_iter": 500}


def test_the_weights_that_are_read_decide_as_the_fit_does() -> None:
    pytest.importorskip("sklearn", reason="of the group `evaluation`")
    for labels in (["no", "no", "yes", "yes"], ["a", "b", "c", "c"]):
        model = fit_regression(NUMBERS, labels, **HOW)
        names, weights, intercepts = read_weights(model)
        assert weights.shape == (len(set(labels)), 2)
        scores = NUMBERS.astype(np.float32) @ weights.T + intercepts
        assert [names[place] for place in scores.argmax(axis=1)] == list(model.predict(NUMBERS))


def test_of_two_classes_each_takes_half_of_the_weights() -> None:
    fit = SimpleNamespace(classes_=["no", "yes"], coef_=[[2.0, -4.0]], intercept_=[1.0])
    names, weights, intercepts = read_weights(fit)
    assert names == ("no", "yes")
    assert weights.tolist() == [[-1.0, 2.0], [1.0, -2.0]]
    assert intercepts.tolist() == [-0.5, 0.5]


def test_a_heavier_row_counts_more() -> None:
    pytest.importorskip("sklearn", reason="of the group `evaluation`")
    doubtful = np.array([[1.0], [1.0]])
    for weights, decided in (([9.0, 1.0], "no"), ([1.0, 9.0], "yes")):
        assert fit_regression(doubtful, ["no", "yes"], weights, **HOW).predict([[1.0]]) == [decided]


def test_each_text_is_embedded_once() -> None:
    vectors = embed_texts(["my dog is Rex", "我家的狗", "my dog is Rex"])
    assert list(vectors) == ["my dog is Rex", "我家的狗"]
    assert len({vector.shape for vector in vectors.values()}) == 1
    first, second = vectors.values()
    assert not np.allclose(first, second)


def test_weights_name_their_data_and_another_set_is_another_version(tmp_path: Path) -> None:
    rows = tmp_path / "few.jsonl"
    rows.write_text(json.dumps({"text": "hi"}), encoding="utf-8")
    first = name_version("reader", hash_sets(tmp_path, ["few"]))
    assert first == name_version("reader", hash_sets(tmp_path, ["few"]))
    rows.write_text(json.dumps({"text": "ho"}), encoding="utf-8")
    second = name_version("reader", hash_sets(tmp_path, ["few"]))
    assert first["version"] != second["version"]
    assert first["by"].keys() == second["by"].keys() == {"few"}


def test_shares_are_of_what_was_found_and_of_what_is_wanted() -> None:
    found, wanted = np.array([True, True, False, False]), np.array([True, False, True, True])
    assert render_shares(found, wanted) == "precision 0.500 recall 0.333 of 3"
    assert compute_mean_share(np.array([], bool)) == 1.0
    assert select_places("abcd", wanted) == ["a", "c", "d"]
