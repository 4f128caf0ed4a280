"""Observe: from an utterance to clauses that know whether they are asked, supposed, reported, for now or for good.

The matching form of the text keeps every character's position (full-width forms folded, traditional characters
simplified one for one), so that what a rule finds can always be quoted in the user's own words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.believing.policy import EXTRACTION, ExtractionPolicy
from snapshots.understanding.reading import marks
from snapshots.understanding.reading.forms import language_of, matching_form
from snapshots.understanding.reading.subjects_en import subject_en
from snapshots.understanding.values import Evidence, Utterance

_HAN = r"[\u3400-\u9fff]"
_ROLE = r"(?i:system|assistant|系统|助手|助理)\s?:"
_UNSAID = re.compile(rf"(?sm)```.{{0,2000}}?```|\[[^\]\n]{{0,300}}\]|^(?:>|\s{{0,4}}{_ROLE})[^\n]*")
_QUOTED = re.compile(r"(?:(?<=[:,]\s)|(?<=[:,])|(?<=说)|(?<=said )|(?<=says ))\"[^\"\n]{1,300}\"")
_OWN_WORDS_QUOTED = re.compile(
    r"\"(?=[^\"\n]{0,60}(?:\bI\b|\bI'|\bwe\b|我|您))[^\"\n]{2,200}\"|(?<=\s)'(?=I\b)(?:[^'\n]|'(?=\w)){2,100}'(?=[\s,.!?]|$)"
)
"""What speaks of an "I" between quotation marks is somebody's words, told."""
_SENTENCE_END = re.compile(
    r"[!?;。…\n]+[\"')]*|(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)(?<!\bNo)\.+(?=[\s\"')]|$)"
)
_BETWEEN_WORDS = " ,\t"
_DIALOGUE_LINE = re.compile(r"^\s{0,4}[\w ]{1,24}:\s", re.MULTILINE)
_SUBJECTS_EN = (
    r"(?:I|I'm|I've|I'd|I'll|we|we're|we've|my|our|you|your|you're|he|she|they|it|it's|that|that's|this|there|what|how|"
    r"why|where|when|which|who|can|could|do|does|did|is|are|should|please|don't|never|always|avoid|call|keep|set|now|"
    r"not|his|her|their|if|let's|just|every|everyone|no|from now|these days|in my)\b"
)
_VERBS_EN = (
    r"(?:(?:mostly|also|usually|really|always|never|absolutely|mainly) )?(?:work|live|love|like|hate|prefer|dislike|"
    r"enjoy|have|drive|speak|don't|can't|never|usually|always|avoid|am|adore|drink|eat|take|listen)\b"
)
_CONJ = r"(?:and|but|so|because|cause|though|although|while|whereas|since|plus|also|yet|then|or)"
_SPLIT_EN = re.compile(
    rf"(?:\s{{0,3}}[,:–—]\s{{0,3}}|\s-{{1,3}}\s{{1,3}})(?:{_CONJ}\s{{1,3}})?(?={_SUBJECTS_EN})|,?\s{{1,3}}{_CONJ}\s{{1,3}}(?={_SUBJECTS_EN})"
    rf"|,?\s{{1,3}}(?P<vp>and|but)\s{{1,3}}(?={_VERBS_EN})",
    re.IGNORECASE,
)
_SPLIT_ZH = re.compile(rf"(?<!\d)[,,]|[,,](?!\d)|(?<={_HAN})\s{{1,3}}(?={_HAN})|(?<!不)(?=但|可是|不过(?!敏))")
_LEAD_EN = re.compile(
    r"(?:(?:no|nope|right|again|first|second|wow|look|listen)[,:!.-]\s{0,2}|(?:and|but|so|"
    r"also|well|oh|ok|okay|yes|yeah|yep|yo|ugh|lol|tbh|honestly\?|hi|hiya|heya|hello|hey|pls|plz|huh|mate|lads|cheers|there|actually|honestly|frankly|btw|"
    r"by the way|please|just so you know|fyi|for the record|as you know|you know|to be honest|personally|remember|"
    r"note|that(?= (?:I|we|my|our)\b)|because|since|although|though|in general|generally|in fact|"
    r"i guess|i think|i'd say|i mean|you see|sorry|thanks|thank you|for context|one thing|plus|haha|sure|mostly|"
    rf"i must say|as i said|firstly|ps|p\.s|{marks.BEGINS_EN})\b[\s,:!.-]{{1,3}}){{1,5}}",
    re.IGNORECASE,
)
_LEAD_ZH = re.compile(
    r"(?:\s|嗯|那个|其实|说实话|老实说|坦白说|对了|请记住|记住|记得|请|麻烦你?|哦|噢|啊|哎|嗨|"
    r"你好|您好|另外|还有|而且|因为|所以|但是|但|可是|不过(?!敏)|总之|总的来说|顺便说一下|顺便|话说|"
    rf"首先|然后|帮我|给我|对|是的|好的|好|没错|毕竟|反正|说真的|讲真|我觉得|{marks.BEGINS_ZH})"
)
_FIRST_PERSON_EN = re.compile(r"(?:I|I'm|I've|we)\b", re.IGNORECASE)
_ELLIPTIC_ZH = re.compile(
    r"(?:也|还|都|就|最|更|比较|特别|非常|超|很|真的|不|没|别|从不|从来|平时|一般|通常|经常|"
    r"现在|以后|以前|今年|已经|一直|永远|再也|"
    r"喜欢|爱|讨厌|受不了|偏爱|习惯|住|在|做|开|养|有|会|叫|是|吃|喝|听|预算|空调|把|换|改|"
    r"避开|绕开|能|导航|酒店|回答|\d)"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of one sentence, ready to be matched. ``text`` is the matching form; ``shift`` characters of it are ours.

    ``subject`` is "self", "other" or "unnamed" (it opens with a thing: "公司在..."); ``asked`` says that the sentence
    ends with a question mark. The marks are read when they are asked for: most clauses match no rule and need none.
    """

    utterance: Utterance
    text: str
    start: int
    sentence: str
    sentence_start: int
    language: str
    position: int
    asked: bool
    last: bool
    before: "Clause | None" = None
    shift: int = 0
    subject: str = "self"

    @property
    def question(self) -> bool:
        """Is it asked, by a question mark after it or by its words?"""
        if self.asked and (self.last or marks.QUESTION_START.match(self._first().text)):
            return True
        asks = marks.QUESTION_ZH.search if self.language == "zh" else marks.QUESTION_START.match
        return asks(self.text) is not None

    @property
    def supposed(self) -> bool:
        """Is it only imagined? In Chinese what follows 如果 in the sentence is imagined too."""
        if marks.SUPPOSED_SENTENCE.match(self.sentence) or marks.SUPPOSED.search(self.text):
            return True
        return self.language == "zh" and any(marks.SUPPOSED.search(clause.text) for clause in self._earlier())

    @property
    def reported(self) -> bool:
        """Does it stand after "she said", 他说?"""
        told = marks.reported_from(self.sentence)
        return told is not None and self.start - self.sentence_start + len(self.text) - self.shift > told

    @property
    def lasting(self) -> bool:
        """Is it meant for good: always, never, from now on, 以后, 今天开始?"""
        return marks.is_lasting(self.text, self.sentence)

    @property
    def one_off(self) -> bool:
        """Is it meant for now only: today, this time, 这次?"""
        return marks.is_one_off(self.text, self.sentence)

    @property
    def asserted(self) -> bool:
        """Is it said as true by the speaker, about whomever?"""
        return not (self.question or self.supposed or self.reported)

    def _first(self) -> "Clause":
        return [self, *self._earlier()][-1]

    def _earlier(self) -> Iterator["Clause"]:
        clause = self.before
        while clause is not None:
            yield clause
            clause = clause.before

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


def whole_sentence(clauses: list[Clause]) -> Clause:
    """Return one clause for a whole sentence, for what is said across commas: "not X, Y"."""
    first = clauses[0]
    lead = _LEAD_ZH if first.language == "zh" else _LEAD_EN
    begin = _after_lead(first.sentence, 0, len(first.sentence), lead)
    text = first.sentence[begin : begin + EXTRACTION.max_clause_chars]
    return replace(first, start=first.sentence_start + begin, text=text, shift=0, last=True)


def observe(utterance: Utterance, *, policy: ExtractionPolicy = EXTRACTION) -> list[list[Clause]]:
    """Return the marked clauses of each sentence, in order. Text past ``max_analysed_chars`` is not looked at."""
    if marks.TASK_ON_TEXT.match(utterance.text):
        return []  # a text to translate, rewrite or invent: its "I" is not the subject
    form = _blank(_UNSAID, matching_form(utterance.text[: policy.max_analysed_chars]))
    form = _blank(_OWN_WORDS_QUOTED, _blank(_QUOTED, form))
    if len(_DIALOGUE_LINE.findall(form)) > 1:
        return []  # a pasted conversation: whose words these are cannot be told
    spans = (part for span in _sentences(form) for part in _bounded(form, span, policy.max_sentence_chars))
    return [found for span in spans if (found := _clauses(utterance, form, span, policy))]


def statement_of(clause: Clause) -> str:
    """Return the whole sentence in the user's words, sensitive data masked: what a person is shown as the reason."""
    end = clause.sentence_start + len(clause.sentence)
    return mask_sensitive(clause.utterance.text[clause.sentence_start : end].strip())[0]


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


def _bounded(form: str, span: tuple[int, int, bool], most: int) -> Iterator[tuple[int, int, bool]]:
    """Yield a sentence in pieces of at most ``most`` characters, cut between words.

    Each clause looks at its whole sentence, so that an endless one would cost the square of its length.
    """
    start, end, asked = span
    while end - start > most:
        cut = next((at for at in range(start + most, start, -1) if form[at - 1] in _BETWEEN_WORDS), start + most)
        yield start, cut, asked
        start = cut
    yield start, end, asked


def _clauses(utterance: Utterance, form: str, span: tuple[int, int, bool], policy: ExtractionPolicy) -> list[Clause]:
    start, end, asked = span
    sentence = form[start:end]
    language = language_of(sentence)
    pieces = list(_pieces(sentence, language))
    clauses: list[Clause] = []
    for position, (left, right, joined) in enumerate(pieces):
        text = sentence[left : min(right, left + policy.max_clause_chars)]
        before = clauses[-1] if clauses else None
        shared = joined and before is not None and _FIRST_PERSON_EN.match(before.text) is not None
        clauses.append(
            Clause(
                utterance=utterance,
                text="I " + text if shared else text,
                start=start + left,
                sentence=sentence,
                sentence_start=start,
                language=language,
                position=position,
                asked=asked,
                last=position == len(pieces) - 1,
                before=before,
                shift=2 if shared else 0,
                subject=_subject_zh(text, before) if language == "zh" else subject_en(text, before, joined != shared),
            )
        )
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


def _subject_zh(text: str, before: Clause | None) -> str:
    """Chinese drops the subject: a clause that opens without one speaks of the same person as the clause before it."""
    if marks.ADVISED_ZH.match(text):
        return "self"
    if marks.OTHER_ZH.match(text):
        return "other"
    if text.startswith(("我", "本人", "咱")):
        return "self"
    if not _ELLIPTIC_ZH.match(text):
        told = before is not None and before.subject == "other" and marks.PEOPLE_ZH.match(before.text)
        return "other" if told and "我" not in text else "unnamed"
    return "self" if before is None else before.subject
