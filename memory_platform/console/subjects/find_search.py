"""Search of a tenant's subjects by their search text: exact matches first, then matches with typos, the best first.

Row-level security lets Postgres use no text index, so it reads the text of every subject. The number of rows it returns
and its time are bounded; they are ranked here. Typos cost many times more than exact words. They are searched from the
newest subject back, until there are enough matches or a shorter time is over.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial, reduce
from operator import add, and_, itemgetter, or_
from time import perf_counter
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.db.models import BooleanField, Case, ExpressionWrapper, IntegerField, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable
from rapidfuzz import fuzz

from memory_platform.console.shared.display import parse_uuid, plain
from memory_platform.console.shared.policy import FIND, FindPolicy
from memory_platform.console.subjects.find_patterns import SearchWords, read_query, slips_of
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.text import comparable
from profiles.models import PROFILE_FIELDS, Subject, Tag
from profiles.selectors import all_subjects, current_profiles


@dataclass(frozen=True, slots=True)
class KnownValue:
    """One value known of a subject: ``kind`` of its place, ``name`` of the field or tag, and its text."""

    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SubjectHit:
    """A matching subject, its name ("" if unknown), and the matching values, best first. ``score``: 0 to about 1."""

    subject: Subject
    name: str
    why: tuple[KnownValue, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Findings:
    """The best ``people``. ``more``: others match too. ``partly``: nobody has all words. ``stopped``: the search timed
    out.

    ``since``: typos were searched only in subjects created since then.
    """

    people: tuple[SubjectHit, ...] = ()
    more: bool = False
    partly: bool = False
    stopped: bool = False
    since: datetime | None = None


def subject_named(query: str) -> Subject | None:
    """Return the subject with exactly this id (the product's or the platform's), or None."""
    own = all_subjects().filter(external_id=query.strip()).first()
    row_id = None if own else parse_uuid(query)
    return all_subjects().filter(pk=row_id).first() if row_id else own


def find_subjects(query: str, policy: FindPolicy = FIND, *, patiently: bool = False) -> Findings:
    """Return the subjects that match a query, in the open tenant; none for a query without words.

    Exact words are searched in all subjects; then with typos while few match; then any of the words if none matches.
    ``patiently``: the search with typos may take as long as the exact one.
    """
    wanted = read_query(query, policy)
    if not wanted.words:
        return Findings()
    slips_ms = policy.wait_ms if patiently else policy.slips_ms
    rows: dict[UUID, Subject] = {}
    partly = stopped = False
    since = None
    try:
        rows |= _by_id(_head(all_subjects().filter(_match_all(wanted, _contains)), _place(wanted), policy))
        if len(rows) < policy.few and any(map(slips_of, (*wanted.words, wanted.joined))):
            close, since = _newest_first(_match_all(wanted, partial(_with_slip, policy=policy)), slips_ms, policy)
            rows = _by_id(close) | rows
        if not rows and len(wanted.words) > 1:
            partly = True
            some = all_subjects().filter(reduce(or_, map(_contains, wanted.words)))
            rows |= _by_id(_head(some, _count_missing(wanted), policy))
    except OperationalError:
        stopped = True
    best = _rank_rows(rows.values(), wanted, policy)
    people = sorted(_hits_with_reasons(best, wanted, policy), key=lambda found: -found.score)
    return Findings(tuple(people), more=len(rows) > policy.shown, partly=partly, stopped=stopped, since=since)


def _by_id(rows: Iterable[Subject]) -> dict[UUID, Subject]:
    return {row.pk: row for row in rows}


def _match_all(wanted: SearchWords, found_by: Callable[[str], Q]) -> Q:
    """Return the condition for all words apart, or all of them joined."""
    apart = reduce(and_, map(found_by, wanted.words))
    return apart if wanted.words == (wanted.joined,) else apart | found_by(wanted.joined)


def _contains(word: str) -> Q:
    return Q(search_text__contains=word)


def _with_slip(word: str, policy: FindPolicy) -> Q:
    slips = slips_of(word, policy)
    if not slips:
        return _contains(word)
    intact = reduce(and_, (reduce(or_, map(_contains, slip.intact)) for slip in slips))
    pattern = Q(search_text__regex="".join(slip.pattern for slip in slips))
    read = ExpressionWrapper(pattern, output_field=BooleanField())
    # A case, because Postgres takes the expression for the cheaper of two conditions and reads every text with it.
    return Q(Case(When(intact, then=read), default=Value(False), output_field=BooleanField()))


def _place(wanted: SearchWords) -> Case:
    """Return an ordering that puts first the texts in which the first word begins a word."""
    first = wanted.words[0]
    begins = Q(search_text__startswith=first) | Q(search_text__contains=f" {first}")
    return _one_unless(begins)


def _count_missing(wanted: SearchWords) -> Combinable:
    return reduce(add, (_one_unless(_contains(word)) for word in wanted.words))


def _one_unless(condition: Q) -> Case:
    return Case(When(condition, then=Value(0)), default=Value(1), output_field=IntegerField())


def _newest_first(condition: Q, wait_ms: int, policy: FindPolicy) -> tuple[list[Subject], datetime | None]:
    """Return the newest matching subjects, and since when all subjects were searched.

    That time is None if all were searched or enough were found, and now if none was.
    """
    ends, since = perf_counter() + wait_ms / 1000, utc_now()
    found: list[Subject] = []
    for some, begin in _slices(policy):
        left_ms = (ends - perf_counter()) * 1000
        if left_ms < 1:
            return found, since
        try:
            found += _head(some.filter(condition), None, policy, wait_ms=int(left_ms))
        except OperationalError:
            return found, since
        if begin is None or len(found) >= policy.head:
            break
        since = begin
    return found, None


def _slices(policy: FindPolicy) -> Iterator[tuple[QuerySet[Subject], datetime | None]]:
    """Yield all subjects in slices, newest first, each with the creation time of its oldest subject."""
    older = all_subjects()
    while True:
        times = older.order_by("-created_at", "-id").values_list("created_at", flat=True)
        begin = next(iter(times[policy.slice - 1 : policy.slice]), None)
        yield (older if begin is None else older.filter(created_at__gte=begin)), begin
        if begin is None:
            return
        older = all_subjects().filter(created_at__lt=begin)


def _head(
    rows: QuerySet[Subject], place: Combinable | None, policy: FindPolicy, *, wait_ms: int | None = None
) -> list[Subject]:
    """Return the first rows, by ``place`` and then newest first.

    Raises OperationalError on timeout; the open transaction stays usable.
    """
    ordered = rows.order_by(*([place] if place else []), "-created_at", "-id")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(wait_ms or policy.wait_ms)])
        found = list(ordered[: policy.head])
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", ["0"])
    return found


def _rank_rows(rows: Iterable[Subject], wanted: SearchWords, policy: FindPolicy) -> list[tuple[float, Subject]]:
    ranked = [(_likeness(row.search_text, wanted, policy), row) for row in rows]
    return sorted(ranked, key=lambda pair: -pair[0])[: policy.shown]


def _likeness(text: str, wanted: SearchWords, policy: FindPolicy) -> float:
    """Return how well a text matches the words, 0 to 1; words may also stand there joined."""
    apart = sum(_word_in(word, text, policy) for word in wanted.words) / len(wanted.words)
    joined = policy.inside if wanted.joined in text else policy.alike * fuzz.partial_ratio(wanted.joined, text) / 100
    return max(apart, joined)


def _word_in(word: str, text: str, policy: FindPolicy) -> float:
    padded = f" {text} "
    if f" {word} " in padded:
        return 1.0
    if f" {word}" in padded:
        return policy.begins
    return policy.inside if word in text else policy.alike * fuzz.partial_ratio(word, text) / 100


def _hits_with_reasons(
    ranked: list[tuple[float, Subject]], wanted: SearchWords, policy: FindPolicy
) -> Iterator[SubjectHit]:
    subjects = [subject for _, subject in ranked]
    profiles = current_profiles(subjects)
    tags = defaultdict(list)
    for tag in Tag.objects.filter(subject_id__in=[subject.pk for subject in subjects]):
        tags[tag.subject_id].append(tag)
    for score, subject in ranked:
        why = _reasons(list(_facts_of(subject, profiles[subject.pk], tags[subject.pk])), wanted, policy)
        yield SubjectHit(subject, plain(profiles[subject.pk]["name"]), why, score + _weight(why[0], wanted, policy))


def _facts_of(subject: Subject, profile: dict[str, object], tags: Iterable[Tag]) -> Iterator[KnownValue]:
    yield KnownValue("id", "", subject.external_id)
    for field in PROFILE_FIELDS:
        yield KnownValue("field", field, plain(profile[field]))
    attributes = profile["attributes"]
    for name, value in attributes.items() if isinstance(attributes, dict) else ():
        yield KnownValue("attribute", name, plain(value))
    for tag in tags:
        told = (tag.label, *tag.aliases, tag.relation, tag.address, tag.phone)
        yield KnownValue("tag", tag.label, ", ".join(dict.fromkeys(part for part in told if part)))


def _reasons(told: list[KnownValue], wanted: SearchWords, policy: FindPolicy) -> tuple[KnownValue, ...]:
    """Return the value that matches all words; else the best value for each word. At least one."""
    forms = [(one, comparable(one.text)) for one in told if one.text]
    best, text = max(forms, key=lambda pair: _likeness(pair[1], wanted, policy))
    if _likeness(text, wanted, policy) >= policy.inside:
        return (best,)
    reasons = []
    for word in wanted.words:
        held = [(_word_in(word, text, policy), one) for one, text in forms]
        likeness, one = max(held, key=itemgetter(0))
        if likeness >= policy.tells:
            reasons.append(one)
    return tuple(dict.fromkeys(reasons)) or (best,)


def _weight(best: KnownValue, wanted: SearchWords, policy: FindPolicy) -> float:
    """Return the bonus that orders equal matches: an id, a name, or a full match."""
    is_name = (best.kind, best.name) == ("field", "name")
    named = policy.id_first if best.kind == "id" else policy.name_first if is_name else 0.0
    return named + policy.full_first * (comparable(best.text).replace(" ", "") == wanted.joined)
