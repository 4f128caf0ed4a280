"""Who the speaker is, in English, said without the word for it: I run the front desk, in Perth since 2009."""

import re
from collections.abc import Iterator

from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import of_others
from snapshots.extraction.frames_en_profile import CHILD, COUNT, NAME, PLACE, STREET, where
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import phrase_en
from snapshots.extraction.rules import Builder, as_fact, fact
from snapshots.extraction.values import Candidate, TagCandidate

_IM = r"(?:\b(?:I'm|I am)|(?-i:\bim))"
_NO_NAME = re.compile(
    r"\w*(?:ish|ese|ian|ican|ist|ean)$|(?:Muslim|Hindu|Sikh|Catholic|Vegan|Dutch|French|German|"
    r"Greek|Welsh|Thai|Scots|Swiss|Czech|Sorry|Ok|Okay|Well|"
    r"Not|So|Just|Very|Too|Now|From|In|At|On|Off|Back|Here|Home|Team|Celiac|Coeliac|Type|Mr|Mrs|Dr|The|A|An)$"
)
_WORK = (
    r"(?:(?:run|manage|look after|staff|man) (?:a|an|the|my own|our|two|three|my) (?!marathon|10k|"
    r"5k|half|mile|temperature|bath|lap|race|risk|errand)|"
    r"own (?:a|an|the|my own|our|two) (?:[\w-]+ )?(?=shop|bakery|caf|salon|restaurant|business|"
    r"garage|farm|studio|gym|bar|pub|store|company|firm|agency|"
    r"food truck|bookshop|nursery|vineyard|deli)|teach |lecture in |coach (?!me|us|you)|tutor |"
    r"drive (?:a |an |the )?(?=trucks?\b|lorr|taxi|cab\b|buse?s?\b|school bus|forklift|tram|"
    r"trains?\b|delivery|ambulance|uber|hgv|tanker)|"
    r"(?:plan|organise|organize|cater|photograph) (?=weddings|events|parties|conferences)|haul |"
    r"groom (?=dogs|horses)|"
    r"(?:clean|paint|build|fix|sell|repair|restore|flip|design|survey|inspect) (?=houses|windows|"
    r"offices|homes|cars|boats|bikes|computers|insurance|"
    r"property|furniture|websites|kitchens|gardens|roofs|boilers|engines|pianos|clocks|planes)|"
    r"do (?:hair|nails|makeup|tattoos|lashes|payroll|security|"
    r"the (?:night|early|late|day|graveyard) shifts?|nights|deliveries|roofing|plumbing|"
    r"bookkeeping)|work (?:the |on the |behind the |front of house|"
    r"nights |days |the (?:bar|door|till|tills|floor|counter) ))"
)
_PET = (
    r"(?:cats?|dogs?|kittens?|pupp(?:y|ies)|rabbits?|bunn(?:y|ies)|hamsters?|parrots?|budgies?|"
    r"hens|chickens?|horses?|pon(?:y|ies)|whippets?|heelers?|"
    r"lurchers?|mutts?|mongrels?|cockatiels?|cockatoos?|macaws?|parakeets?|chinchillas?|lizards?|"
    r"snakes?|donkeys?|goats?|alpacas?|llamas?|ducks?|"
    r"greyhounds?|labradors?|labs?|retrievers?|poodles?|beagles?|corgis?|terriers?|spaniels?|"
    r"collies?|tortoises?|geckos?|pugs?|huskies|husky|dachshunds?|"
    r"ferrets?|goldfish|shepherds?|rottweilers?|boxers?|bulldogs?|tabby|tabbies|siamese|ragdolls?|"
    r"doodles?|staffies|staffy|mastiffs?|hounds?|canar(?:y|ies)|"
    r"tarantulas?|axolotls?|koi|gerbils?|rats?|guinea pigs?|bees)"
)
_LABELS = (
    r"(?:home base|yard|depot|warehouse|allotment|barn|unit|lock-?up|workshop|studio|shop|stall|"
    r"stables?|boathouse|marina|cabin|cottage|caravan|farm|"
    r"office|gym|clinic|surgery|salon|church|mosque|temple|dorm|halls|storage(?: unit)?|dock|"
    r"kitchen|restaurant|bakery|garage|school|nursery|flat|house|place)"
)
_TRAILS = re.compile(
    r"(?:,| (?:and|but|so|for a living|by (?:trade|day)|on the side|these days|at the moment|"
    r"right now|now|since|professionally|which|who|because)\b).*$",
    re.IGNORECASE,
)


def _named(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not _NO_NAME.match(match["v"]):
        yield fact("name", clause, clause.group(match))


def _worked(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    value = _TRAILS.sub("", clause.group(match)).strip(" .,")
    if not of_others(clause) and 1 < len(value.split()) <= _LONGEST:
        yield fact("occupation", clause, value)


_LONGEST = 10
"""Words of an occupation."""


def _studied(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    value = phrase_en(_TRAILS.sub("", clause.group(match)))
    if value and not of_others(clause):
        yield fact("education", clause, re.sub(r" (?:at|in) (?-i:[A-Z]).*$", "", value))


def _owned(field: str, *groups: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        found = [clause.group(match, name) for name in groups if clause.group(match, name)]
        if found and not of_others(clause):
            yield fact(field, clause, " and ".join(found))

    return build


def _placed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    label = (clause.group(match, "label") or clause.group(match, "label2")).strip().lower()
    label = re.sub(r"^(?:the|my|our) ", "", label)
    if label and not re.search(r"\b(?:time|alarm|reminder|timer|budget|temperature|it|that|this)\b", label):
        yield TagCandidate(label, "place", clause.evidence(), address=clause.group(match).strip(" .,"))


SELF: tuple[Frame, ...] = (
    frame(
        "im i",
        r"(?:^|^(?:hi|hey|hello),? )(?:I'm|I am|(?-i:im)|it's|this is|name's|my name's) (?P<v>(?-i:[A-"
        r"Z])[a-z]{1,14})(?= here\b|, (?:I|and I|I'm|the|your|a|an|from|been|\d|owner|head|mum|dad|"
        r"mom|new|calling)\b| and I(?:'m)?\b| by the way| from\b)",
        _named,
    ),
    frame(
        "here speaking",
        r"^(?:hi,? |hey,? |hello,? )?(?P<v>(?-i:[A-Z])[a-z]{1,14}) (?:here|speaking)\b(?=,|$|[!.]|"
        r" from)",
        _named,
    ),
    frame(
        "run manage own teach lecture coach tutor drive plan organise organize cater photograph haul "
        "groom clean paint build fix sell repair restore flip design do work staff look survey inspec"
        "t",
        r"(?:\b(?:I|we)|^)(?: (?:now|currently|also|still|mostly|actually|just|basically|"
        r"mainly))* ?(?P<v>" + _WORK + r"[^.?!]{0,60})",
        lambda c, m: (
            _worked(c, m)
            if re.match(r"(?:I|we)\b", m.group(), re.I) or (c.before and re.search(r"\bI\b|I'm", c.before.text))
            else ()
        ),
    ),
    frame(
        "living trade professionally work",
        r"\bI (?:now |currently |also |still )?(?P<v>(?!do\b|am\b|have\b|work\b)[a-z]+ [^,.]{2,40}?) ("
        r"?:for a living|professionally|for work\b|as my day job)",
        _worked,
    ),
    frame(
        "been years",
        r"(?:^|\bI(?:'ve)? |, )been (?:a |an )?(?P<v>(?!here|going|trying|waiting|feeling|thinking|"
        r"living|looking|meaning|seeing|getting|having|coming|using)(?:[a-z]+ing [^,.]{2,40}?|"
        r"[a-z]+(?: [a-z]+){0,2})),? (?:for )?(?:about |over |nearly |almost |some |these )?(?:\d+|"
        r"ten|eleven|twelve|fifteen|twenty|thirty|forty|two|three|four|five|six|seven|eight|"
        r"nine) (?:odd |plus |long )?(?:years|yrs)\b",
        _worked,
    ),
    frame(
        "trade profession day",
        r"(?:" + _IM + r" (?:a|an) )?(?P<v>[a-z]+(?: [a-z]+){0,2}) by (?:trade|profession|day)\b",
        lambda c, m: [fact("occupation", c, c.group(m))] if c.text.lower().startswith(("i", "a ")) else (),
    ),
    frame(
        "in im i am",
        _IM + r" in (?P<v>insurance|construction|sales|marketing|IT|finance|banking|advertising|logistics|"
        r"retail|real estate|property|publishing|hospitality|healthcare|recruitment|security|catering|"
        r"farming|law|procurement|HR|tech|software|education|social work|events|haulage|"
        r"shipping)\b(?! (?:class|school|trouble))",
        as_fact("occupation"),
    ),
    frame(
        "training studying apprentice",
        _IM + r" (?:currently |now |still )?(?:training|studying|learning|apprenticed|qualifying) (?:to be|"
        r"to become|as) (?:an? )?(?P<v>[a-z]+(?: [a-z]+){0,2})",
        as_fact("occupation"),
    ),
    frame(
        "studying majoring doing masters degree phd reading msc mba studies course study",
        r"(?:\b(?:I'm|I am|im|I) |^|, |\band )(?:currently |now |still |in my \w+ year )*(?:studying(?"
        r": for)?(?: an?| my)?|study|majoring in|majored in|reading(?= (?:history|law|english|physics|"
        r"philosophy|classics|maths|chemistry|biology|economics|politics|french|medicine)\b)|"
        r"doing (?:a|an|my) (?:\w+ )?(?:masters?|master's|degree|phd|msc|ba|bsc|mba|doctorate|"
        r"apprenticeship|diploma|course|a-?levels?)(?: degree)? in|taking a (?:degree|"
        r"course) in) (?P<v>(?!to be|for (?:a|my) (?:test|exam)|hard|late|tonight|abroad)[^.?!]{2,60})",
        _studied,
    ),
    frame(
        "degree major masters phd",
        r"\bmy (?:degree|major|masters?|master's|phd|thesis|course) (?:is|was) (?:in|"
        r"on) (?P<v>[^.?!]{2,50})",
        _studied,
    ),
    frame(
        "been lived since",
        r"\b(?:I|we)(?:'ve| have)? (?:been|lived|been living|been based|been settled)(?: here)? in "
        + PLACE
        + r"(?= (?:since|for|ever|all|most|about|over|\d))",
        where("city"),
    ),
    frame("born bred raised", PLACE + r"[, ]+born and (?:bred|raised)", where("hometown")),
    frame(
        "divorced widowed married single engaged separated",
        _IM + r" (?:[^,]{1,25}, )*(?:and |recently |newly |happily |now )*(?P<v>divorced|widowed|married|"
        r"engaged|separated|single)(?=,|$| and\b| with\b| so\b)",
        lambda c, m: [fact("marital_status", c, c.group(m))],
    ),
    frame(
        "kids girls boys sons daughters children twins daughter son",
        _IM + rf" [^,]{{1,25}}(?:, [^,]{{1,25}}){{0,2}}?,? (?:and |with |got |have )*(?P<v>{COUNT} (?:\w+ )"
        rf"{{0,2}}?{CHILD})\b",
        _owned("children", "v"),
    ),
    frame(
        "cat cats dog dogs whippet heelers heeler budgies budgie puppy kitten rabbit rabbits lurcher "
        "mutt cockatiel parakeet snake donkey goats alpacas ducks horse pony hens chickens parrot tor"
        "toise ferrets gerbils bees corgi pug spaniel collie terrier labrador lab retriever shepherd "
        "bulldog hound husky dachshund poodle beagle greyhound",
        r"\b(?:I|we)(?:'ve)?(?: also)?(?: have| got|'ve got| own| keep| adopted| just got|"
        rf" share the \w+ with)? (?P<v>(?:{COUNT}|some|this) (?:[\w-]+ ){{0,3}}?{_PET})\b(?!-)(?:(?:,|"
        rf" called| named) {NAME}(?:(?:,| and|, and) {NAME})*)?(?:,? and (?P<w>{COUNT} (?:[\w-]+ )"
        rf"{{0,2}}?{_PET})\b)?",
        _owned("pets", "v", "w"),
    ),
    frame("called named", rf"\b(?:my|our) (?P<v>{_PET},? (?:is )?(?:called|named)?,? ?{NAME})", _owned("pets", "v")),
    frame(
        "birthday",
        r"\bmy birthday(?:'s| is| falls)(?: on)? (?:the )?(?P<v>(?:\d{1,2}|first|second|third|fourth|"
        r"fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirtieth|twentieth|"
        r"twenty-\w+)(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|"
        r"dec)[a-z]*)",
        as_fact("birthday"),
    ),
    frame(
        "save store add remember mark set put log keep note",
        r"\b(?:save|store|add|remember|mark|log|keep|note)(?: down)? (?:the |my |our )?(?P<label>[a-z]"
        rf"[\w' ]{{1,25}}?)(?:'s)?(?: address| location)?(?: as| at| is|:| to| under|"
        rf",) (?P<label2>){STREET}",
        _placed,
    ),
    frame(
        "save call store its",
        rf"(?P<label2>){STREET},? (?:so |and |please |can you )*(?:save|store|call|label|name|"
        rf"remember)(?: (?:it|that|this))?(?: as)? (?:the |my )?(?P<label>[a-z][\w']{{1,15}})",
        _placed,
    ),
    frame(
        "base yard depot warehouse allotment barn unit workshop studio shop stall stables stable cabi"
        "n cottage farm dorm storage dock kitchen restaurant bakery lockup marina",
        rf"\b(?:my |our |the )?(?P<label>{_LABELS})(?P<label2>)(?: for [^,]{{2,20}})?(?:'s| is|"
        rf" address is)(?: at| now| on| in| over at)* {STREET}",
        _placed,
        of_anyone=True,
    ),
)
_SELF = Frames(SELF, cues_in=words_in)


def self_told(clause: Clause) -> Iterator[Candidate]:
    """Yield everything that ``clause`` tells of who the speaker is."""
    yield from _SELF.read_all(clause)
