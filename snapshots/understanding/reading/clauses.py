"""Cut a message into clauses: the smallest parts that each say one thing.

A clause keeps its place in the message, so that it can be quoted in the user's own words. Words that are not the
speaker's own (quoted mails, code, pasted dialogues, texts to translate or write) make no clause.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.reading.reported_speech import find_reported_speech
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching

_RE = load_patterns(Path(__file__).with_name("data") / "clauses.toml")
_HAN = r"[\u3400-\u9fff]"


_CLOSING = "%)\"'°℃》」』)】"
_WORD = re.compile(r"\S+")

# Characters of a message that are cut into clauses; what stands behind them is found as part of its statement.
LONGEST_READ = 8_000
# A longer run without a break is cut between words: in characters, in Chinese characters, and in words.
LONGEST_CLAUSE, LONGEST_CLAUSE_ZH, MOST_WORDS = 240, 60, 45
# Words (Chinese: characters) up to which a part joins the clause before it: "too", 也行.
SHORTEST_ALONE = 2


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a message. ``text`` is ``message[start:end]``; ``sentence`` is the number of its sentence.
    ``in_question``: its sentence ends with a question mark."""

    text: str
    start: int
    end: int
    sentence: int
    language: str
    in_question: bool = False


def split_clauses(message: str) -> list[Clause]:
    """Return the clauses of a user's ``message`` in order, in linear time."""
    form = blank_others_words(message[:LONGEST_READ])
    return _cut_clauses(message, form) if form else []


def blank_others_words(message: str) -> str:
    """Return the matching form of a user's ``message`` with blanks for words that are not their own; "" where all of it
    is a text to work on, or a pasted conversation."""
    form = fold_for_matching(message)
    if _RE["task_on_text"].match(form):
        return ""
    form = _blank_reported(_blank_pasted(_blank_quoted(_RE["added"].sub(_to_blanks, form))))
    return "" if len(_RE["dialogue_line"].findall(form)) > 1 else form


def split_reply_clauses(message: str) -> list[Clause]:
    """Return the clauses of an assistant's ``message`` in order: there "Friday: museum" is a list item, not a
    speaker."""
    form = _blank_quoted(fold_for_matching(message[:LONGEST_READ]))
    return _cut_clauses(message, _RE["list_mark"].sub(lambda match: " " * len(match.group()), form))


def _blank_quoted(form: str) -> str:
    return _RE["not_own"].sub(_to_blanks, form)


def _blank_pasted(form: str) -> str:
    """Return the form without what the user pasted beside own words; a message that is one paragraph is the user's."""
    form = _RE["pasted_text"].sub(_to_line_ends, form) if "\n" in form.strip() else form
    document = _RE["others_document"].search(form) if ":" in form else None
    return form[: document.start("document")] + "\n" * len(document.group("document")) if document else form


def _blank_reported(form: str) -> str:
    for start, end in find_reported_speech(form):
        form = form[:start] + "\n" * (end - start) + form[end:]
    form = _RE["others_words"].sub(_to_line_ends, form) if '"' in form else form
    return _RE["to_work_on"].sub(_to_line_ends, form) if ":" in form else form


def _to_blanks(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _to_line_ends(match: re.Match[str]) -> str:
    """Line ends keep the words before and behind from becoming one clause."""
    return "\n" * len(match.group())


def _cut_clauses(message: str, form: str) -> list[Clause]:
    clauses: list[Clause] = []
    for number, (start, end, asked) in enumerate(list_sentence_spans(form)):
        language = detect_rule_language(form[start:end])
        for first, last in _join_fragments(form, list(_split_sentence(form, start, end, language)), language):
            clauses.append(Clause(message[first:last], first, last, number, language, asked))
    return clauses


def list_sentence_spans(form: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, asked) of each sentence that says something."""
    start = 0
    for end in _RE["sentence_end"].finditer(form):
        if _RE["says_something"].search(form, start, end.start()):
            yield start, end.start(), "?" in end.group()
        start = end.end()
    if _RE["says_something"].search(form, start):
        yield start, len(form), False


def _split_sentence(form: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    breaks = _RE["break_zh"] if language == "zh" else _RE["break_en"]
    cuts: list[tuple[int, int]] = []
    for found in breaks.finditer(form, start, end):
        if not _RE["two_of_us"].fullmatch(form, cuts[-1][1] if cuts else start, found.end() + 2):
            cuts.append(found.span())
    begins = [start, *(after for _, after in cuts)]
    ends = [*(before for before, _ in cuts), end]
    for begin, stop in zip(begins, ends, strict=True):
        for statement in _split_run_on(form, begin, stop, language):
            first, last = _trim_part(form, *statement)
            is_idle = bool(cuts) and _RE["idle"].fullmatch(form, first, last) is not None
            if not is_idle and _RE["says_something"].search(form, first, last):
                yield from _limit_length(form, first, last, language)


def _split_run_on(form: str, first: int, last: int, language: str) -> Iterator[tuple[int, int]]:
    for found in _RE[f"run_on_{language}"].finditer(form, first, last):
        said = form[first : found.start()].strip()
        if len(said) <= LONGEST_CLAUSE and _RE[f"stated_{language}"].match(said) and not _RE["which_one"].search(said):
            yield first, found.start()
            first = found.end()
    yield first, last


def _trim_part(form: str, first: int, last: int) -> tuple[int, int]:
    lead = _RE["lead"].match(form, first, last)
    if lead and _RE["says_something"].search(form, lead.end(), last):
        first = lead.end()
    while last > first and not _RE["says_something"].match(form, last - 1) and form[last - 1] not in _CLOSING:
        last -= 1
    if form.count('"', first, last) % 2:  # one mark of a pair was cut off, unless it means inches
        if form[last - 1] == '"' and not form[last - 2].isdigit():
            last -= 1
        elif first and form[first - 1] == '"':
            first -= 1
    return first, last


def _limit_length(form: str, first: int, last: int, language: str) -> Iterator[tuple[int, int]]:
    """Yield a part in pieces of at most sixty tokens, cut between words where there are any."""
    while (most := _find_piece_end(form, first, last, language)) < last:
        cut = max((found.start() for found in _RE["word_end"].finditer(form, (first + most) // 2, most)), default=most)
        yield first, cut
        first = cut + (form[cut : cut + 1] == " ")
    if _RE["says_something"].search(form, first, last):
        yield first, last


def _find_piece_end(form: str, first: int, last: int, language: str) -> int:
    if language == "zh":
        return min(last, first + LONGEST_CLAUSE_ZH)
    most = min(last, first + LONGEST_CLAUSE)
    words = [found.start() for found in islice(_WORD.finditer(form, first, most), MOST_WORDS + 1)]
    return words[MOST_WORDS] if len(words) > MOST_WORDS else most


def _join_fragments(form: str, parts: list[tuple[int, int]], language: str) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last in parts:
        size = last - first if language == "zh" else len(form[first:last].split())
        if joined and size <= SHORTEST_ALONE and last - joined[-1][0] <= LONGEST_CLAUSE:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined
