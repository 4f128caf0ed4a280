"""Teach the tagger of value spans (E1): ``make evaluation``, then ``python -m tests.golden.teach_tagger`` with the
environment. Writes ``snapshots/extraction/tagger.npz``.

A linear-chain conditional random field, fitted by L-BFGS. Its kinds of words (``tagger_words.txt``) were made once:
``--words FREQUENT_EN FREQUENT_ZH`` makes them again from two lists of words, most frequent first.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from snapshots.extraction.observe import observe
from snapshots.extraction.tagger import OTHER, WEIGHTS, Tagger
from snapshots.extraction.tagger_words import WORDS, Read, Word, read_by
from tests.golden.chain import Table, fitted
from tests.golden.labels import HERE, rows
from tests.snapshots.extraction.said import said

UTTERANCES = ("utterances", "utterances_2", "utterances_3", "utterances_4")
"""Labelled sentences that rules were mended by."""
CORRECTIONS = (
    "corrections_blind",
    "corrections_dev",
    "corrections_dev_2",
    "corrections_2",
    "corrections_3",
    "corrections_4",
)
"""What puts something right names what is old and what is new; what looks like it is left out."""
WRITTEN = "taught_lines"
SILENT = ("extraction", "corrections")
"""Of these, the lines that teach nothing: look-alikes of what does."""
LEAST_SEEN = 2
"""Times that a feature is seen, to be one."""
LEAST_WEIGHT = 0.07
"""A feature that weighs less for every label is left out."""
LEAST = {"habit": 0.7, "new": 0.3, "old": 0.3}
LEAST_OTHERWISE = 0.5
"""Shares below which a span of a kind is none: of 0.3 to 0.7, the best of strangers' sentences beside the rules."""
KINDS_OF_WORDS = 320
MOST_WORDS = (26_000, 24_000)
SEED = 1
_FIXED = frozenset({"attribute", "bound", "wish", "old"})
"""Kinds whose values fit their own sentence only."""
_FIELDS = {
    "name": "name",
    "occupation": "occupation",
    "job": "occupation",
    "employer": "employer",
    "city": "city",
    "residence": "city",
    "age": "age",
    "pets": "pet",
    "interests": "interest",
}
_BOUNDS = ("limit", "budget", "hours", "time", "earliest", "latest", "before", "after", "speed")

Labelled = tuple[Read, list[str]]
Place = tuple[int, int, str]
"""Characters from and to, and the kind of what they name."""


def taught_by(examples: Sequence[Labelled]) -> Tagger:
    """Return a tagger taught by sentences with a label a word."""
    labels = sorted({label for _, given in examples for label in given})
    lines = [(spread(read), given) for read, given in examples if read.words]
    seen = Counter(name for features, _ in lines for word in features for name in set(word))
    index = {name: number for number, name in enumerate(sorted(n for n, count in seen.items() if count >= LEAST_SEEN))}
    weights, moves, starts = fitted(Table.of(lines, index, labels), labels)
    kept = np.abs(weights).max(axis=1) >= LEAST_WEIGHT
    names = [name for name, keep in zip(index, kept, strict=True) if keep]
    kinds = {label[2:] for label in labels if label != OTHER}
    return Tagger(
        tuple(labels),
        {name: number for number, name in enumerate(names)},
        weights[kept].astype(np.float32),
        np.exp(moves),
        np.exp(starts),
        {kind: LEAST.get(kind, LEAST_OTHERWISE) for kind in sorted(kinds)},
        {},
    )


def spread(read: Read) -> list[list[str]]:
    """Return all features of each word: its own and those that the words around it give it."""
    found = []
    for here, (word, near, clause) in enumerate(zip(read.words, read.near, read.clause, strict=True)):
        features = list(near)
        if word.content:
            for there, at in enumerate(read.clause):
                if at == clause and there < here:
                    features += read.left[there]
                elif at == clause and there > here:
                    features += read.right[there]
                elif at == clause - 1:
                    features += read.earlier[there]
                elif at == clause + 1:
                    features += read.later[there]
        found.append(features)
    return found


def labelled(text: str, places: Iterable[Place]) -> Iterator[Labelled]:
    """Yield each sentence of a text with a label a word."""
    wanted = list(places)
    for clauses in observe(said(text)):
        read = read_by(clauses)
        yield read, labels_of(read.words, clauses[0].sentence_start, wanted)


def labels_of(words: Sequence[Word], start: int, places: Iterable[Place]) -> list[str]:
    """Return the label of each word of a sentence that begins at ``start``: half of a word in a place is the word."""
    labels = [OTHER] * len(words)
    for begin, end, kind in places:
        mark = "B"
        for number, word in enumerate(words):
            shared = min(word.end + start, end) - max(word.start + start, begin)
            if shared > 0 and 2 * shared >= word.end - word.start:
                labels[number] = f"{mark}-{kind}"
                mark = "I"
    return labels


def examples_of(name: str) -> list[Labelled]:
    """Return the labelled sentences of a file."""
    return [one for line in rows(name) for one in labelled(line["text"], places_of(line)) if teaches(line)]


def teaches(line: Mapping[str, Any]) -> bool:
    """Return whether all that a line says is labelled: what looks like a correction may say anything, and where what
    is to be found is told in short labels, only "nothing" says where."""
    return bool(line.get("is_correction", True)) and not line.get("expect")


def places_of(line: Mapping[str, Any]) -> list[Place]:
    """Return where a line's labels stand in it, in order and without overlap."""
    found = sorted(_places(line))
    return [place for at, place in enumerate(found) if not at or place[0] >= found[at - 1][1]]


def _places(line: Mapping[str, Any]) -> Iterator[Place]:
    text = line["text"]
    if "values" in line:
        at = 0
        for kind, words in line["values"]:
            at = text.index(words, at)
            yield at, at + len(words), kind
            at += len(words)
        return
    if "is_correction" in line:
        yield from _where(text, line["wrong"], "old")
        yield from _where(text, line["right"], "new")
        return
    for label in line.get("expected", ()):
        if label["kind"] != "tag":
            yield from _where(text, label.get("value"), _kind(line["class"], label))
            yield from _where(text, label.get("replaces"), "old")


def _where(text: str, words: object, kind: str) -> Iterator[Place]:
    """Yield where the first of ``words`` that stands in the text does."""
    low = text.lower()
    for one in words if isinstance(words, list) else [words]:
        if isinstance(one, str) and one.lower() in low:
            at = low.index(one.lower())
            yield at, at + len(one), kind
            return


def _kind(of: str, label: Mapping[str, Any]) -> str:
    names = label.get("key") or label.get("field") or ""
    name = names[0] if isinstance(names, list) else names
    if of == "change":
        return "new"
    if label["kind"] == "profile":
        return _FIELDS.get(name, "attribute")
    if name in {"allergies", "dislikes"}:
        return {"allergies": "allergy"}.get(name, "dislike")
    liked = name == "likes" or name.startswith(("favo", "preferred"))
    if of == "constraint":
        return "bound" if any(part in name for part in _BOUNDS) else "like" if liked or name == "milk" else "avoid"
    if of == "implicit":
        return "habit"
    return "dislike" if name.startswith("avoid") else "like" if liked else "wish"


def swapped(lines: Sequence[Mapping[str, Any]], seed: int = SEED) -> Iterator[Labelled]:
    """Yield the sentences of labelled lines with other values of the same kind and language in their places: what
    stands around a name has to tell what it is, not the name."""
    chance = Random(seed)  # noqa: S311 - the same lines each time
    told = [(line, places_of(line)) for line in lines]
    pool: dict[tuple[str, str], list[str]] = {}
    for line, places in told:
        for begin, end, kind in places:
            pool.setdefault((kind, line["language"]), []).append(line["text"][begin:end])
    for line, places in told:
        text, at, moved = "", 0, []
        for begin, end, kind in places:
            old = line["text"][begin:end]
            new = old if kind in _FIXED else chance.choice(pool[kind, line["language"]])
            text += line["text"][at:begin]
            moved.append((len(text), len(text) + len(new), kind))
            text, at = text + new, end
        if places:
            yield from labelled(text + line["text"][at:], moved)


def teach() -> Tagger:
    """Teach by all files, and write the tagger."""
    files = (*UTTERANCES, *CORRECTIONS, WRITTEN, *SILENT)
    examples = [one for name in files for one in examples_of(name)]
    examples += swapped([line for name in (*UTTERANCES, WRITTEN) for line in rows(name)])
    found = taught_by(examples)
    by = {name: hashlib.sha256((HERE / f"{name}.jsonl").read_bytes()).hexdigest() for name in files}
    found.taught.update(by=by)
    found.write(WEIGHTS)
    return found


def make_kinds(english: Path, chinese: Path) -> None:
    """Write the kinds of the frequent words: clusters of the vectors of single words."""
    from sklearn.cluster import MiniBatchKMeans  # noqa: PLC0415 - of the group `evaluation`

    from memory_platform.providers.use_embedder import UseEmbedder  # noqa: PLC0415 - loads 118 MB

    embedder = UseEmbedder()
    words, vectors = [], []
    for path, most in zip((english, chinese), MOST_WORDS, strict=True):
        some = path.read_text(encoding="utf-8").split()[:most]
        rows_of = np.concatenate([embedder.embed(some[at : at + 512]) for at in range(0, len(some), 512)])
        words += some
        vectors.append(rows_of - rows_of.mean(axis=0))
    unit = np.concatenate(vectors)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True) + 1e-9
    kinds = MiniBatchKMeans(KINDS_OF_WORDS, random_state=0, batch_size=4_096, n_init=1, max_iter=30).fit_predict(unit)
    lines = [
        " ".join(word for word, at in zip(words, kinds, strict=True) if at == kind) for kind in range(kinds.max() + 1)
    ]
    WORDS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if "--words" in sys.argv:
        make_kinds(*map(Path, sys.argv[sys.argv.index("--words") + 1 :][:2]))
    taught = teach()
    sys.stdout.write(json.dumps({"features": len(taught.index), "bytes": WEIGHTS.stat().st_size}) + "\n")
