"""Teach which note fills which field: ``make evaluation``, then ``python -m lab.teaching.fields``, env set.

Writes ``snapshots/understanding/fields/reader.json``. ``--across`` prints how well each product is read by a reader
that the others taught; ``--measure`` prints the figures of the products that teach nothing, as the reader is.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lab.measuring.clause_labels import load_labelled_messages
from lab.measuring.golden_sets import GOLDEN
from lab.standalone import run_program
from lab.teaching.training import Flags, fit_regression
from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.fields.config import MATCHING, MatchingConfig
from snapshots.understanding.fields.field_matching import (
    FILLS,
    OTHER,
    WEIGHTS,
    choose_field,
    compute_field_features,
    load_field_classifier,
    prepare_fields,
)
from snapshots.understanding.fields.reference_vectors import BACKGROUND, ENCODER, embed_centred
from snapshots.understanding.grading.clause_classifier import LASTING
from tenants.policies.descriptions_value_kind import FieldDescription

SETS = GOLDEN / "fields"
# Inverse strength of the regularisation (scikit-learn's C): of .01, .03, .1 and .3 the best across products.
STRICTNESS = 0.1
LANGUAGES = ("en", "zh")
# Sentences a language that stand as examples: those of the description alone, and as many as a policy can hold.
EACH = (0, 3)
TITLES = {0: "as described", 3: "six examples"}


@dataclass(frozen=True, slots=True)
class FieldSentence:
    """A sentence, and the field that it fills; "" for none."""

    text: str
    language: str
    field: str


@dataclass(frozen=True, slots=True)
class Product:
    name: str
    half: str
    fields: tuple[FieldDescription, ...]
    sentences: tuple[FieldSentence, ...]

    def take_examples(self, each: int, parity: int) -> "Product":
        """Return the product with every second sentence of a field, at most ``each`` a language, as its examples."""
        examples: dict[str, list[str]] = {one.name: [] for one in self.fields}
        kept: list[FieldSentence] = []
        languages = {one.text: one.language for one in reversed(self.sentences)}  # of equal sentences the first counts
        for place, one in enumerate(self.sentences):
            taken = [text for text in examples.get(one.field, ()) if languages[text] == one.language]
            if one.field and place % 2 == parity and len(taken) < each:
                examples[one.field].append(one.text)
            else:
                kept.append(one)
        fields = tuple(replace(one, examples=tuple(examples[one.name])) for one in self.fields)
        return replace(self, fields=fields, sentences=tuple(kept))


def load_products(half: str) -> list[Product]:
    found = [_load_product(path) for path in sorted(SETS.glob("*.toml"))]
    return [one for one in found if one.half == half]


def _load_product(path: Path) -> Product:
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    fields = tuple(
        FieldDescription(name, one["description"], tuple(one["examples"]))
        for name, one in sorted(held["fields"].items())
    )
    said = [
        FieldSentence(text, language, name)
        for name, one in (*held["fields"].items(), ("", held["none"]))
        for language in LANGUAGES
        for text in one[language]
    ]
    return Product(path.stem, held["half"], fields, tuple(said))


def compute_features(product: Product) -> Float32:
    """Return the numbers of every sentence for every field, shape (sentences, fields, n)."""
    prepared = prepare_fields(product.fields)
    vectors = embed_centred([one.text for one in product.sentences])
    return np.stack(
        [compute_field_features(one.text, row, prepared) for one, row in zip(product.sentences, vectors, strict=True)]
    )


def label_filled_fields(product: Product) -> Flags:
    """Return whether each sentence fills each field, shape (sentences, fields)."""
    return np.array([[field.name == one.field for field in product.fields] for one in product.sentences])


def train_classifier(lessons: Sequence[tuple[Float32, Flags]]) -> LinearClassifier:
    rows = np.concatenate([numbers.reshape(-1, numbers.shape[-1]) for numbers, _ in lessons])
    wanted = np.concatenate([labels.reshape(-1) for _, labels in lessons])
    plain = rows.shape[1] - 512
    means, spreads = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
    means[:plain], spreads[:plain] = rows[:, :plain].mean(axis=0), rows[:, :plain].std(axis=0)
    model = fit_regression((rows - means) / spreads, wanted, strictness=STRICTNESS, max_iter=3000)
    weights = model.coef_[0] / spreads
    intercept = float(model.intercept_[0] - means @ weights)
    both = np.stack([-weights / 2, weights / 2]).astype(np.float32)
    intercepts = np.array([-intercept / 2, intercept / 2], np.float32)
    return LinearClassifier((OTHER, FILLS), both, intercepts, {}, ENCODER, {"sets": hash_sets()})


def hash_sets() -> dict[str, str]:
    paths = [*sorted(SETS.glob("*.toml")), BACKGROUND]
    held = [path for path in paths if path == BACKGROUND or _load_product(path).half == "teach"]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in held}


@dataclass(frozen=True, slots=True)
class Question:
    sentence: FieldSentence
    names: tuple[str, ...]
    numbers: Float32
    reader: LinearClassifier

    def chosen_field(self, config: MatchingConfig = MATCHING) -> str:
        """Return the field that it fills, "" for none."""
        return choose_field(self.names, self.numbers, self.reader, config).field


def make_questions(reader: LinearClassifier, product: Product, numbers: Float32) -> list[Question]:
    names = tuple(field.name for field in product.fields)
    return [Question(one, names, rows, reader) for one, rows in zip(product.sentences, numbers, strict=True)]


def render_figures(field_questions: Sequence[Question], title: str, config: MatchingConfig = MATCHING) -> str:
    filled = [(one.sentence, one.chosen_field(config)) for one in field_questions]
    right = sum(bool(field) and said.field == field for said, field in filled)
    told = sum(bool(field) for _, field in filled)
    wanted = sum(bool(said.field) for said, _ in filled)
    near = [field for said, field in filled if not said.field]
    return (
        f"{title}: from {config.least:.2f}, ahead {config.ahead:.2f}: precision {right / max(told, 1):.3f} "
        f"({right} of {told}) recall {right / max(wanted, 1):.3f} of {wanted}; "
        f"filled by what fills none {sum(map(bool, near))} of {len(near)}"
    )


def split_into_turns(product: Product, each: int) -> list[Product]:
    """Return a product as it is described; with ``each`` sentences a language as examples in two turns, so that every
    sentence is an example in one of them and read in the other."""
    return [product.take_examples(each, parity) for parity in (0, 1)] if each else [product]


def cross_validate() -> Iterator[str]:
    taught = load_products("teach")
    held = {
        (one.name, each): [(turn, compute_features(turn)) for turn in split_into_turns(one, each)]
        for one in taught
        for each in EACH
    }
    found: dict[int, list[Question]] = {each: [] for each in EACH}
    for one in taught:
        others = [turn for (name, _), read in held.items() if name != one.name for turn in read]
        reader = train_classifier([(numbers, label_filled_fields(turn)) for turn, numbers in others])
        for each in EACH:
            for turn, numbers in held[one.name, each]:
                found[each] += make_questions(reader, turn, numbers)
    for each in EACH:
        for least in (0.7, 0.75, 0.8, 0.85, 0.9):
            for ahead in (0.0, 0.1, 0.3):
                yield render_figures(found[each], TITLES[each], replace(MATCHING, least=least, ahead=ahead))


def read_held_out_sentences(each: int) -> Iterator[Question]:
    for product in load_products("measure"):
        for turn in split_into_turns(product, each):
            yield from make_questions(load_field_classifier(), turn, compute_features(turn))


def read_ordinary_sentences() -> Iterator[Question]:
    """Yield the lasting clauses of talks for each product that teaches nothing; nearly none fills a field."""
    said = tuple(
        FieldSentence(clause.text, language, "")
        for language, name in (("en", "talk_en_2"), ("zh", "talk_zh_2"))
        for message in load_labelled_messages(name)
        for clause, label in zip(message.message.clauses, message.labels, strict=True)
        if label is not None and label.grade in LASTING
    )
    for product in load_products("measure"):
        talked = replace(product, sentences=said)
        yield from make_questions(load_field_classifier(), talked, compute_features(talked))


def measure() -> Iterator[str]:
    for each in EACH:
        found, told = list(read_held_out_sentences(each)), TITLES[each]
        yield render_figures(found, told)
        for language in LANGUAGES:
            own = [one for one in found if one.sentence.language == language]
            yield render_figures(own, f"{told}, {language}")
    yield render_figures(list(read_ordinary_sentences()), "ordinary talk")


def teach() -> None:
    lessons = [turn for one in load_products("teach") for each in EACH for turn in split_into_turns(one, each)]
    train_classifier([(compute_features(one), label_filled_fields(one)) for one in lessons]).write(WEIGHTS)


if __name__ == "__main__":
    run_program(teach, across=cross_validate, measure=measure)
