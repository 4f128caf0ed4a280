"""This, not that, in English: frames that name both what is wrong and what is right."""

from snapshots.extraction.corrections_frames import frame
from snapshots.extraction.corrections_phrases_en import (
    AS,
    DO,
    DOING,
    END,
    FIX,
    HAVE,
    HELD,
    IS,
    ISNT,
    IT,
    JUST,
    KIN,
    ME,
    MY,
    NEW,
    NOTE,
    OLD,
    SEP,
    SHORT,
    WHO,
    WORDS,
    YOU,
)

TASTES = r"(?:like|love|prefer|enjoy|want|need|favou?r|fancy|hate|dislike)"

SWAPS = (
    *frame(
        "swap",
        " not ",
        rf"{ME}(?:'d| would| do)? (?:really |actually |always |usually |only |much |still )?(?:{TASTES}|{DO}) "
        rf"(?:the |my )?{NEW}"
        rf"\s*[,;–—-]+\s*(?:and |definitely |certainly |really )?not (?:the |my )?{OLD}{END}",
    ),
    *frame(
        "swap",
        "no",
        r"^(?:no+,? ){1,3}(?P<new>[^,;.!?\n]{1,20}?)[.,;] ?(?P<old>[^,;.!?\n]{1,20}?) (?:is|was|are) \w+",
        alike=True,
    ),
    *frame(
        "swap",
        " not ",
        r"^(?P<new>[A-Z0-9][\w:.]*(?: [\w:.'-]+){0,3}),? (?:and )?not (?P<old>[A-Z0-9][\w:.]*(?: [\w:.'-]+){0,3})("
        r"?=[,.!]|$)",
        rf"^(?P<new>[A-Z0-9][\w:.]*(?: [\w:.'-]+){{0,2}})[!.,]+ {IT}{ISNT} (?P<old>[A-Z0-9][\w:.]*(?: [\w:.'-]+){{"
        r"0,3})(?=[,.!]|$)",
    ),
    *frame(
        "swap",
        " is | are |'s ",
        rf"(?:{IS}|{MY} \w+(?:'s| is)) (?:called |named |on |at |in )?(?:the )?{NEW}\s*[,;.–—-]+\s*(?:the )?(?P<ol"
        rf"d>[^,;:.!?\n]{{1,25}}?|Mrs?\. \w+) (?:is|was|are) (?:my|his|her|our|the) (?:\w+ )?{KIN}(?:'s|s'|s)?(?="
        r"\s*(?:[,;.!\n]|$))",
        rf"\b(?:it's|it is|its) {NEW} (?:that )?(?:he|she|i|we|they|my \w+) (?:can't|cannot|shouldn't|doesn't|don'"
        rf"t|hates?|is allergic)[^,;.!?\n]{{0,20}}\s*[,;.–—-]+\s*{OLD} (?:is|are) (?:\w+ )?(?:fine|ok|okay|safe|no"
        r" problem)",
    ),
    # Not this, that.
    *frame(
        "swap",
        "n't|not |no longer|never|aint|isnt|arent|wasnt",
        rf"\b{IT}{ISNT} (?:(?:actually|even|really|called|named) )*{OLD}(?: any ?more| any longer)?(?:\s*[,;.!…–—-"
        r"]+\s*|\s+(?=but\b))"
        rf"(?:but |rather |and |so |now )*(?:{IT}{IS}|{ME} {DO}|it was|call (?:me|him|her)) (?:(?:now|actually|cal"
        rf"led|at|in|on|into) )*{NEW}{END}",
        rf"\b{IT}{ISNT} {OLD}(?: any ?more| any longer)?\s*[,;.!–—-]+\s*(?:but )?(?P<new>[A-Z][\w' -]{{1,30}}?|\d["
        r"\w:.% -]{0,15}?) (?:is|does|has)\b",
        r"(?:^|[.,;!–—-] ?|no+,? )not (?P<old>(?!.{0,60}\b(?:just|only)\b)[^,;.!?\n]{1,40}?)\s*[,;.!–—-]+\s*(?:but"
        r" |it's |its |that's |rather )?(?P<new>[^,;.!?\n]{1,40}?)(?=\s*(?:[,;!\n.]|$))",
        rf"{ME} (?:don't|do not|dont|didn't|never) (?:{DO}|say|mean|said|meant|ask for|order|want) {OLD}(?: any ?m"
        rf"ore)?(?:\s*[,;.!–—-]+\s*)(?:but |and |so |just )?{ME}(?:'m|'ve)? (?:now |only |just )?(?:{DO}|{DOING}|s"
        rf"aid|meant|asked for|ordered|wanted|say|mean) {NEW}{END}",
    ),
    # That, not this.
    *frame(
        "swap",
        " not ",
        rf"\b(?:it|that|this|he|she|they|i|we|{MY} [\w' -]{{1,30}}?){IS} (?:(?:now|actually|called|at|in|on|really"
        rf") )*{NEW}(?:\s*,|\s+now)?\s+(?:and |but )?not (?:at |in |on |to |with )?{OLD}{END}",
        r"\b(?:said|meant|asked for|ordered|wanted|want|need|take|use|have|say|allergic to|make it|put|is|are) (?"
        rf":the )?{NEW},?\s+(?:and |but )?not (?:at |in |on |to |with |for )?{OLD}{END}",
    ),
    *frame(
        "swap",
        "instead of|rather than|as opposed to|in place of|over |than ",
        r"\b(?:is|are|be|starts?|use|using|take|text|call|email|e-?mail|set|make|put|want|prefer|like|give|keep|s"
        rf"end|book|have|it's|that's|it to|to|me|do|at|on|with|starting) (?:me |us |the |it )?{NEW}(?: now)?,? (?:"
        rf"instead of|rather than|as opposed to|in place of) (?:the |at |in |on |my |a )?{OLD}{END}",
        r"\bI(?:'d| would| now| actually) (?:now |actually |much )*(?:rather|prefer)(?: that)? (?:you |the |a )?"
        rf"{NEW} (?:than|over|to) (?:the |a )?{OLD}{END}",
    ),
    *frame(
        "swap",
        " not ",
        rf"\b(?:at|in|on|to|from|with|off|near|for|by|of) (?:the )?(?P<new>{SHORT}),? (?:and )?not (?:at |in |on |"
        rf"to |from |the )?(?P<old>{SHORT}){END}",
        alike=True,
    ),
    *frame(
        "swap",
        "?",
        r"^(?:wait,? |what,? |um+,? )?(?P<old>(?!(?:my|your|what|who|how|why|where|when|the|any|is|are|do|does|ca"
        r"n|did|which|really|and|so)\b)[^,;.!?\n]{2,30}?)\?+!? +(?:no+|nope|nah|wrong|actually|since when\?+|wh"
        r"at\?+|uh|um|dude)?[,. ]*(?:it's|its|i'm|i am|we're|he's|she's|i've (?:only )?got|we've (?:only )?got|i "
        r"have|we have|there's|i|we|my \w+ is|that's|that was)(?: (?:now|in|at|on|actually|moved to|live in|work "
        rf"at|said|meant))* (?P<new>{WORDS})(?: (?:he|she|i|we|they) (?:takes?|does|like|likes|have|has|go(?:es)?|"
        rf"want)| now)?{END}",
        firm=True,
        alike=True,
    ),
    # From this to that.
    *frame(
        "swap",
        "from ",
        rf"{WHO}{HAVE} {JUST}(?:switch|chang|mov|transferr?|convert|shift|go|went|gone|upgrad|migrat|grew|relocat)"
        rf"(?:ed|e|es|d)?(?: \w+){{0,3}}? from {OLD} to {NEW}{END}",
        rf"\b{FIX} {MY} [\w' -]{{2,30}}? (?:over )?from {OLD} (?:in)?to {NEW}{END}",
    ),
    *frame(
        "swap",
        "swapped|traded|replaced|exchanged|ditched|dropped|swap |sold|left|quit|cancel|gave up|stopped|got rid|mov"
        "ed out|moved away|retired|gave away|done with|gone off|went off|sick of|over ",
        rf"{ME}{HAVE} {JUST}(?:swapped|traded(?: in)?|exchanged|replaced) (?:the |my |our )?{OLD} (?:for|with|by) "
        rf"{NEW}{END}",
        rf"{ME}{HAVE} {JUST}(?:moved (?:out of|away from)|left|sold|ditched|dropped|quit|cancell?ed|gave up|got ri"
        rf"d of|gave away|stopped (?:{DOING} )?|traded in) (?:the |my |our )?{OLD}(?: (?:last|this|in|back|ages|a "
        rf"(?:while|year|month)) ?(?:\w+ )?(?:ago)?)?{SEP}(?:and |so |but |now )*(?:(?:it's|{ME}(?:'m|'re|'ve| am|"
        rf" are)?)(?: (?:now|all))*(?: (?:{DOING}|{DO}|in|at|with|on|got|bought|have|moved to|switched to|work(?:i"
        rf"ng)? (?:at|for)))*|now) {NEW}{END}",
        rf"\b(?:i'm|i am|we're|we are) (?:over|off|done with|sick of|through with|past) (?:the )?{OLD}(?: thing)?"
        rf"\s*[,;.–—-]+\s*(?:and |so |but |now )*(?:it's |i'm |we're |back to |now |onto |into |all about )*{NEW}"
        rf"{END}",
        r"\b(?P<new>[A-Z][\w' -]{1,30}?|(?:Dr|Mrs?|Ms)\. \w+) (?:now|we see now|these days)\s*[,;.–—-]+\s*(?:\w"
        rf"+ )?(?:left|quit|retired from|moved on from) (?P<old>[A-Z][\w' -]{{1,30}}?){END}",
    ),
    # It used to be this.
    *frame(
        "swap",
        "used to|before|was |were |previously|once ",
        rf"\bused to (?:be |{DO} |go by |go on about )?(?:the |a |an |in |at |by )?{OLD}\s*(?:[,;.–—-]+\s*|\s+)(?:"
        rf"but |and |though )*(?:now |nowadays |these days |lately |with .{{1,30}}? )?,?\s*(?:it's |(?:{ME}|he|she"
        rf"|they)\b(?:'m|'s|'re|'ve)?(?: am| is)?(?: now| only| just| mostly)* ?(?:{DO} |{DOING} |got |switched to |"
        rf"go by |moved to )*|now (?:it's )?)(?:the |a |an |by )?{NEW}(?: for me)?{END}",
        rf"\b(?:{ME}|it|{MY} [\w ]{{2,25}}?) (?:was|were) (?:in |at |on |a |an |the )?{OLD}(?: (?:before|back then"
        r"|when .{1,25}?|until .{1,20}?|last .{1,10}?))?\s*[,;.–—-]+\s*(?:but )?(?:now )?(?:i'm|we're|it's|"
        rf"he's|she's)(?: (?:now|in|at|on|a|an|the))* {NEW} (?:now|these days|nowadays)\b",
    ),
    # You have it wrong.
    *frame(
        "swap",
        "you |u |ya |who said",
        r"\b(?:who (?:told you|said)|why (?:do|did) you (?:think|say)) (?:that )?(?:i|we|he|she|it)(?:'m|'s|'re| "
        rf"was| am| is| were| like| have)? (?:an? |the |in |at )?{OLD}[?.!,]+ (?:i'm|i am|it's|we're|he's|she's|i)"
        rf" (?:an? |the |in |at )?{NEW}{END}",
        rf"{YOU} {HELD}{AS} (?:the )?{OLD}\s*(?:[,;.!–—-]+\s*|\s+)(?:but |and |so )*(?:(?:it|that|he|she|they|i|we"
        rf"|mine|{MY} [\w ]{{2,20}}?)(?:'s|'m|'re| is| am| are| was)(?: (?:actually|really|now|in|at|on|supposed t"
        rf"o be|meant to be|not))*|{ME} (?:actually |really |now )*(?:{DO}|moved to|said|want|meant)|what i (?:act"
        rf"ually |really )?(?:want|like|said|meant) (?:is|was)|should be|make (?:it|that)) (?:the |a |an )?{NEW}"
        rf"{END}",
        rf"\b(?:it's|it is|i'm|i am|we're|that's|he's|she's|is|are|was|i said|we said|asked for|(?:{ME}) (?:{DO}))"
        rf" (?:actually |really )?(?:an? |the )?{NEW}(?: btw| actually| though)?\s*[,;.–—-]+\s*(?:but |and )?{YOU}"
        rf" {HELD}{AS} (?:the )?{OLD}{END}",
        firm=True,
    ),
    *frame(
        "swap",
        "now|from now on|going forward|from here on|these days|instead",
        r"\b(?:do|use|get|order|buy|play|take|want|have|to|with|make it|go by|call me|on|at|into|it's) (?:the |my"
        rf" )?{NEW},? (?:from now on|going forward|from here on(?: out)?|these days|now|instead)\s*[,;.–—-]+\s*(?:"
        r"please |and |so |cause |because )*(?:(?:drop|forget|lose|scratch|stop using|ditch|not|no more) (?:the |"
        rf"my )?(?P<old>{WORDS}){END}|(?:the |that |those )?(?P<old2>[^,;.!?\n]{{1,25}}?) (?:is|are|was|were|gives"
        r"?|gave|makes?|made|hurts?|got|isn't|doesn't|didn't|wasn't|keeps?|confuses?|don't|upsets?|messes)\b)",
    ),
    *frame(
        "swap",
        "unbearable|awful|terrible|annoying|horrible|too |rubbish|useless|lose|scrap|forget|scratch|drop|ditch|ign"
        "ore|never mind|nevermind|delete|remove|nobody|no one|stop calling",
        r"\b(?:forget|scratch|drop|ditch|ignore|delete|remove|lose) (?:about |the |that |my |what i said about )*"
        rf"{OLD}\s*[,;.–—-]+\s*(?:and |it's |its |use |make it |i'm |we're |take |go with |put |he's |she's |(?:"
        rf"{MY} )?[\w]+(?:'s| is) )+(?:at |on |in |to )?{NEW}{END}",
        rf"\b(?:drop|lose|scrap|forget) (?:the |all the )?{OLD}\s*[,;.–—-]+\s*(?:please |just )?(?:give me|use|sho"
        rf"w me|i want|i'd like|put|do) (?:(?:everything|it|all|them) )?(?:in )?{NEW}{END}",
        r"\b(?:the |that )?(?P<old>[^,;.!?\n]{2,20}?)(?: one)?(?:'s| is| are| was) (?:too \w+|unbearable|awful|"
        r"terrible|annoying|killing me|horrible|no good|rubbish|useless|way too \w+)\s*[,;.–—-]+\s*(?:so |please "
        rf"|and )*(?:i want|i'd like|give me|use|go with|i'd rather have|put|make it|try) (?:the )?{NEW}{END}",
        rf"\bcall me {NEW}\s*[,;.–—-]+\s*(?:nobody|no one|not|only .{{1,20}}?|don't|stop)(?: ever| really)? ?(?:sa"
        rf"ys?|calls? me|uses?|calling me|call me)? {OLD}{END}",
    ),
    *frame(
        "swap",
        "you |u ",
        rf"(?:{IS}|{ME} (?:{DO}|said|want)) (?:on |at |in |the |a )?{NEW}(?: who \w+ [^,;.!?\n]{{1,20}}?)?\s*[,;.–"
        rf"—-]+\s*(?:but |and |why )?(?:do )?{YOU} {NOTE}\w*(?: (?:\w+ing|me|us|it|to|that|down|as|on|in|him|her|s"
        rf"aying|for))* (?:my |the )?{OLD}{END}",
        firm=True,
    ),
    *frame(
        "swap",
        "said|meant|typed|wrote|told you",
        rf"\bi (?:said|typed|wrote|put|told you)(?: it was| i was| i liked)? {OLD}\s*[,;.–—-]*\s*(?:but |and )*(?:"
        rf"i )?(?:meant|mean|it's|should be|should have been|it was supposed to be)(?: to say)? {NEW}{END}",
        r"\bi (?:never|didn't|did not) (?:say|said|ask for|asked for|mention|want|wanted|order)(?: (?:that|i|i'm|"
        rf"we|like|liked|want|wanted|need|it was))* {OLD}\s*[,;.!–—-]+\s*(?:i (?:said|asked for|want|wanted|meant|"
        rf"ordered|like)|it was|it's) {NEW}{END}",
    ),
)
