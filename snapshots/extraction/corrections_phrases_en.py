"""The parts that frames of correction are made of in English, and what keeps them from firing."""

import re

WORDS = r"(?:(?:Dr|Mrs?|Ms|St|Prof)\. |[^,;:.!?\n]|[.:](?=\w)|,(?=\d{3}\b)){1,50}?"
OLD, NEW = rf"(?P<old>{WORDS})", rf"(?P<new>{WORDS})"
STOP = (
    r"(?:and|but|so|because|since|cause|cuz|as|please|pls|now|these days|nowadays|any ?more|any longer|instead|from "
    r"(?:now|here) on|going forward|btw|though|tho|lol|haha|thanks|thx|already|by the way|for (?:the record|some "
    r"reason|good|years?|now)|ever|when|while|which|who|where|if|unless|until|after|before|just so|ok|okay|like you|"
    r"starting|this (?:fall|year|month|term)|then|again|everyone|nobody|for (?:me|us)|in (?:my|the) (?:profile|sys"
    r"tem)|"
    r"always|not)"
)
END = rf"(?=\s*(?:[,;!?\n)]|\.(?:\s|$)|$|\s[–—-]+\s)|\s{STOP}\b)"
SEP = r"(?:\s*[,;:.!…–—-]+\s*|\s+)"
KIN = (
    r"(?:mom|mum|mother|dad|father|wife|husband|partner|sister|brother|son|daughter|kid|child|niece|nephew|aunt|un"
    r"cle|"
    r"cousin|ex|roommate|flatmate|neighbou?r|boss|friend|colleague|coworker|girlfriend|boyfriend|fianc[eé]e?|grandma|"
    r"grandpa|grandmother|grandfather|in-?laws?|mother-in-law|father-in-law|twin|teacher|dog|cat|family|parents?|t"
    r"eam)"
)
MY = r"(?:my|our|his|her|their|the)"
IT = rf"(?:it|that|this|he|she|they|i|we|mine|{MY} [\w-]+(?: [\w'-]+){{0,3}}?|[A-Z]\w+)"
IS = r"(?:\s?['’]?(?:s|re|m)\b| is| are| am| was| were| means?| goes by| should be)"
ISNT = (
    r"(?: (?:isn'?t|aren'?t|wasn'?t|weren'?t|ain'?t)\b|\s?(?:'s|'re|'m| is| are| am| was| were) (?:not|no longer|n"
    r"ever)\b)"
)
DO = (
    r"(?:take|takes|go(?:es)? to|go by|use|uses|drive|drives|drink|drinks|eat|eats|have|has|play|plays|read|reads|"
    r"watch|"
    r"watche?s?|listen to|work (?:at|for|in)|work|works (?:at|for|in)|live in|live at|lives? (?:in|at)|shop at|ban"
    r"k with|"
    r"train at|wear|wears|order|get|gets|prefer|prefers|like|likes|love|loves|see|sees|go with|do|does|own|owns|buy|"
    r"support|follow|want|need|enjoy|stay at|smoke|attend|attends|play)"
)
DOING = (
    r"(?:taking|going to|using|driving|drinking|eating|having|playing|reading|watching|listening to|working (?:at|"
    r"for|in|"
    r"as)|working|living (?:in|at)|shopping at|wearing|ordering|getting|seeing|doing|buying|supporting|following|s"
    r"moking|"
    r"staying at|attending|learning|studying|training for|on|with|at|in|into|onto|all about)"
)
JUST = r"(?:(?:just|recently|finally|actually|since|already|now|also|really|officially|even) )*"
HAVE = r"(?:'ve|'s| have| has)?"
WHO = rf"\b(?:i|we|{MY} (?!boss|neighbou?r|friend|colleague|coworker|company|landlord|teacher)[\w-]+)"
ME = r"\b(?:i|we)"
HELD = (
    r"(?:have|had|got|put|wrote|noted|saved|said|say|called|call|listed|filed|stored|think|thought|keep (?:saying|"
    r"calling|writing|"
    r"playing|sending|buying|suggesting|giving|recommending|putting|using|booking|ordering|adding|thinking)|kept)"
)
YOU = r"\b(?:you|u|ya)(?:'ve|'re)?(?: (?:still|always|keep|must|also|probably|even))*"
AS = (
    r"(?: (?:me|us|him|her|it|them|that|this))?(?: (?:down|saved|listed|set|marked|noted|stored|on file))?(?: (?:a"
    r"s|at|in|under|for|is|was|i'm|i am|it's|it was|he's|she's|to|with|on|that))*"
)
NOTE = (
    r"(?:keep|kept|telling|said|say|tell|told|think|thinking|pinned|put|blam(?:e|ed|ing)|set|booked|ordered|sent|got|"
    r"have|had|wrote|noted|saved|called|call|dropped|missed|left (?:out|off)|added)"
)
MARK = (
    r"(?:(?:no|nope|nah|wrong(?: \w+)?|incorrect|actually|correction|hang on|hold on|wait|oops|sorry|"
    r"ugh|that's (?:wrong|old|not it|not right|outdated)|not quite|since when|(?:you're|ur) (?:wrong|a \w+ behind|"
    r"out of date|"
    r"confused|mixed up)|you(?:'ve)? (?:got|have) (?:the wrong|it wrong|that wrong)[^,;.!?\n]{0,20}|[^,;.!?\n]"
    r"{0,40} (?:is|are) "
    r"(?:wrong|bad|old|outdated|out of date|incorrect|off|ancient|dead|stale|[\w ]{2,12} old))(?:,? (?:no|nope|dud"
    r"e|man|honey|wait|sorry))*)"
)
SHORT = r"[\w:.'$€£%@/-]+(?: [\w:.'$%@/-]+){0,3}?"
FIX = r"(?:change|switch|update|set|move|correct|fix|edit|amend|put|make|turn|adjust|bump|drop|raise|lower|swap)"
RECORD = (
    r"(?:address|number|phone|email|e-mail|name|birthday|birth ?date|date of birth|age|weight|height|size|budget|g"
    r"oal|"
    r"limit|target|default|setting|preference|profile|reminder|alarm|time|contact|job|title|employer|school|language|"
    r"units?|currency|time ?zone|allergy|allergies|diet|home|work|office|route|commute|seat|card|payment|plan|temp"
    r"erature|"
    r"pickup|drop-?off|appointment|bedtime|nickname|pronouns?|account|list|info|details?|record|file|notes?|doctor"
    r"|dentist"
    r"|vet|pharmacy|gym|car|plate|thing|entry|one)s?"
)
IDLE = re.compile(
    r"\bit'?s not the [\w ]+, it'?s the\b|^\W*they (?:no longer|changed|don't|moved)\b|\bgoes ['\"]|\b(?:if|suppos"
    r"e|imagine|what if|whether|pretend|unless|wish|would it|might|maybe|perhaps|translate|quote|lyrics?|"
    r"movie|film|novel|story|character|episode|poem|apology|essay|in spanish|in french|in german|how do you say|wh"
    r"at do "
    r"you call|people (?:used|say|don't)|nobody goes|everyone|guess who|did you know|(?:the|a) (?:sign|label|menu|"
    r"poster) says|either)\b"
    r"|\b(?:he|she|mom|mum|dad|they|boss|teacher|guy|sister|brother|friend|wife|husband|neighbou?r|someone|people|"
    r"everybody)"
    r" (?:just )?(?:said|says|told|thinks|claims|wrote|asked|texted|insists|reckons|swears)\b|\bmy (?:boss|neighbo"
    r"u?r|"
    r"landlord|company|colleague|coworker|friend|roommate|teacher)(?: \w+){0,2}? (?:switched|changed|moved|quit|st"
    r"opped|no longer|left|used to)\b",
    re.IGNORECASE,
)
IDLE_FIRM = re.compile(
    r"\b(?:if|suppose|imagine|pretend|translate|how do you say|in spanish|movie|story|lyrics)\b", re.I
)
MOMENTARY = re.compile(
    r"\b(?:today|tonight|tomorrow|this (?:time|once|one|order|trip|morning|afternoon|evening|weekend)|right now|ju"
    r"st now|"
    r"for now|at the moment|for once|for a change|yet|let's)\b",
    re.IGNORECASE,
)
LASTING = re.compile(
    r"\b(?:from (?:now|here|today) on|from now|always|never|for good|by default|going forward|in future|any ?more|no "
    r"longer|every|these days)\b",
    re.IGNORECASE,
)
EMPTY_OLD = re.compile(
    r"(?:$|(?:bad|really|sure|only|yet|again|gonna|going|much|too|necessarily|everything|so|just|quite|exactly|the"
    r" (?:point|"
    r"worst|best|first|only|money|time|size|price|heat|distance|biggest|kind|type|same|end|one|thing|problem)|you|"
    r"me|i|i'm|he|she|"
    r"we|they|it|that|this|there|here|to|every|everyone|even|if|when|because|always|all|long|many|until|till|about"
    r"|looking|being|"
    r"having|feeling|doing|what|why|how|who|any|anything|one of|ready|good|great|fun|easy|ideal|perfect|true|right"
    r"|working|like|very|"
    r"super|particularly|especially|mad|angry|asleep|done|open|home|worth|fair|funny|my (?:fault|problem|thing|tur"
    r"n|day)|less|more|money|principle|point|distance|moved|worst|best|biggest|earlier|before|yesterday|rather|eit"
    r"her|both|there yet|a cloud|asking|"
    r"some|something|nothing|a (?:lot|problem|big|bad|chance|good|cloud)|neither|joking|kidding|allowed|far|close|"
    r"enough|"
    r"coming|raining|hungry|interested|rush|worries|problem|trust|care|know|think|want|wait|need|mind|gluten-?free"
    r" than|it's|its)\b)",
    re.IGNORECASE,
)
EMPTY_NEW = re.compile(
    r"(?:$|(?:thanks?|later|but|and|maybe|yet|please|still|though|just|because|so|me\b|you|i\b|i'm|i've|he|she|we|"
    r"they|that|it's|it|"
    r"sorry|ok|okay|right|really|to be|to|which|who|what|is|isn't|are|was|then|too|also|even|as|or|not|no|going|go"
    r"od|great|fine|ready|here|"
    r"there|done|like|very|better|bad|nice|how|why|when|where|this|the (?:same|other|problem|point)|more|less|a (?"
    r":bit|lot|while|good|problem)|"
    r"my (?:dear|man)|gone|trying|having|getting|looking|can|could|will|would|don't|let's|go|see|never|always|dead"
    r"|over|out|in a|do|does|did|principle|thank|about|both|turns out|trying|moved|changed|closed|retired|left|wro"
    r"ng|old|tbh|spot|anything|something|nothing)\b)",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"^(?:(?:the|an?|my|our|his|her|their|your|in|at|on|with|by|to|for|as|is|are|was|be|it's|its|just|only|actuall"
    r"y|really|now|called|"
    r"named|of|into|from|me|some|any) )+",
    re.IGNORECASE,
)
TAIL = re.compile(
    r"(?:[ ,]+(?:please|pls|now|instead|these days|nowadays|thanks|thx|actually|btw|lol|haha|though|tho|already|ag"
    r"ain|anymore|any more|"
    r"any longer|for me|for us|too|then|thing|ok|okay|ages ago|a while ago|last (?:year|month|week|spring|summer|f"
    r"all|winter)))+$",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"^\W*(?:(?:so|and|but|ok|hey|hm+)[, ]+)?(?:do|does|did|is|are|am|was|were|should|would|will|shall|has|have (?"
    r":i|you|we)|isn't|aren't|"
    r"why|how|what|where|when|which|who)\b(?! you keep| you still| told| said)",
    re.IGNORECASE,
)
UNDER_WAY = (
    r"(?:on|in|at|off to|out at) (?:my |the |a |an )?(?:way|bus|train|tram|tube|metro|subway|plane|ferry|car|taxi|cab|"
    r"road|street|phone|line|hold|holiday|vacation|break|call|meeting|work|home|school|bed|office|gym|shop|store|airport|"
    r"station|hospital|class|town|queue|traffic|rush|hurry)\b"
)
"""Where one is at the moment: "on my way home now" puts nothing right."""
