"""Labelled places and contacts, in English: home, office, gym; mum, wife, dentist, emergency contact."""

import re
from collections.abc import Iterator

from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import Rule, fact, rule
from snapshots.extraction.values import Candidate, TagCandidate

RELATIONS = (
    r"(?:gf|bf|hubby|missus|plumber|electrician|mechanic|cleaner|hairdresser|barber|physio|mum|mom|mother|mummy|"
    r"mommy|dad|father|daddy|parents?|wife|husband|partner|spouse|"
    r"girlfriend|boyfriend|fianc[eé]e?|daughter|son|"
    r"sister|brother|(?:grand(?:ma|pa|mother|father))|aunt|uncle|cousin|niece|nephew|"
    r"(?:mother|father|sister|brother)-in-law|"
    r"(?:best )?friend|boss|manager|assistant|secretary|colleague|coworker|neighbou?r|"
    r"landlord|landlady|doctor|gp|dentist|lawyer|"
    r"therapist|accountant|vet|nanny|babysitter|driver|trainer|coach|teacher|roommate|flatmate|housemate)"
)
_PLACES = (
    r"(?:home|house|apartment|flat|place|office|work(?:place)?|gym|school|kindergarten|"
    r"nursery|university|college|clinic|church|studio|"
    r"shop|garage|hotel|parents' (?:house|place|home)|company|workshop|lab|dojo|pool|daycare|"
    r"bank|pharmacy|supermarket|parking spot)"
)
_HOMES = frozenset({"home", "house", "apartment", "flat", "place", "home address", "address"})
_ADDRESS = r"(?P<v>[\w\d].{2,120})$"
PHONE = r"(?P<phone>\+?\(?\d[\d ().-]{4,20}\d)"
_LEGAL_NAME = r"(?P<name>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?-i:[A-Z])[\w'-]{1,20}(?: (?-i:[A-Z])[\w'-]{1,20}){0,2})"
_ADDRESS_TAIL = re.compile(
    r"\s*(?:,? (?:so|but|and (?:I|my|we|it)|which|in case|if|please|by the way|btw|" r"remember)\b.*|[.!]+)$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d")
_FEWEST_DIGITS = 5


def _placed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    label = match["label"].lower() if match["label"] else "home"
    address = _ADDRESS_TAIL.sub("", clause.group(match))
    whole = _with_next_commas(clause, match, address)
    home = label in _HOMES
    if is_address(whole):
        label = "home" if home else label
        yield TagCandidate(label, "place", clause.evidence(), address=whole, aliases=())
    elif home and re.match(r"(?-i:[A-Z])[\w' -]{1,30}$", whole):
        yield fact("city", clause, whole)


def _with_next_commas(clause: Clause, match: re.Match[str], address: str) -> str:
    return re.sub(r"\s+", " ", address).strip(" .,")


def _phoned(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    phone = clause.group(match, "phone")
    if len(_DIGITS.findall(phone)) >= _FEWEST_DIGITS:
        label = match["label"].lower()
        name = clause.group(match, "name") if "name" in match.groupdict() else ""
        aliases = (name,) if name else ()
        yield TagCandidate(label, "contact", clause.evidence(), phone=phone, relation=label, aliases=aliases)


def _known_as(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    label = match["label"].lower()
    yield TagCandidate(label, "contact", clause.evidence(), relation=label, aliases=(clause.group(match, "name"),))


_NUMBER = r"(?:(?:phone |mobile |cell |telephone |contact )*(?:number|phone|mobile|cell|tel))"
RULES_PLACE: tuple[Rule, ...] = (
    rule(
        rf"(?:my|our|the(?= (?:kids'|children's))) (?P<label>(?:(?:{RELATIONS}'s|kids'|children's|"
        rf"parents'|son's) )?{_PLACES})(?:'s)?(?: address)?(?: is|'s)(?: located)? (?:at |on |in |"
        rf"near )?{_ADDRESS}",
        _placed,
        of_anyone=True,
    ),
    rule(rf"(?:my|our) (?P<label>(?:home )?address)(?: is|'s) {_ADDRESS}", _placed),
    rule(rf"(?P<label>home)(?: address)?(?: is (?:at |on )|: ?){_ADDRESS}", _placed),
    rule(rf"(?P<label>)(?:I|we) (?:now |currently )?live (?:at |on ){_ADDRESS}", _placed),
    rule(
        r"(?:I|we) work (?P<label>)(?:at|on) (?P<v>\d{1,5} .{3,100})$",
        lambda c, m: [TagCandidate("work", "place", c.evidence(), address=_ADDRESS_TAIL.sub("", c.group(m)))],
    ),
)
RULES_CONTACT: tuple[Rule, ...] = (
    rule(
        rf"(?:my )?(?P<label>{RELATIONS})(?: (?P<name>(?-i:[A-Z])[\w-]+?))?(?:'s)? {_NUMBER}(?: is|"
        rf"'s|:)* ?{PHONE}",
        _phoned,
        of_anyone=True,
    ),
    rule(rf"(?:my )?(?P<label>{RELATIONS})(?: (?P<name>(?-i:[A-Z])[\w-]+))?: ?{PHONE}", _phoned, of_anyone=True),
    rule(
        rf"my (?P<label>{RELATIONS})(?:,? (?P<name>(?-i:[A-Z])[\w'-]+),?)? (?:can be reached (?:at|"
        rf"on)|is (?:at|on|reachable (?:at|on|under))) {PHONE}",
        _phoned,
        of_anyone=True,
    ),
    rule(
        rf"(?:you can )?(?:reach|call|contact|phone) my (?P<label>{RELATIONS})(?: (?P<name>(?-i:[A-"
        rf"Z])[\w'-]+))? (?:at|on|under) {PHONE}",
        _phoned,
    ),
    rule(
        rf"my (?P<label>{RELATIONS})(?:'s name is|(?: is|'s)(?: called| named)?) {_LEGAL_NAME},? (?:on |at )?{PHONE}",
        _phoned,
        of_anyone=True,
    ),
    rule(
        rf"my (?P<label>{RELATIONS})(?:'s name is|(?: is|'s) (?:called|named)) {_LEGAL_NAME}", _known_as, of_anyone=True
    ),
    rule(
        r"my (?P<label>dentist|doctor|gp|lawyer|therapist|accountant|boss|manager|assistant|vet|"
        rf"landlord|trainer|coach|wife|husband|partner)(?: is|'s) {_LEGAL_NAME}(?=\W*$|,)",
        _known_as,
        of_anyone=True,
    ),
)

WHOLE: tuple[Rule, ...] = (
    rule(
        rf"my (?P<label>{RELATIONS})(?:'s|,| is| called| named)* (?P<name>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?"
        rf"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?),? "
        rf"(?:and )?(?:her|his|their) {_NUMBER}(?: is|'s|:)* ?{PHONE}",
        _phoned,
        of_anyone=True,
    ),
    rule(
        rf"my emergency contact is my (?P<label>{RELATIONS}),? ?(?P<name>(?-i:[A-Z])[\w'-]+)?,? (?:"
        rf"at |on |number |phone )?{PHONE}",
        _phoned,
    ),
)

TABLES = (RULES_PLACE, RULES_CONTACT)
