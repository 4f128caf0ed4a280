"""Search of a tenant's subjects by their search text: exact matches first, then matches with typos, the best first.

Row-level security lets Postgres use no text index, so it reads the text of every subject. The number of rows it returns
and its time are bounded; they are ranked here. Typos cost many times more than exact words. They are searched from the
newest subject back, until there are enough matches or a shorter time is over.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial, reduce
from operator import add, and_, itemgetter, or_
from time import perf_counter
from uuid import UUID

import rjieba
from django.db import OperationalError, connection, transaction
from django.db.models import BooleanField, Case, ExpressionWrapper, IntegerField, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable
from rapidfuzz import fuzz

from memory_platform.console.shared.config import SEARCH, SearchConfig
from memory_platform.console.shared.value_rendering import format_json_value, parse_uuid
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.text import HAN, to_comparable
from profiles.models import PROFILE_FIELDS, Subject, Tag
from profiles.selectors import all_subjects, build_subject_key, current_profiles
from profiles.services.tags.query_words import is_han

_SCRIPT_RUNS = re.compile(f"[{HAN}]+|[^{HAN}]+")


@dataclass(frozen=True, slots=True)
class SearchWords:
    """``words`` in comparable form, and ``joined``: all of them without spaces."""

    words: tuple[str, ...]
    joined: str


def parse_query(query: str, config: SearchConfig = SEARCH) -> SearchWords:
    """Parse a query into words. Width, case and traditional characters are ignored; Chinese text is segmented."""
    text = to_comparable(query[: config.max_query_chars])
    words = [word for part in text.split(" ") for run in _SCRIPT_RUNS.findall(part) for word in _segment(run)]
    return SearchWords(tuple(dict.fromkeys(words))[: config.max_words], text.replace(" ", ""))


@dataclass(frozen=True, slots=True)
class TypoPattern:
    """A part of a word that may have one typo: a regular expression (Postgres), and substrings of every match. One of
    ``intact`` occurs in each text that matches. Searching for those first leaves few texts for the expression."""

    pattern: str
    required_parts: tuple[str, ...]


def build_typo_patterns(word: str, config: SearchConfig = SEARCH) -> tuple[TypoPattern, ...]:
    """Return patterns that together match ``word`` with typos; empty if the word must be typed exactly. A typo is one
    letter more, less or different, or two letters swapped. A long word may have a typo in each half. A short word or a
    number must be exact: with a typo it is another word. A Chinese character carries more, so Chinese words may be
    shorter."""
    if len(word) < config.one_typo_from_chars - is_han(word) or word.isdigit():
        return ()
    if len(word) < config.two_typos_from_chars:
        return (_build_typo_pattern(word),)
    middle = len(word) // 2
    return _build_typo_pattern(word[:middle]), _build_typo_pattern(word[middle:])


def _segment(run: str) -> list[str]:
    return [str(word) for word in rjieba.cut(run)] if is_han(run) else [run]


def _build_typo_pattern(part: str) -> TypoPattern:
    letters, middle = [re.escape(letter) for letter in part], len(part) // 2
    edits = [f"{''.join(letters[:i])}.?{letters[i]}?{''.join(letters[i + 1 :])}" for i in range(len(letters))]
    swaps = ["".join(_swap_letters(letters, i)) for i in range(len(letters) - 1)]
    across = "".join(_swap_letters(part, middle - 1))  # the one slip that leaves neither half as it is
    return TypoPattern(f"(?:{'|'.join(edits + swaps)})", (part[:middle], part[middle:], across))


def _swap_letters(letters: Sequence[str], at: int) -> list[str]:
    return [*letters[:at], letters[at + 1], letters[at], *letters[at + 2 :]]


@dataclass(frozen=True, slots=True)
class SearchableValue:
    """One value known of a subject: ``kind`` of its place, ``name`` of the field or tag, and its text."""

    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SubjectMatch:
    """A matching subject, its name ("" if unknown), and the matching values, best first. ``score``: 0 to about 1."""

    subject: Subject
    name: str
    why: tuple[SearchableValue, ...]
    score: float


@dataclass(frozen=True, slots=True)
class SubjectSearchResult:
    """The best ``people``. ``more``: others match too. ``partly``: nobody has all words. ``stopped``: the search timed
    out. ``since``: typos were searched only in subjects created since then."""

    people: tuple[SubjectMatch, ...] = ()
    more: bool = False
    partly: bool = False
    stopped: bool = False
    since: datetime | None = None


def find_subject_by_id(query: str) -> Subject | None:
    """Return the subject with exactly this id (the product's or the platform's), or None. A joined one has several."""
    own = all_subjects().filter(pk=build_subject_key(query.strip())).first()
    row_id = None if own else parse_uuid(query)
    return all_subjects().filter(pk=row_id).first() if row_id else own


def find_subjects(query: str, config: SearchConfig = SEARCH, *, patiently: bool = False) -> SubjectSearchResult:
    """Return the subjects that match a query, in the open tenant; none for a query without words.

    Exact words are searched in all subjects; then with typos while few match; then any of the words if no
    subject matches. ``patiently``: the search with typos may take as long as the exact one.
    """
    wanted = parse_query(query, config)
    if not wanted.words:
        return SubjectSearchResult()
    slips_ms = config.timeout_ms if patiently else config.typo_search_ms
    rows: dict[UUID, Subject] = {}
    partly = stopped = False
    since = None
    try:
        rows |= _index_by_id(
            _load_head(all_subjects().filter(_match_all(wanted, _contains_word)), _order_by_word_start(wanted), config)
        )
        if len(rows) < config.few_matches and any(map(build_typo_patterns, (*wanted.words, wanted.joined))):
            close, since = _search_newest_first(
                _match_all(wanted, partial(_matches_with_typo, config=config)), slips_ms, config
            )
            rows = _index_by_id(close) | rows
        if not rows and len(wanted.words) > 1:
            partly = True
            some = all_subjects().filter(reduce(or_, map(_contains_word, wanted.words)))
            rows |= _index_by_id(_load_head(some, _count_missing_words(wanted), config))
    except OperationalError:
        stopped = True
    best = _rank_rows(rows.values(), wanted, config)
    people = sorted(_build_matches(best, wanted, config), key=lambda person: -person.score)
    return SubjectSearchResult(
        tuple(people), more=len(rows) > config.max_shown, partly=partly, stopped=stopped, since=since
    )


def _index_by_id(rows: Iterable[Subject]) -> dict[UUID, Subject]:
    return {row.pk: row for row in rows}


def _match_all(search: SearchWords, found_by: Callable[[str], Q]) -> Q:
    """Return the condition for all words apart, or all of them joined."""
    apart = reduce(and_, map(found_by, search.words))
    return apart if search.words == (search.joined,) else apart | found_by(search.joined)


def _contains_word(word: str) -> Q:
    return Q(search_text__contains=word)


def _matches_with_typo(word: str, config: SearchConfig) -> Q:
    slips = build_typo_patterns(word, config)
    if not slips:
        return _contains_word(word)
    intact = reduce(and_, (reduce(or_, map(_contains_word, slip.required_parts)) for slip in slips))
    pattern = Q(search_text__regex="".join(slip.pattern for slip in slips))
    read = ExpressionWrapper(pattern, output_field=BooleanField())
    # A case, because Postgres takes the expression for the cheaper of two conditions and reads every text with it.
    return Q(Case(When(intact, then=read), default=Value(False), output_field=BooleanField()))


def _order_by_word_start(search: SearchWords) -> Case:
    """Return an ordering that puts first the texts in which the first word begins a word."""
    first = search.words[0]
    begins = Q(search_text__startswith=first) | Q(search_text__contains=f" {first}")
    return _one_unless_true(begins)


def _count_missing_words(search: SearchWords) -> Combinable:
    return reduce(add, (_one_unless_true(_contains_word(word)) for word in search.words))


def _one_unless_true(condition: Q) -> Case:
    return Case(When(condition, then=Value(0)), default=Value(1), output_field=IntegerField())


def _search_newest_first(condition: Q, wait_ms: int, config: SearchConfig) -> tuple[list[Subject], datetime | None]:
    """Return the newest matching subjects, and since when all subjects were searched. That time is None if all were
    searched or enough were found, and now if no subject was searched."""
    ends, since = perf_counter() + wait_ms / 1000, utc_now()
    found: list[Subject] = []
    for some, begin in _slice_subjects(config):
        left_ms = (ends - perf_counter()) * 1000
        if left_ms < 1:
            return found, since
        try:
            found += _load_head(some.filter(condition), None, config, wait_ms=int(left_ms))
        except OperationalError:
            return found, since
        if begin is None or len(found) >= config.max_rows:
            break
        since = begin
    return found, None


def _slice_subjects(config: SearchConfig) -> Iterator[tuple[QuerySet[Subject], datetime | None]]:
    """Yield all subjects in slices, newest first, each with the creation time of its oldest subject."""
    older = all_subjects()
    while True:
        times = older.order_by("-created_at", "-id").values_list("created_at", flat=True)
        begin = next(iter(times[config.slice_rows - 1 : config.slice_rows]), None)
        yield (older if begin is None else older.filter(created_at__gte=begin)), begin
        if begin is None:
            return
        older = all_subjects().filter(created_at__lt=begin)


def _load_head(
    rows: QuerySet[Subject], place: Combinable | None, config: SearchConfig, *, wait_ms: int | None = None
) -> list[Subject]:
    """Return the first rows, by ``place`` and then newest first. Raises OperationalError on timeout; the open
    transaction stays usable."""
    ordered = rows.order_by(*([place] if place else []), "-created_at", "-id")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(wait_ms or config.timeout_ms)])
        found = list(ordered[: config.max_rows])
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", ["0"])
    return found


def _rank_rows(rows: Iterable[Subject], search: SearchWords, config: SearchConfig) -> list[tuple[float, Subject]]:
    ranked = [(_score_text(row.search_text, search, config), row) for row in rows]
    return sorted(ranked, key=lambda pair: -pair[0])[: config.max_shown]


def _score_text(text: str, search: SearchWords, config: SearchConfig) -> float:
    """Return how well a text matches the words, 0 to 1; words may also stand there joined."""
    apart = sum(_score_word(word, text, config) for word in search.words) / len(search.words)
    joined = (
        config.substring_score
        if search.joined in text
        else config.typo_score * fuzz.partial_ratio(search.joined, text) / 100
    )
    return max(apart, joined)


def _score_word(word: str, text: str, config: SearchConfig) -> float:
    padded = f" {text} "
    if f" {word} " in padded:
        return 1.0
    if f" {word}" in padded:
        return config.prefix_score
    return config.substring_score if word in text else config.typo_score * fuzz.partial_ratio(word, text) / 100


def _build_matches(
    ranked: list[tuple[float, Subject]], search: SearchWords, config: SearchConfig
) -> Iterator[SubjectMatch]:
    subjects = [subject for _, subject in ranked]
    profiles = current_profiles(subjects)
    tags = defaultdict(list)
    for tag in Tag.objects.filter(subject_id__in=[subject.pk for subject in subjects]):
        tags[tag.subject_id].append(tag)
    for score, subject in ranked:
        why = _choose_reasons(
            list(_list_searchable_values(subject, profiles[subject.pk], tags[subject.pk])), search, config
        )
        yield SubjectMatch(
            subject,
            format_json_value(profiles[subject.pk]["name"]),
            why,
            score + _compute_bonus(why[0], search, config),
        )


def _list_searchable_values(
    subject: Subject, profile: dict[str, object], tags: Iterable[Tag]
) -> Iterator[SearchableValue]:
    yield SearchableValue("id", "", subject.external_id)
    for field in PROFILE_FIELDS:
        yield SearchableValue("field", field, format_json_value(profile[field]))
    attributes = profile["attributes"]
    for name, value in attributes.items() if isinstance(attributes, dict) else ():
        yield SearchableValue("attribute", name, format_json_value(value))
    for tag in tags:
        told = (tag.label, *tag.aliases, tag.relation, tag.address, tag.phone)
        yield SearchableValue("tag", tag.label, ", ".join(dict.fromkeys(part for part in told if part)))


def _choose_reasons(
    values: list[SearchableValue], search: SearchWords, config: SearchConfig
) -> tuple[SearchableValue, ...]:
    """Return the value that matches all words; else the best value for each word. At least one."""
    forms = [(one, to_comparable(one.text)) for one in values if one.text]
    best, text = max(forms, key=lambda pair: _score_text(pair[1], search, config))
    if _score_text(text, search, config) >= config.substring_score:
        return (best,)
    reasons = []
    for word in search.words:
        held = [(_score_word(word, text, config), one) for one, text in forms]
        likeness, one = max(held, key=itemgetter(0))
        if likeness >= config.reason_score:
            reasons.append(one)
    return tuple(dict.fromkeys(reasons)) or (best,)


def _compute_bonus(best: SearchableValue, search: SearchWords, config: SearchConfig) -> float:
    """Return the bonus that orders equal matches: an id, a name, or a full match."""
    is_name = (best.kind, best.name) == ("field", "name")
    named = config.id_bonus if best.kind == "id" else config.name_bonus if is_name else 0.0
    return named + config.full_match_bonus * (to_comparable(best.text).replace(" ", "") == search.joined)
