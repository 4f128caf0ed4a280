"""How much of what rules learn from everyday English talk is right: `everyday_en.jsonl`, and labels of real talk.

`python -m tests.golden.everyday` prints the figures of the written lines and, where the evaluation data is at
hand, the precision on both halves of them; `--misses` prints what went wrong on the written lines.
"""

import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snapshots.extraction.pipeline import extract
from snapshots.extraction.values import ExtractionContext, PreferenceCandidate, ProfileFact
from tests.golden.blind import compared, found_in, misread, report
from tests.golden.labels import rows
from tests.snapshots.extraction.said import said

TALK = Path(__file__).parents[3] / "shared" / "data" / "locomo-dev.json"
HALVES = ("A", "B")
"""Rules were mended on what they made of half A; nobody who mends them has read half B."""


def wrong_per_hundred(lines: list[dict[str, Any]]) -> float:
    """Return how many candidates rules make of a hundred lines that teach nothing."""
    nothing = [row for row in lines if row["class"] == "nothing"]
    return 100 * sum(len(found_in(row["text"])) for row in nothing) / len(nothing)


def recall(lines: list[dict[str, Any]]) -> float:
    """Return the share of what the lines that teach something teach that is found, 0..1."""
    wanted = [row for row in lines if row["class"] != "nothing"]
    return sum(len(compared(row, "said")[0]) for row in wanted) / sum(len(row["expected"]) for row in wanted)


def judged() -> dict[str, Counter[str]]:
    """Return, by half of the real messages, how many candidates are right, wrong, unclear, or have no label; the number
    of messages as ``messages``."""
    labels = {(row["message"], row["class"], row["value"]): row["label"] for row in rows("everyday_en_labels")}
    told: dict[str, Counter[str]] = {}
    for half, messages in zip(HALVES, _halves(), strict=True):
        found = (labels.get((key, *one), "unlabelled") for key, text in messages for one in _candidates(text))
        told[half] = Counter(found) + Counter(messages=len(messages))
    return told


def precision(told: Counter[str]) -> float:
    """Return the share of right ones among the candidates that are right or wrong; what has no label is wrong."""
    return told["right"] / (told["right"] + told["wrong"] + told["unlabelled"])


def _halves() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return (id, text) of the user messages, each text once, split in two by lot."""
    first: dict[str, str] = {}
    for subject in json.loads(TALK.read_text(encoding="utf-8"))["subjects"]:
        for talk in subject["conversations"]:
            for message in talk["messages"]:
                if message["role"] == "user":
                    key = f"{subject['subject_id']}/{talk['conversation_id']}/{message['message_id']}"
                    first.setdefault(message["content"], key)
    texts = sorted(first)
    random.Random(7).shuffle(texts)  # noqa: S311 -- splits test data by lot
    messages = [(first[text], text) for text in texts]
    return messages[: len(messages) // 2], messages[len(messages) // 2 :]


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    """Yield (class, digest of the value) of all that rules learn from ``text`` but contacts and places."""
    got = extract(said(text), context=ExtractionContext())
    for one in (*got.corrections, *got.facts, *got.preferences):
        match one:
            case ProfileFact():
                yield ("change" if one.replaces else "profile"), _digest(one.value)
            case PreferenceCandidate():
                yield one.sort, _digest(list(one.value) if isinstance(one.value, tuple) else one.value)


def _digest(value: object) -> str:
    return hashlib.sha256(str(value).encode()).hexdigest()[:12]


def figures(lines: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the figures of the written lines and, where it is here, of the real talk."""
    yield from report(lines)
    yield f"candidates per hundred lines that teach nothing: {wrong_per_hundred(lines):.1f}; recall {recall(lines):.3f}"
    for half, told in judged().items() if TALK.exists() else ():
        made = sum(told.values()) - told["messages"]
        yield (
            f"half {half}: {made} candidates of {told['messages']} messages, {1000 * made / told['messages']:.0f} per "
            f"thousand, precision {precision(told):.3f} ({dict(told)})"
        )


if __name__ == "__main__":
    written = rows("everyday_en")
    sys.stdout.write("\n".join(misread(written) if "--misses" in sys.argv else figures(written)) + "\n")
