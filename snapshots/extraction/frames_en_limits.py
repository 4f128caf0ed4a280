"""What the speaker's limits are, in English: frames of harm, refusal, bounds and hours."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, allergen_category, known_category
from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import ME, of_others
from snapshots.extraction.limit_words_en import ACT, AMOUNT, CLOCK, DAYS, FOR_GOOD, MOMENT, NEG, TELL, WHEN
from snapshots.extraction.marks import STARTS
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import MEASURED, phrases_en
from snapshots.extraction.rules import Builder, preference
from snapshots.extraction.rules_en_constraints import NOUNS, avoided
from snapshots.extraction.rules_en_limits import field_of
from snapshots.extraction.values import Candidate

OBJ = r"(?P<v>\S.{0,100})"


def avoid(clause: Clause, things: list[str], hint: str | None = None) -> Iterator[Candidate]:
    """Yield that ``things`` are to be avoided, each under its category, ``hint`` or what the sentence is about."""
    for thing in things:
        category = known_category(thing) or hint or field_of(clause.sentence)
        if category in NOUNS:
            yield from avoided(clause, thing, category, sure=True)
        else:
            yield preference(clause, "constraint", (category, "avoid"), "add", (thing,))


_NO_MORE = re.compile(r"\b(?:any ?more|any longer|no longer)\b", re.IGNORECASE)
"""What is done no more is a change, not a limit."""


def refused(hint: str | None = None, *, marked: bool = False) -> Builder:
    """A thing not wanted; ``marked`` asks for a word that makes it a rule and not an order of the moment."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if (
            MEASURED.match(clause.group(match))
            or _NO_MORE.search(clause.text)
            or (marked and not (STARTS.match(clause.sentence) or FOR_GOOD.search(clause.sentence)))
        ):
            return
        said = re.sub(
            r"^(?:any(?:thing|where|one)?(?: (?:with|that has|containing|in|on|near|from|to do with|made with))?|"
            r"more|the|my|another) ",
            "",
            clause.group(match),
            flags=re.IGNORECASE,
        )
        things = [thing for part in re.split(r",?\s+(?:and |or |,)?no ", said) for thing in phrases_en(part)]
        if things and MOMENT.match(things[0]):
            return
        yield from avoid(clause, things, hint)

    return build


def harmful(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """Yield each thing of the slot as an allergy."""
    for thing in phrases_en(clause.group(match)):
        yield preference(clause, "constraint", (allergen_category(thing), "allergies"), "add", (thing,))


def bounded(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """Yield the amount of the slot as a limit, of money where the sentence speaks of it."""
    amount = clause.group(match).strip(" .,")
    bare = re.fullmatch(r"(?:one|two|\d)", amount, re.IGNORECASE)
    if amount and not (bare and not re.search(r"max|most|limit", clause.text, re.IGNORECASE)):
        field = field_of(clause.sentence)
        money = re.search(
            r"[$€£¥]|dollar|euro|pound|quid|buck|yuan|grand|spend|pay|budget|cost|price|rent",
            clause.sentence,
            re.IGNORECASE,
        )
        yield preference(clause, "constraint", (field, "budget_limit" if money else "limit"), "set", amount)


def _hours(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    field = field_of(clause.sentence)
    said = clause.group(match).strip(" .,")
    early = re.match(r"before|earlier|until|till", said, re.IGNORECASE)
    key = "quiet_hours" if field in {"communication", GENERAL} else "earliest_time" if early else "latest_time"
    yield preference(clause, "constraint", (field, key), "set", said)


def _days(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(
        clause, "constraint", (field_of(clause.sentence), "avoid"), "add", (clause.group(match).strip(" .,"),)
    )


LIMITS: tuple[Frame, ...] = (
    frame(
        "vegan vegetarian pescatarian halal kosher keto celiac coeliac veggie plant flexitarian muslim jewish hindu",
        r"(?:^|\b(?:I|we)(?:'ve|'m|'re| have| am| are)? |\b(?:im|ive) |\bas )(?:been |keep |eat |only |also |both |"
        r"strictly |now |fully |mostly |go |gone |going |went |a |an |strict |pretty |basically |on |all |proper |"
        r"always |just |still |follow |do |being )*(?P<v>vegan|vegetarian|pescatarian|halal|kosher|keto|celiac|"
        r"coeliac|veggie|plant[- ]based|flexitarian|muslim|jewish|hindu)\b(?! (?:place|restaurant|option|friend|"
        r"food near|recipe|burger|menu)s?)",
        lambda c, m: (
            [preference(c, "constraint", ("food", "diet"), "set", c.group(m))]
            if not re.search(r"\b(?:not|n't|no longer|used to)\b", c.text[: m.end()])
            else ()
        ),
    ),
    frame(
        "allergic allergy allergies intolerant sensitive intolerance",
        r"\b(?:I'm|I am|we're|im|i'm|being|am|^)(?: (?!not)\w+)? ?(?:allergic|sensitive|intolerant|reactive) to " + OBJ,
        harmful,
    ),
    frame(
        "allergy intolerance allergies reaction",
        r"(?:I've got|I have|got|with|have|my|I get) (?:an? |this |such )?(?:really |very )?(?:bad |severe |"
        r"serious |mild |nasty |pretty bad |terrible )?(?P<v>[a-z]+(?: [a-z]+)?) (?:allergy|allergies|intolerance|"
        r"reaction)\b",
        lambda c, m: () if m["v"].split()[-1].lower() in {"food", "an", "a", "severe", "bad", "of"} else harmful(c, m),
    ),
    frame(
        "allergic intolerant",
        r"^(?:also |super |severely |deathly |very |i'm |im |i am )*(?P<v>[a-z]+)[ -](?:intolerant|allergic)\b",
        lambda c, m: harmful(c, m) if not of_others(c) else (),
    ),
    frame(
        "me my throat epipen hives",
        r"^(?P<v>[^,?]{2,30}?) (?:always |really |just |can |could |will |would )*(?:(?:gives?|give) me (?:\w+ "
        r"){0,2}(?:hives|rash|migraines?|headaches?|cramps|heartburn|reflux|stomach ?aches?|nightmares)|"
        r"makes? me (?:\w+ )?(?:sick|ill|break out|swell|sneeze|itch|itchy|throw up|puke|wheeze|bloated|nauseous)|"
        r"sets? off my \w+|kills? me|closes? (?:up )?my throat|makes? my \w+ (?:swell|itch|close|hurt|flare)|"
        r"triggers? my \w+|messes with my \w+|sends? me to (?:the )?(?:er|hospital|a&e)|puts? me in (?:the "
        r")?hospital)",
        lambda c, m: (
            () if re.match(r"(?:it|this|that|he|she|they|you|which|what|my \w+)\b", m["v"], re.I) else harmful(c, m)
        ),
    ),
    frame(
        "no off out pass never banned limits forbidden nope",
        r"^(?P<v>[^,?]{3,40}?)(?: (?:is|are|stays?|would be)|'s|,)? (?:a |an |just |always |strictly |totally |"
        r"completely |absolutely |definitely |right )*(?:hard no|big no|no-?no|no-? ?go|hard pass|off[- ]limits|"
        r"off the (?:table|menu)|no for me|out for me|out of bounds|banned|forbidden|not allowed|not an option|"
        r"out of the question|not happening|out$|a nope|dealbreaker|deal breaker)\b",
        lambda c, m: (
            ()
            if re.match(r"(?:it|this|that|he|she|they|you|which|what)\b|.*\b(?:limit|phone|laptop)$", m["v"], re.I)
            else refused()(c, m)
        ),
    ),
    frame(
        "over above under below more than most max maximum limit cap capped tops within exceed exceeding past "
        "budget ceiling beyond less longer fewer least minimum min up",
        r"(?:\b(?:never|don'?t|do not|nothing|no|not|can'?t|cannot|won'?t|shouldn'?t|mustn'?t|refuse|isn'?t|"
        r"without)\b.{0,50}?\b(?:more than|over|above|longer than|exceed(?:ing)?|higher than|past|beyond|louder "
        r"than|faster than|bigger than|further than|farther than|less than|under|below|fewer than|hotter than)"
        r"|\b(?:at most|at least|no more than|not more than|no less than|no longer than|a max(?:imum)? of|an "
        r"absolute max of|max(?:imum)?(?: is)?|capped? (?:it |me |them |us )?at|limited to|(?<!this )(?<!the "
        r")limit (?:is|of)|limit me to|tops out at|ceiling (?:is|of)|budget (?:is|of)|cap (?:is|of)|minimum(?: of| "
        r"is)?|up to|within)"
        r"|\b(?:keep|stay|stays|staying|kept|must (?:be|stay)|has to (?:be|stay)|have to (?:be|stay)|needs? to "
        r"(?:be|stay)|should (?:be|stay)|anything|only(?: \w+){0,3}|always)\b[^,]{0,40}? (?:under|below|within|"
        r"over|above|at or below|less than)"
        r"|\b(?:my|our) (?:\w+ ){0,3}(?:budget|limit|max|cap|ceiling)\b[^,]{0,30}?(?: is|'s|:| of| at)) (?:about |"
        r"around |an absolute |absolute |max |only |just |like )*" + AMOUNT,
        bounded,
    ),
    frame(
        "max maximum tops most limit cap less under absolute ceiling min minimum out",
        rf"(?<!\bin ){AMOUNT},? (?:absolute |is (?:my|our) (?:absolute |hard )?)?(?:max(?:imum)?|tops|"
        r"at most|at the most|"
        r"limit|ceiling|cap|hard limit|or (?:less|under|below|more)|and not a \w+ more|minimum|at least|budget)\b",
        bounded,
    ),
    frame(
        "before after until till past later earlier between during from",
        r"\b(?:no|never|nothing|don'?t|dont|do not|not|can'?t|cannot|won'?t|please don'?t|none|avoid|stop|quiet|"
        rf"leave me|silence|silent|mute)\b.{{0,60}}?\b{WHEN}",
        lambda c, m: (
            _hours(c, m)
            if FOR_GOOD.search(c.sentence)
            or c.lasting
            or re.match(r"^(?:please |pls )?(?:no|never|nothing|don'?t|do not|dont|not|stop|I|we)\b", c.text, re.I)
            else ()
        ),
    ),
    frame(
        "keep leave block protect home by",
        rf"(?:(?:keep|leave|block|protect) .{{2,40}}? (?:free|clear|quiet|off|empty|open)|(?:have|need|has|got) to "
        r"be (?:home|back|done|out|at \w+|in bed)|must be (?:home|back|done)) (?P<v>(?:by|before|after|at|from|"
        rf"between|on) {CLOCK}(?:(?: and| to|-) ?{CLOCK})?|{DAYS})",
        _hours,
    ),
    frame(
        "on at weekends weekdays sundays saturdays fridays mondays tuesdays wednesdays thursdays nights mornings",
        rf"\b(?:no (?!need|idea|way|one)[\w ]{{3,30}}|never [\w ]{{3,30}}|{NEG} (?:book|schedule|work|fly|drive|"
        rf"call|plan|put|do|text|shop|cook|travel|arrange|take)[\w ]{{0,30}}?) (?P<v>{DAYS})\b",
        lambda c, m: _days(c, m) if not re.search(r"\b(?:this|next|last)\b", c.text, re.I) else (),
    ),
    frame(
        "only",
        r"\b(?:I|we)(?:'m| am| can| will|'ll)? ?only (?:ever |really |do |can |able to |available |free |"
        rf"reachable |around |work |take |make |have time )*[^,]{{0,30}}?(?P<v>(?:(?:on|at|before|after|between|in|"
        r"from) )?(?:the )?(?:mon|tues|wednes|thurs|fri|satur|sun|week|morning|afternoon|evening|"
        rf"night)[^,]{{0,40}}|(?:before|after|between|until|till) {CLOCK}[^,]{{0,20}})",
        lambda c, m: [preference(c, "constraint", ("work", "availability"), "set", c.group(m).strip(" .,"))],
    ),
    frame(
        "free keep leave hold skip without out",
        r"^(?:please |pls |always |just )*(?:keep|leave|hold|skip|take|cut) (?:the |all |any )?(?P<v>[\w' "
        r"-]{3,30}?) (?:off|out|away)(?: (?:of|from|on|everything|anything|all|my)\b|$| please)",
        refused(marked=True),
    ),
    frame(
        "never dont dont cant cannot wont refuse mustnt not avoid shouldnt",
        rf"{ME}(?:really |just |also |always |absolutely |simply |literally |'m |am |pretty much |usually |"
        rf"generally |strictly |flat out |have to |try to |need to )*{NEG} (?:really |even |ever |actually |"
        rf"physically |possibly |usually )*{ACT}(?: with| near)?(?! (?:it|that|this|you|so|to|me|anything$|"
        r"anymore|any more|well|much|right|yet|there|here|if|what|how|a thing|my (?:keys|phone)|him|her|them|for "
        rf"(?:a|an|the) )\b) {OBJ}",
        lambda c, m: (
            ()
            if re.match(r"(?:don'?t|do not|please|not)\b", c.text, re.I) and not FOR_GOOD.search(c.sentence)
            else refused(_hint_of(m.group()))(c, m)
        ),
    ),
    frame(
        "never dont dont do stop",
        r"^(?:please |pls |whatever you do,? |and |so |seriously |just |from now on |also )*(?:never(?: ever)?|"
        rf"don'?t(?: ever)?|dont(?: ever)?|do not(?: ever)?|stop) {TELL}(?: me| us| my \w+)?(?: (?:on|in|at|with|"
        r"through|via|into|by|from|down|over|across|to|along|about|up|near|for))? (?!it\b|that\b|this\b|again|"
        rf"me\b|him|her|them\b|if\b|what|the (?:kids|baby)\b|to\b|milk){OBJ}",
        lambda c, m: (
            refused(_hint_of(m.group()))(c, m)
            if re.search(r"never|ever\b|stop", m.group(), re.I) or FOR_GOOD.search(_beyond(c, m))
            else ()
        ),
    ),
    frame(
        "no zero",
        r"^(?:strictly |absolutely |please |pls |also |and |definitely |so |just |still |ideally |preferably "
        r")*(?:no|zero) (?!need|idea|worries|problem|way|doubt|rush|thanks|thank|clue|offen[cs]e|one|wonder|matter|"
        r"longer|luck|time|big deal|point|use|reason|kidding|not|no\b|i\b|it\b|more than|less than|sweat|biggie|"
        r"chance|shit|joke|pressure)" + OBJ,
        refused(marked=True),
    ),
    frame(
        "so no",
        r"\b(?:so|means|hence|therefore|thus),? (?:absolutely |strictly |definitely )?no (?!need|idea|worries|"
        r"problem|way|doubt|rush|thanks|one|more than|less than|longer)" + OBJ,
        lambda c, m: (
            refused()(c, m) if re.search(r"\b(?:I'm|I am|I have|I've|I get|I can'?t|me|my|im)\b", c.sentence) else ()
        ),
    ),
    frame(
        "nothing none",
        r"^(?:please |absolutely |also |and |just |with )*(?:nothing(?! (?:beats?|better|fancy|"
        r"serious|major|urgent|drastic|like|compares|else|new|"
        r"much|wrong|happened|special|to\b|i\b|is\b|was\b))|none of (?:the|that|those)) (?:with|in|on|from|near|"
        r"containing|made (?:with|of|from)|that (?:has|is|contains)|too|to do with)? ?" + OBJ,
        refused(marked=False),
    ),
    frame(
        "clear off away avoid",
        r"^(?:I |we |always |please |pls |try to |have to |I try to |I always |make sure you |make sure to "
        r")*(?:avoid|steer (?:me )?clear of|stay (?:away from|off|clear of)|keep (?:me )?(?:away from|off|clear "
        r"of)) " + OBJ,
        lambda c, m: (
            refused()(c, m) if c.lasting or re.match(r"(?:I|we)\b", c.text) or FOR_GOOD.search(c.sentence) else ()
        ),
    ),
)


def _beyond(clause: Clause, match: re.Match[str]) -> str:
    """Return what the sentence says beside the order itself: the reason, or the word that makes it last."""
    return clause.sentence.replace(match.group()[: match.start("v") - match.start()], "", 1)


def _hint_of(said: str) -> str | None:
    if re.search(r"\b(?:eat|drink|cook)", said, re.IGNORECASE):
        return "food"
    if re.search(r"\b(?:fly|stay|travel|sleep)", said, re.IGNORECASE):
        return "travel"
    if re.search(r"\b(?:wear|buy|shop)", said, re.IGNORECASE):
        return "shopping"
    return None


_LIMITS = Frames(LIMITS, cues_in=words_in)


def limits(clause: Clause) -> Iterator[Candidate]:
    """Yield the limit that ``clause`` sets."""
    yield from _LIMITS.read(clause, unless=[of_others])
