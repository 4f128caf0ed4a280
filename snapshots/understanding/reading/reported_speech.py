"""Find words that a message reports as somebody else's: he said: "I live in Osaka", 他喊:我叫赵云!

After a third person with a verb of saying, the words behind a colon or in quotation marks are theirs, up to the closing
mark or the end of the sentence. A doctor's words that are not about the doctor are kept: they concern the user.
"""

import re
from collections.abc import Iterator

from snapshots.understanding.reading.kin_words import KIN_EN, KIN_ZH

# Who tells: nobody of whom the user is one.
_WHO_EN = (
    r"(?:you(?= (?:just )?(?:said|wrote|told me)\b)|"
    rf"he|she|they|someone|somebody|everyone|everybody|who|(?:my|our|his|her|their)\s(?:[\w-]+\s){{0,3}}?{KIN_EN}(?:\s[A-Z][\w'-]+)?"
    r"|(?:the|a|an|this|that|one|some|another)\s(?:(?!i\b|we\b|you\b)[\w'-]+\s){0,4}?(?!i\b|we\b|you\b)[\w'-]+"
    r"|(?:my|our|his|her|their)\s(?:[\w'-]+\s){0,3}?[\w-]*(?:er|or|ist|man|woman|guy|lady|pal|buddy|mates?|guest)s?"
    r"|(?-i:(?!I\b|We\b|You\b)[A-Z][\w'-]+(?:\s[A-Z][\w'-]+)?))"
)
_SAYS_EN = (
    r"(?:said|says|saying|told|tells|shout(?:s|ed)|yell(?:s|ed)|scream(?:s|ed)|cried|cries|asks?|asked|wrote|writes|"
    r"text(?:s|ed)|messag(?:es|ed)|email(?:s|ed)|repl(?:ies|ied)|answer(?:s|ed)|whisper(?:s|ed)|announc(?:es|ed)|"
    r"claim(?:s|ed)|declar(?:es|ed)|post(?:s|ed)|tweet(?:s|ed)|add(?:s|ed)|goes|went|boast(?:s|ed)|jok(?:es|ed)|"
    r"brag(?:s|ged)|repeat(?:s|ed)|sings?|sang|(?:is|was|were|be) like|comment(?:s|ed)|explain(?:s|ed)|"
    r"insist(?:s|ed)|mutter(?:s|ed)|mention(?:s|ed)|call(?:s|ed) out|introduced (?:him|her|them)sel(?:f|ves))"
)
_BETWEEN_EN = r"(?:\s(?:just|also|then|always|once|has|had|keeps?|kept|only|still|often|usually|even|both))?\s"
# People by what the Chinese call them: pronouns, kin, what ends in a word for people, 小王, names of other scripts.
_WHO_ZH = (
    rf"(?:[他她](?:们|俩)?|\bTA|对方|别人|大家|{KIN_ZH}"
    r"|[\u4e00-\u9fff]{1,5}?(?:人|户|员|师|生|友|长|板|客|者|家|工|事|方|姐|哥|妈|爸|弟|妹|爷|奶|叔|婶|姨|舅|嫂|总|机|居|局|导|主|伙计|同学|小孩|学徒|徒弟)"
    r"|[小老阿](?!实|是)[\u4e00-\u9fff]{1,2}?|[赵钱孙李周吴郑王冯陈蒋沈韩杨朱秦许何吕张孔曹严金魏陶姜谢邹苏潘葛范彭鲁韦马方袁柳唐薛雷罗毕郝安常于傅"
    r"康齐伍余顾孟黄萧尹姚邵汪毛戴宋熊纪舒项祝董梁杜贾江郭梅林钟徐邱骆高夏蔡田胡霍万卢莫房丁邓洪包石崔龚程段侯武刘龙叶黎白赖乔谭温庄阎文"
    r"廖][\u4e00-\u9fff]{1,2}?|[A-Z][A-Za-z]{1,20})"
)
_SAYS_ZH = (
    r"(?:说|喊|叫|嚷|告诉|问|回|答|写|表示|留言|发|转告|透露|抱怨|"
    r"嘱咐|叮嘱|强调|声称|自称|吹牛|承认|念叨|讲|评论|提到|反馈|通知|唱|介绍)"
)
# Nothing between the speaker and the colon makes the user the one who speaks; 跟我说 does not.
_REST_ZH = r"(?:(?<=[跟对和向给与冲朝诉问答复回知])我们?|[^我咱俺,。!?;:\"\n])"
# "I told him: ..." has the user as speaker, "tell her: ..." the assistant.
_NOT_THE_SPEAKER = r"(?<![跟对和向给与诉问复叫让请替帮知])"
_SPEECH_ZH = (
    rf"(?:(?<=[,。!?;:…\n\s\"])|\A)[^我咱俺,。!?;:\"\n]{{0,8}}?(?:(?:我|咱)们?(?:家|的)?)?{_NOT_THE_SPEAKER}{_WHO_ZH}"
    rf"(?:的[\u4e00-\u9fff]{{1,4}})?{_REST_ZH}{{0,12}}?{_SAYS_ZH}(?:我们?|咱们?)?{_REST_ZH}{{0,8}}?"
)
_SPEECH_EN = rf"(?<![\w'])(?<!\b[Tt]ell )(?<!\b[Aa]sk ){_WHO_EN}{_BETWEEN_EN}{_SAYS_EN}\b[^.!?:,\"\n]{{0,30}}"
_QUOTE = r"\"[^\"]{1,600}(?:\"|\Z)"
_TOLD = re.compile(
    rf"(?:{_SPEECH_ZH}|{_SPEECH_EN})(?:[:,]?\s{{0,3}}(?P<quoted>{_QUOTE})|:(?!//|\d)\s{{0,3}}(?P<plain>[^\"\s][^。!?…\n]{{0,600}}))",
    re.IGNORECASE,
)
_TOLD_BEFORE = re.compile(
    rf"(?P<quoted>\"[^\"\n]{{1,600}}\")[,\s]{{0,3}}(?:(?:{_WHO_EN}{_BETWEEN_EN}{_SAYS_EN}\b|(?:said|says|shouted|asked|cried|wrote)\s"
    rf"(?!i\b){_WHO_EN})|{_WHO_ZH}[^我咱俺,。!?;:\"\n]{{0,6}}?{_SAYS_ZH})",
    re.IGNORECASE,
)
# Said of a quotation that begins a sentence: "I'm allergic to nuts" is what my sister always says.
_SPOKEN_OF = re.compile(
    r"(?:(?<=[.!?;。\n])|\A)\s{0,3}(?P<quoted>\"[^\"\n]{2,600}\")(?P<rest>(?:(?!\s(?:and|but|so)\s)[^,.!?;。\n]){2,200})",
    re.IGNORECASE,
)
_SAID_BY_USER = re.compile(
    r"\b(?:i|we)\b(?:'ve|'d)?(?:\s(?:have|had|always|often|usually|just|once|still|never|also|keep|kept)){0,2}\s"
    r"(?:say|said|saying|tell|told|write|wrote|shout(?:ed)?|mean|meant|answer(?:ed)?|repeat(?:ed)?)\b"
    r"|我们?(?:自己|刚才|刚刚|刚|老|总|常|一直|经常|也|就|已经|天天|都|还|是)?(?:这么)?(?:说|讲|写|喊|告诉|强调|的意思|的口头禅)"
    r"|\b(?:remember|note|save|store|keep)\b|[记存]",
    re.IGNORECASE,
)
_SENTENCE_END_EN = re.compile(r"\.(?=\s|$)")
_ADVISES = re.compile(
    r"\b(?:dr|doctor|gp|nurse|dentist|surgeon|physio\w*|pharmacist|midwife|consultant|specialist|hospital|clinic|vet|\w+ologist)\b"
    r"|医生|大夫|护士|药师|医嘱",
    re.IGNORECASE,
)
_SPEAKS_OF_SELF = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b|我|咱|俺", re.IGNORECASE)


def find_reported_speech(form: str) -> Iterator[tuple[int, int]]:
    """Yield where a message (matching form) reports somebody else's own words; a quotation with a comment on it is one
    span.

    They stand behind a colon or in quotation marks: most messages have neither, and searching for the speaker is slow.
    """
    quotes = '"' in form
    patterns = [*([_TOLD] if quotes or ":" in form else []), *([_TOLD_BEFORE] if quotes else [])]
    for pattern in patterns:
        for found in pattern.finditer(form):
            start, end = _speech_span(found)
            said = form[start:end]
            if not _ADVISES.search(form, found.start(), start) or _SPEAKS_OF_SELF.search(said):
                yield start, end
    for found in _SPOKEN_OF.finditer(form) if quotes else ():
        if _SPEAKS_OF_SELF.search(found["quoted"]) and not _SAID_BY_USER.search(found["rest"]):
            yield found.start("quoted"), found.end()


def _speech_span(found: re.Match[str]) -> tuple[int, int]:
    quoted = found.groupdict()["quoted"]
    if quoted is not None:
        return found.span("quoted")
    start, end = found.span("plain")
    stop = _SENTENCE_END_EN.search(found.string, start, end)
    return start, stop.start() if stop else end
