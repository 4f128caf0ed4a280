"""Words of limits in English: amounts, hours and days, what is meant for good and what for the moment."""

import re

NUMBER = (
    r"(?:an? (?:hundred|thousand|dozen)|half an?|one and a half|(?:one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|fifteen|"
    r"twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine|"
    r"hundred|thousand|grand))*)"
)
UNIT = (
    r"(?:dollars?|euros?|pounds?|quid|bucks?|yuan|rmb|usd|eur|gbp|hkd|nt|k\b|grand|percent|%|degrees?|minutes?|"
    r"mins?|min\b|hours?|hrs?|h\b|"
    r"days?|weeks?|months?|nights?|km|kilomet(?:er|re)s?|kms|miles?|mi\b|mph|km/h|kph|kg|kilos?|grams?|g\b|mg\b|"
    r"calories|kcal|cups?|people|guests|times|"
    r"flights?|stops?|layovers?|transfers?|changes?|drinks?|spoons?|sugars?|coffees?|beers?|pints?|glasses|blocks|"
    r"metres|meters|feet|stories|episodes?|"
    r"a night|per night|a week|a month|a day|each|pm\b|am\b|p\.m\.|a\.m\.)"
)
AMOUNT = (
    rf"(?P<v>(?:about |around |like |roughly )?(?:[$€£¥]\s?\d[\d,.]*k?|(?:\d[\d,.]*\d?k?|{NUMBER})(?:[ "
    rf"-]?(?:{UNIT}))?)(?: (?:{UNIT}))?"
    r"(?:(?: an?| per|/| each| every) ?(?:night|day|week|month|person|head|year|hour|meal|trip|kilo|bottle|pop|kid|"
    r"shift|session))?)"
)
CLOCK = (
    rf"(?:(?:about |around |like )?\d{{1,2}}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?\b)?|noon|midday|midnight|dark|sunset|"
    r"sunrise|lunch(?:time)?|dinner(?: ?time)?|breakfast|bed ?time|"
    rf"school (?:pick ?up|drop ?off)|naptime|nap time|{NUMBER})(?: o'clock)?(?: ?(?:in the|at) (?:morning|evening|"
    r"night|afternoon))?(?: on \w+days?)?"
)
WHEN = (
    rf"(?P<v>(?:before|after|until|till|past|later than|earlier than|between|during|from) {CLOCK}(?:(?: and| to|-|"
    rf" - |,) ?{CLOCK})?)"
)
DAYS = (
    r"(?:(?:on |at |in |over )?(?:the )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?|"
    r"mornings?|evenings?|nights?|school nights)(?: (?:mornings?|evenings?|nights?|afternoons?))?)"
)
FOR_GOOD = re.compile(
    r"\b(?:ever|never|always|any ?more|from now on|for me|for us|for my|for the kids|in my|in our|at all|please|"
    r"pls|plz|strictly|absolutely|"
    r"whatsoever|period|full stop|under any|no exceptions|non[- ]?negotiable|hard (?:no|limit|rule|stop|cap|pass)|"
    r"rule|as a rule|my limit|"
    r"because|cause|since|allerg\w+|medical|doctor|doc|religio\w+|anywhere|anything|nothing|regardless|no matter|"
    r"every|whenever|"
    r"permanently|going forward|in future|remember|note|budget|intoleran\w+|default)\b|\bI(?:'m| am| have|'ve| get|"
    r" can'?t| don'?t| need)\b",
    re.IGNORECASE,
)
MOMENT = re.compile(
    r"\b(?:right now|for now|today|tonight|tomorrow|this (?:time|once|one|order|trip|morning|week)|next (?:week|"
    r"time|month)|yet|later|just kidding|in a minute|left(?! \w)|"
    r"wrong|forget|worry|know|think|believe|hear|see|remember|understand|mind|care|find|wait|tell|sure|idea|need "
    r"to|rush|hurry|problem|way|longer|one|doubt|"
    r"matter|use|point|wonder|thanks|thank you)\b",
    re.IGNORECASE,
)
NEG = (
    r"(?:don'?t|do not|never(?: ever)?|dont ever|don'?t ever|do not ever|please don'?t|pls don'?t|can'?t|cannot|"
    r"won'?t|will not|refuse to|must not|mustn'?t|shouldn'?t|should not|not allowed to|not supposed to|am not to|"
    r"not able to|unable to|not to|avoid|no longer)"
)
ACT = (
    r"(?:eat(?:ing)?|drink(?:ing)?|(?<=can't )have|(?<=cant )have|(?<=cannot )have|(?<=never )have|(?<=won't )have|"
    r"touch(?:ing)?|do(?:ing)?|wear(?:ing)?|us(?:e|ing)|tak(?:e|ing)|driv(?:e|ing)(?: on| through| over| via)?|"
    r"rid(?:e|ing)|fly(?:ing)?(?: with| on)?|stay(?:ing)?(?: in| at)?|"
    r"sleep(?:ing)?(?: in| on)?|sit(?:ting)?(?: in| at| by)?|buy(?:ing)?|watch(?:ing)?|listen(?:ing)? to|"
    r"go(?:ing)?(?: to| on| near| in| over| through| via| anywhere| anywhere near| up| down)?|eat at|"
    r"shop(?:ping)?(?: at| on)?|travel(?:ling)?(?: on| by| with)?|walk(?:ing)?(?: through| up| on)?|"
    r"work(?:ing)?|carry(?:ing)?|lift(?:ing)?|climb(?:ing)?|cook(?:ing)?(?: with)?|order(?:ing)?(?: from)?|"
    r"book(?:ing)?|smok(?:e|ing)|swim(?:ming)? in|pay(?:ing)?(?: for)?|tolerate|handle|manage|swallow|"
    r"park(?:ing)?(?: on| in)?|keep|answer(?:ing)?|accept|cross)"
)
TELL = (
    r"(?:play(?:ing)?|put(?:ting)?(?: on)?|book(?:ing)?|suggest(?:ing)?|recommend(?:ing)?|show(?:ing)?|"
    r"send(?:ing)?|order(?:ing)?|add(?:ing)?|giv(?:e|ing)|rout(?:e|ing)|tak(?:e|ing)|us(?:e|ing)|schedul(?:e|ing)|"
    r"buy(?:ing)?|seat(?:ing)?|"
    r"pick(?:ing)?|choos(?:e|ing)|serv(?:e|ing)|call(?:ing)?|text(?:ing)?|messag(?:e|ing)|email(?:ing)?|"
    r"read(?:ing)?(?: out)?|mention(?:ing)?|shar(?:e|ing)|stor(?:e|ing)|sav(?:e|ing)|ask(?:ing)?|bring(?:ing)? up|"
    r"includ(?:e|ing)|stick(?:ing)?|"
    r"plan(?:ning)?|spend(?:ing)?|driv(?:e|ing)|let(?:ting)?|turn(?:ing)? on|set(?:ting)?|open(?:ing)?|announc(?:e|"
    r"ing)|cook(?:ing)?|pack(?:ing)?|accept(?:ing)?|talk(?:ing)? (?:to me )?about|bother(?:ing)?|disturb(?:ing)?|"
    r"ring(?:ing)?|wak(?:e|ing)|notify(?:ing)?)"
)
