"""Who the speaker is, in English: frames of age, work, household, whereabouts and numbers, said by the way."""

import re
from collections.abc import Iterator

from snapshots.extraction.ages import age_range_of, years_of
from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import of_others
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, as_fact, fact
from snapshots.extraction.values import Candidate, TagCandidate

_IM = r"\b(?:I'm|I am|im|i'm)"
COUNT = r"(?:an?|one|two|three|four|five|six|\d{1,2}|a couple of|twin)"
CHILD = (
    r"(?:kids?|child(?:ren)?|sons?|daughters?|boys?|girls?|twins|toddlers?|bab(?:y|ies)|teenagers?|little ones?|"
    r"grandkids|grandchildren)"
)
_PET = (
    r"(?:cats?|dogs?|kittens?|pupp(?:y|ies)|rabbits?|bunny|bunnies|hamsters?|parrots?|budgies?|hens|chickens|"
    r"horses?|pon(?:y|ies)|greyhounds?|labradors?|labs?|retrievers?|poodles?|beagles?|corgis?|terriers?|spaniels?|"
    r"collies?|tortoises?|geckos?|guinea pigs?|pugs?|huskies|husky|dachshunds?|cockapoos?|ferrets?|goldfish)"
)
NAME = r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
PLACE = r"(?P<v>(?:the )?(?-i:[A-Z])[\w'.-]+(?:(?:,? | of )(?-i:[A-Z])[\w'.-]+){0,2})"
_NO_PLACE = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb)\w+|I\b|march|april|may|june|july|august|september|"
    r"october|november|december|(?:English|French|Spanish|Chinese|Japanese|Mandarin)$",
    re.IGNORECASE,
)
JOB = (
    r"(?P<v>(?:[a-z][\w'-]* ){0,3}?(?:[a-z][\w'-]*)?(?:nurse|sister|teacher|driver|chef|cook|officer|worker|"
    r"manager|engineer|rep|lead|specialist|technician|therapist|hygienist|consultant|assistant|analyst|designer|"
    r"developer|owner|operator|"
    r"director|coordinator|supervisor|accountant|lawyer|doctor|dentist|vet|barista|bartender|waiter|waitress|"
    r"writer|editor|translator|photographer|carpenter|electrician|plumber|mechanic|pilot|scientist|researcher|"
    r"professor|lecturer|tutor|student|"
    r"paramedic|midwife|pharmacist|physio|physiotherapist|surgeon|carer|caretaker|cleaner|builder|architect|"
    r"planner|agent|broker|salesman|salesperson|cashier|receptionist|secretary|librarian|farmer|gardener|florist|"
    r"baker|butcher|tailor|"
    r"hairdresser|stylist|coach|trainer|instructor|guide|artist|musician|actor|journalist|reporter|programmer|"
    r"freelancer|contractor|courier|guard|firefighter|soldier|veteran|retiree|pensioner|backpacker|landlord|"
    r"homemaker|"
    r"housewife|stay-at-home (?:mum|mom|dad|parent)|mum of \w+|mom of \w+|dad of \w+|single (?:mum|mom|dad|parent)))"
)


def _aged(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    years = years_of(match["v"])
    if years:
        yield fact("age", clause, clause.group(match))
        yield fact("age_range", clause, age_range_of(years))


def where(field: str) -> Builder:
    """Return the builder of a place that a profile field holds; days, months and languages are none."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not _NO_PLACE.match(match["v"]):
            yield fact(field, clause, clause.group(match).rstrip(".,"))

    return build


def _located(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    label = match["label"].lower()
    yield TagCandidate(label, "place", clause.evidence(), address=clause.group(match).strip(" .,"))


def _reached(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    label = clause.group(match, "label")
    yield TagCandidate(label.lower(), "contact", clause.evidence(), phone=clause.group(match), relation=label.lower())


STREET = (
    r"(?P<v>(?:(?-i:[A-Z])[\w'. -]{0,40}? )?\d{1,5}[A-Za-z]?,? (?-i:[A-Z])[\w.'-]*(?: "
    r"(?-i:[A-Z])[\w.'-]*){0,4}(?:, ?(?-i:[A-Z])[\w.' -]*)?)"
)
_PLACES = (
    r"(?:home|house|flat|place|office|work|gym|studio|school|nursery|daycare|preschool|kindergarten|surgery|clinic|"
    r"hospital|dentist|doctor|vet|garage|church|library|pool|restaurant|shop|store|hostel|mom's|mum's|dad's|"
    r"parents'?|in-laws'?|[a-z]+'s (?:place|house|school|daycare|flat|work|nursery))"
)
PROFILE: tuple[Frame, ...] = (
    frame(
        "im i am turned turning turn old years",
        rf"(?:{_IM} (?:now |only |already |just |almost |nearly )*|\bI (?:just |recently )?turned |\bI turn "
        rf")(?P<v>\d{{1,2}})(?! ?(?:am|pm|%|min|hours?|days?|weeks?|months?|miles|km|st|nd|rd|th|kg|pounds|dollars|"
        r"feet|cm|floors?|people|in line|:|years into|years in|'))\b(?= ?(?:years? old|yo\b|and|so|now|but|this|"
        r"next|,|$|with|btw))",
        _aged,
    ),
    frame(
        "kids children child sons son daughters daughter boys girls twins toddler baby babies toddlers two one",
        rf"\b(?:I|we)(?:'ve| have|'ve got| have got)(?: got)? (?P<v>(?!to\b){COUNT} (?:\w+ ){{0,2}}?{CHILD}(?:,? "
        rf"(?:(?-i:[A-Z])\w+|aged?|who|\d).{{0,50}})?)",
        as_fact("children"),
    ),
    frame(
        "mum mom dad mother father parent",
        rf"{_IM} (?:a |the )?(?:\w+ )?(?P<v>(?:mum|mom|dad|mother|father|parent) (?:of|to) (?:{COUNT})(?: \w+)?)",
        as_fact("children"),
    ),
    frame(
        "kids son daughter kid boys girls baby toddler twins",
        r"\b(?:my|our) (?:\w+ )?(?:kids?|sons?|daughters?|boys?|girls?|baby|toddler|twins|little one)(?:'s)? "
        rf"(?:names? (?:is|are)|(?:is|are)(?: called| named)?|'s called) (?P<v>{NAME}(?:(?:,| and|, and) "
        rf"{NAME}){{0,3}}|\d{{1,2}}(?:(?:,| and|, and) \d{{1,2}}){{0,3}})\b",
        as_fact("children"),
        of_anyone=True,
    ),
    frame(
        "cat dog cats dogs greyhounds kitten puppy rabbit rabbits hamster parrot hens chickens horse labrador lab "
        "retriever poodle beagle corgi terrier spaniel collie tortoise gecko pug husky dachshund cockapoo",
        r"\b(?:I|we)(?:'ve got| have got| have|'ve| got| own| just got| adopted| just adopted) "
        rf"(?P<v>(?:{COUNT}|this|some) (?:[\w-]+ ){{0,3}}?{_PET}\b(?!-)(?: (?:called|named) {NAME})?)",
        as_fact("pets"),
    ),
    frame(
        "cat dog puppy kitten rabbit hamster parrot horse",
        r"\bmy (?P<v>(?:\w+ )?(?:cat|dog|puppy|kitten|rabbit|hamster|parrot|horse)(?:'s name is|(?: is|'s) "
        rf"(?:called|named)| ) ?{NAME})",
        as_fact("pets"),
        of_anyone=True,
    ),
    frame(
        "im i am we were live living based commute drive moved home",
        r"(?:\b(?:I|we)(?:'m|'re| am| are)? (?:currently |now |still |just |actually |all )*(?:live|living|based|"
        r"staying|stationed|settled)(?: \w+)?(?: out| over| up| down)? in|\bI (?:commute|drive|come|cycle) in "
        r"from|\b(?:I|we)(?:'ve| have) (?:been living|lived|been) in|\bhome is|^(?:live|living|based) in|\bcall) "
        rf"{PLACE}",
        where("city"),
    ),
    frame(
        "im i am in",
        rf"{_IM} (?:currently |now |over |out )*in {PLACE}(?= so\b|,|$| these days| now| for (?:the|good|\w+ "
        r"months))",
        where("city"),
    ),
    frame(
        "from originally grew raised born",
        rf"(?:{_IM}|we're) (?:originally |actually )?from {PLACE}|\b(?:grew up|was born|was raised|raised) in "
        r"(?P<w>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)",
        lambda c, m: where("hometown")(c, m) if m["v"] else [fact("hometown", c, c.group(m, "w"))],
    ),
    frame(
        "work works working job office shift nurse hired",
        r"\b(?:I|we)(?:'m)? (?:currently |now |mostly |still |do |actually )*(?:work|working|employed|teach|nurse|"
        r"intern|doing shifts|do shifts|on the wards)(?: as an? [\w ]{3,30}?| nights| days| part[- ]time| "
        r"full[- ]time| shifts| remotely)*(?: out| over| up| down)? (?:at|for|in|with) (?P<v>(?:the "
        r")?(?-i:[A-Z])[\w&'.-]*(?:(?: of| and|,)? (?-i:[A-Z])[\w&'.-]*){0,4})",
        where("employer"),
    ),
    frame(
        "im i am a an as",
        rf"(?:{_IM} (?:a|an|the|one of the|currently a|now a|also a|just a|training as a|training to be a|studying "
        r"to be a)|\bI(?:'ve)? (?:work|worked|been working|been|earn a living|make a living|freelance) as an?|^as "
        rf"an?|\bmy job is|\bby trade i'm an?) {JOB}\b",
        lambda c, m: as_fact("occupation")(c, m) if not of_others(c) else (),
    ),
    frame(
        "im i am",
        rf"{_IM} (?:currently |now |semi-|already |newly |happily |a )*(?P<v>retired(?: \w+)?|unemployed|self[- "
        r"]employed|between jobs|on (?:maternity|paternity|parental|sick) leave|pregnant|divorced|widowed|"
        r"engaged)\b",
        lambda c, m: [fact("occupation" if re.match(r"ret|un|self|bet", m["v"]) else "situation", c, c.group(m))],
    ),
    frame(
        "drive own car lease",
        r"\b(?:I|we) (?:now |currently |just |mostly )*(?:drive|own|lease|have|got|bought) (?:an? |my |this "
        r")?(?:old |new |used )?(?P<v>(?:(?:19|20)\d\d )?(?-i:Honda|Toyota|Ford|Tesla|BMW|Audi|Volvo|Kia|Hyundai|"
        r"Mazda|Nissan|Subaru|Volkswagen|VW|Mini|Jeep|Chevy|Chevrolet|Lexus|Mercedes|Skoda|Seat|Fiat|Peugeot|"
        r"Renault|Rivian|Polestar|Prius|Civic|Golf|Corolla|Odyssey|Sienna|CR-V|RAV4|Vauxhall|Dacia|BYD|Porsche)(?: "
        r"(?-i:[A-Z0-9])[\w-]*){0,2})",
        as_fact("vehicle"),
    ),
    frame(
        "speak speaks languages",
        r"\bI (?:also |mostly |only |mainly |can )*speak (?:fluent |some |basic |a (?:bit|little)(?: of)? "
        r")*(?P<v>(?-i:[A-Z])[a-z]+(?:(?:,| and|, and) (?:some |a bit of )?(?-i:[A-Z])[a-z]+){0,3})",
        as_fact("languages"),
    ),
    frame(
        "call calls name names goes go known",
        r"\b(?:call me|(?:everyone|everybody|people|friends|my friends|mates|they|colleagues|most people|the "
        r"kids)(?: \w+){0,2} (?:just |all |mostly )?calls? me|go with|I go by|my name is|my name's|name's|I'm "
        r"called|known as|just call me) (?P<v>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)(?=[,.;!]|$| (?:please|"
        r"btw|everyone|everybody|not|and|but|from))",
        as_fact("name"),
    ),
    frame(
        "birthday bday born",
        r"(?:\bmy (?:birthday|bday|b-day) ?(?:is|'s|:)?(?: on)?|\bI was born(?: on)?) (?:the )?(?P<v>(?:jan|feb|"
        r"mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{1,2}(?:st|nd|rd|"
        r"th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|\d{1,2}/\d{1,2}(?:/\d{2,4})?)",
        as_fact("birthday"),
    ),
    frame(
        "size shoe shoes wear",
        r"(?:\b(?:I'm|I am|im|I wear|I take|my (?:shoe|shirt|dress|jacket|scrub|trouser|pant|ring|bra|boot) "
        r"size(?: is|'s)?|I'm (?:a )?size|I'm an?|I take a)(?: an?| usually| a uk| uk| us| eu| size)* "
        r")(?P<v>\d{1,2}(?:\.5)?(?: (?:UK|US|EU))?|x{0,3}[sl]|medium|small|large)\b(?= (?:in|shoes?|shirts?|boots?|"
        r"scrubs|tops?|dress|jeans|UK|US|EU)|$|,)",
        lambda c, m: (
            [
                fact(
                    "shoe_size" if re.search(r"shoe|boot|feet|trainer", c.text, re.I) else "clothing_size",
                    c,
                    c.group(m),
                )
            ]
            if re.search(r"size|shoe|wear|shirt|boot", c.text, re.I)
            else ()
        ),
    ),
    frame(
        "collect play",
        r"\bI (?P<v>collect \w+(?: \w+)?|play the \w+|play (?:guitar|piano|violin|drums|bass|chess|tennis|"
        r"badminton|football|mahjong|poker))\b",
        lambda c, m: [fact("interests", c, re.sub(r"^(?:collect|play the|play) ", "", c.group(m)), mode="append")],
    ),
    frame(
        "doctor dentist number phone cell mobile mum mom dad wife husband sister brother boss call text",
        r"\b(?:my |our |the )?(?P<label>(?:\w+'s )?[a-z]+(?: (?-i:[A-Z])[\w'-]+)?)(?:'s)? (?:new )?(?:(?:phone|"
        r"cell|mobile|contact|work|direct|home) ?)*(?:number|phone|cell|mobile|line|tel|no\.?|is on|is at|on)?(?: "
        r"is|'s|:| =)? ?(?P<v>\+?\(?\d[\d ().-]{6,18}\d)\b",
        lambda c, m: (
            _reached(c, m)
            if re.search(
                r"\b(?:number|phone|cell|mobile|line|call|text|reach|tel|save|contact|is on|is at)\b|:",
                c.sentence,
                re.I,
            )
            else ()
        ),
        of_anyone=True,
    ),
    frame(
        "is at in on live located address home school gym office",
        rf"\b(?:my |our |the |the kids' )?(?P<label>{_PLACES})(?: address)?(?:'s| is|:|,)?(?: now| at| on| in| "
        rf"located at)* {STREET}",
        _located,
        of_anyone=True,
    ),
)
_PHONE = r"(?P<v>\+?\(?\d[\d ().-]{6,18}\d)\b"
_SAVE = re.compile(r"\b(?:save|note|remember|put|store|add|keep|mark|file)\b", re.IGNORECASE)
"""Another's address is the speaker's to keep only where it is asked for."""
_WHOLE: tuple[Frame, ...] = (
    frame(
        "number phone cell mobile",
        r"\b(?:my|our) (?:own |new |phone |cell |mobile |work )*(?:number|phone|cell|mobile|phone number)(?:'s| "
        r"is| has| got)?(?: just| now| new| changed| is)*[,:;.]? ?(?:(?:it'?s|to|is|now|and|new one is|the new "
        rf"one is)[:,]? )*{_PHONE}",
        as_fact("phone"),
    ),
    frame(
        "landlord mum mom dad mother father wife husband partner sister brother boss doctor dentist vet gp nanny "
        "sitter babysitter plumber mechanic neighbour neighbor manager teacher therapist accountant",
        r"\b(?:my|our|the) (?P<label>(?:kids' |daughter's |son's )?(?:landlord|mum|mom|dad|mother|father|wife|"
        r"husband|partner|sister|brother|boss|doctor|dentist|vet|gp|nanny|sitter|babysitter|childminder|plumber|"
        r"mechanic|neighbou?r|manager|teacher|therapist|accountant|school|nursery|daycare|surgery|ward))(?:'s| is|"
        rf" called| named|,)?,? (?:(?:Dr|Mr|Mrs|Ms|Miss)\.? )?(?:(?-i:[A-Z])[\w'-]+ ?){{0,3}},? ?(?:(?:on|at|is|'s|"
        rf"her|his|their|number|no|cell|mobile|phone|reach\w* (?:her|him|them)?)[:,]? )*{_PHONE}",
        _reached,
        of_anyone=True,
    ),
    frame(
        "lives live place",
        r"\b(?:my|our) (?P<label>mum|mom|dad|mother|father|parents|in-laws|sister|brother|nan|gran|grandma|"
        r"grandpa|aunt|uncle|daughter|son|girlfriend|boyfriend|gf|bf|partner)(?:'s place| \w+)? (?:lives?|is|are|"
        rf"stays?|moved|'s)(?: now| just| over)? (?:at|to|on|in) {STREET}",
        lambda c, m: _located(c, m) if _SAVE.search(c.utterance.text) else (),
        of_anyone=True,
    ),
)
_ACROSS = Frames(_WHOLE, cues_in=words_in)
_PROFILE = Frames(PROFILE, cues_in=words_in)


def profile(clause: Clause) -> Iterator[Candidate]:
    """Yield everything that ``clause`` tells of who the speaker is."""
    yield from _PROFILE.read_all(clause)


def contacts(sentence: Clause) -> Iterator[Candidate]:
    """Yield numbers and addresses that a whole sentence tells: "my landlord's Mr Okonjo, 020 7946 0312"."""
    yield from _ACROSS.read_all(sentence)
