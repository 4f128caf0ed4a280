"""Observe: from an utterance to clauses that know whether they are asked, supposed, reported, for now or for good.

The matching form of the text keeps every character's position (full-width forms folded, traditional characters
simplified one for one), so that what a rule finds can always be quoted in the user's own words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memory_platform.kernel.text import simplify
from snapshots.extraction import marks
from snapshots.extraction.policy import ExtractionPolicy
from snapshots.extraction.values import Evidence, Utterance

_FULL_WIDTH = {0xFF01 + i: 0x21 + i for i in range(94)}
_FOLD = {**_FULL_WIDTH, 0x2018: "'", 0x2019: "'", 0x02BC: "'", 0x201C: '"', 0x201D: '"', 0x3000: " ", 0xA0: " "}
_CJK = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{1,40}")
_UNSAID = re.compile(r"```.{0,2000}?```|\[[^\]\n]{0,300}\]|^>[^\n]*", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"(?:(?<=[:,]\s)|(?<=[:,])|(?<=说)|(?<=said )|(?<=says ))\"[^\"\n]{1,300}\"")
_SENTENCE_END = re.compile(
    r"[!?;。…\n]+[\"')]*|(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)(?<!\bNo)\.+(?=[\s\"')]|$)"
)
_DIALOGUE_LINE = re.compile(r"^\s{0,4}[\w ]{1,24}:\s", re.MULTILINE)
_SUBJECTS_EN = (
    r"(?:I|I'm|I've|I'd|I'll|we|we're|we've|my|our|you|your|you're|he|she|they|it|it's|that|that's|this|there|what|how|"
    r"why|where|when|which|who|can|could|do|does|did|is|are|should|please|don't|never|always|avoid|call|keep|set|now|"
    r"not|his|her|their|if|let's|just|every|everyone|no|from now|these days|in my)\b"
)
_VERBS_EN = (
    r"(?:(?:mostly|also|usually|really|always|never|absolutely|mainly) )?(?:work|live|love|like|hate|prefer|dislike|enjoy|have|"
    r"drive|speak|don't|can't|never|usually|always|avoid|am|adore|drink|eat|take|listen)\b"
)
_CONJ = r"(?:and|but|so|because|cause|though|although|while|whereas|since|plus|also|yet|then|or)"
_SPLIT_EN = re.compile(
    rf"(?:\s*[,:–—]\s*|\s+-+\s+)(?:{_CONJ}\s+)?(?={_SUBJECTS_EN})|,?\s+{_CONJ}\s+(?={_SUBJECTS_EN})"
    rf"|,?\s+(?P<vp>and|but)\s+(?={_VERBS_EN})",
    re.IGNORECASE,
)
_SPLIT_ZH = re.compile(r"(?<!\d)[,,]|[,,](?!\d)|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])|(?<!不)(?=但|可是|不过)")
_LEAD_EN = re.compile(
    r"(?:(?:and|but|so|also|well|oh|ok|okay|yes|yeah|yep|no|nope|hi|hello|hey|there|actually|honestly|frankly|btw|"
    r"by the way|please|just so you know|fyi|for the record|as you know|you know|to be honest|personally|lately|remember|"
    r"note|that|because|since|although|though|in general|generally|in fact|i guess|i think|i mean|you see|"
    r"look|listen|sorry|thanks|thank you|for context|one thing|plus|wow|haha|sure|right|mostly|i must say|"
    r"as i said|again|first|firstly|second|ps|p\.s)\b[\s,:!.-]{1,3}){1,5}",
    re.IGNORECASE,
)
_LEAD_ZH = re.compile(
    r"(?:\s|嗯|那个|其实|说实话|老实说|坦白说|对了|请记住|记住|记得|请|麻烦你?|哦|噢|啊|哎|嗨|你好|您好|另外|还有|而且|因为|所以|但是|但|"
    r"可是|不过|总之|总的来说|顺便说一下|顺便|话说|首先|然后|帮我|给我|对|是的|好的|好|没错|首先|毕竟|反正|说真的|讲真|我说了?|我觉得)"
)
_FIRST_PERSON_EN = re.compile(r"(?:I|I'm|I've|we)\b", re.IGNORECASE)
_ELLIPTIC_ZH = re.compile(
    r"(?:也|还|都|就|最|更|比较|特别|非常|超|很|真的|不|没|别|从不|从来|平时|一般|通常|经常|现在|以后|以前|今年|已经|一直|永远|再也|"
    r"喜欢|爱|讨厌|受不了|偏爱|习惯|住|在|做|开|养|有|会|叫|是|吃|喝|听|预算|空调|把|换|改|避开|绕开|能|导航|酒店|回答|\d)"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of one sentence, ready to be matched. ``text`` is the matching form, ``shift`` its invented prefix's length.

    ``subject`` is "self", "other" or "unnamed" (it opens with a thing: "公司在..."); ``sentence`` the matching form of the whole sentence.
    """

    utterance: Utterance
    text: str
    start: int
    sentence: str
    language: str
    position: int = 0
    shift: int = 0
    subject: str = "self"
    question: bool = False
    supposed: bool = False
    reported: bool = False
    one_off: bool = False
    lasting: bool = False

    @property
    def asserted(self) -> bool:
        """Is it said as true by the speaker, about whomever?"""
        return not (self.question or self.supposed or self.reported)

    @property
    def stated(self) -> bool:
        """Is it said as true about the speaker? Only such clauses may teach facts and preferences."""
        return self.asserted and self.subject != "other"

    def words(self, start: int, end: int) -> str:
        """Return the user's own words for positions ``start:end`` of ``text``, outer blanks off."""
        offset = self.start - self.shift
        return self.utterance.text[max(self.start, offset + start) : offset + end].strip()

    def group(self, match: re.Match[str], name: str = "v") -> str:
        """Return the user's own words for a group of ``match`` ("" when it took no part)."""
        start, end = match.span(name)
        return "" if start < 0 else self.words(start, end)

    def evidence(self) -> Evidence:
        """Return the clause as evidence: the words as they stand in the message."""
        quote = self.words(0, len(self.text))
        return Evidence(self.utterance.message_key, quote, self.utterance.text.find(quote, max(0, self.start - 1)))


def matching_form(text: str) -> str:
    """Return ``text`` folded for matching, character for character: same length, same positions."""
    folded = text.translate(_FOLD)
    if _CJK.search(folded):
        simplified = simplify(folded)
        folded = simplified if len(simplified) == len(folded) else folded
    return folded


def observe(utterance: Utterance, *, policy: ExtractionPolicy) -> list[Clause]:
    """Return the clauses of ``utterance`` in order, marked. Text past ``max_analysed_chars`` is not looked at."""
    form = _blank(_UNSAID, matching_form(utterance.text[: policy.max_analysed_chars]))
    form = _blank(_QUOTED, form)
    if len(_DIALOGUE_LINE.findall(form)) > 1:
        return []  # a pasted conversation: whose words these are cannot be told
    return [clause for span in _sentences(form) for clause in _clauses(utterance, form, span, policy)]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)


def _sentences(form: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, asked) of each sentence; ``asked`` when it ends with a question mark."""
    start = 0
    for end in _SENTENCE_END.finditer(form):
        if form[start : end.start()].strip():
            yield start, end.start(), "?" in end.group()
        start = end.end()
    if form[start:].strip():
        yield start, len(form), False


def language_of(text: str) -> str:
    """Return "zh" or "en", the language whose rules should read ``text``."""
    cjk = _CJK.search(text)
    if not cjk:
        return "en"
    latin = _LATIN_WORD.search(text)
    opens_latin = latin is not None and latin.start() < cjk.start()
    return "en" if opens_latin and len(_LATIN_WORD.findall(text[: cjk.start()])) > 1 else "zh"


def _clauses(utterance: Utterance, form: str, span: tuple[int, int, bool], policy: ExtractionPolicy) -> list[Clause]:
    start, end, asked = span
    sentence = form[start:end]
    language = language_of(sentence)
    pieces = list(_pieces(sentence, language))
    reported = marks.REPORTED.search(sentence)
    supposed = marks.SUPPOSED_SENTENCE.match(sentence) is not None
    one_off = marks.ONE_OFF.search(sentence) is not None
    clauses: list[Clause] = []
    for position, (left, right, joined) in enumerate(pieces):
        text = sentence[left : min(right, left + policy.max_clause_chars)]
        clause = Clause(
            utterance=utterance,
            text=text,
            start=start + left,
            sentence=sentence,
            language=language,
            position=position,
            question=asked and right >= pieces[-1][1],
            supposed=supposed or marks.SUPPOSED.search(text) is not None,
            reported=reported is not None and right > reported.start(),
        )
        clauses.append(_settled(clause, joined, clauses[-1] if clauses else None, one_off))
    if asked and clauses and marks.QUESTION_START.match(clauses[0].text):
        clauses = [replace(clause, question=True) for clause in clauses]
    return clauses


def _pieces(sentence: str, language: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, joined) of each clause, fillers at its head left out; ``joined`` lacks its own subject."""
    split, lead = (_SPLIT_ZH, _LEAD_ZH) if language == "zh" else (_SPLIT_EN, _LEAD_EN)
    cuts = [(0, 0, False)]
    cuts += [(m.start(), m.end(), language == "en" and bool(m["vp"])) for m in split.finditer(sentence)]
    ends = [cut[0] for cut in cuts[1:]] + [len(sentence)]
    for (_, left, joined), right in zip(cuts, ends, strict=True):
        begin = _after_lead(sentence, left, right, lead)
        if sentence[begin:right].strip(" ,.:-"):
            yield begin, right, joined


def _after_lead(sentence: str, left: int, right: int, lead: re.Pattern[str]) -> int:
    while left < right and sentence[left] in " \t,\"'(":
        left += 1
    found = lead.match(sentence, left, right)
    while found and found.end() < right:
        left = found.end()
        found = lead.match(sentence, left, right)
    while left < right and sentence[left] in " \t,:\"'(":
        left += 1
    return left


def _settled(clause: Clause, joined: bool, before: Clause | None, sentence_one_off: bool) -> Clause:
    """Return the clause with the marks that need its language or its neighbour."""
    lasting = marks.LASTING.search(clause.text) is not None
    asked = clause.question
    if clause.language == "zh":
        asked = asked or marks.QUESTION_ZH.search(clause.text) is not None
        clause = replace(clause, subject=_subject_zh(clause, before))
    else:
        asked = asked or marks.QUESTION_START.match(clause.text) is not None
        if joined and before and _FIRST_PERSON_EN.match(before.text):
            clause = replace(clause, text="I " + clause.text, shift=2)
    supposed = clause.supposed or (clause.language == "zh" and before is not None and before.supposed)
    return replace(clause, question=asked, lasting=lasting, one_off=sentence_one_off and not lasting, supposed=supposed)


def _subject_zh(clause: Clause, before: Clause | None) -> str:
    """Chinese drops the subject: a clause that opens without one speaks of the same person as the clause before it."""
    if marks.OTHER_ZH.match(clause.text):
        return "other"
    if clause.text.startswith(("我", "本人", "咱")):
        return "self"
    if not _ELLIPTIC_ZH.match(clause.text):
        return "unnamed"
    return "self" if before is None or before.subject == "self" else "other"
