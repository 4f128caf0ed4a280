"""How people who speak English put right at all: what is right, what is over, what never was so."""

from snapshots.extraction.corrections_frames import Grammar, frame
from snapshots.extraction.corrections_phrases_en import (
    ASKS,
    DO,
    DOING,
    EMPTY_NEW,
    EMPTY_OLD,
    END,
    HAVE,
    HEAD,
    IDLE,
    IDLE_FIRM,
    JUST,
    KIN,
    LASTING,
    MARK,
    ME,
    MOMENTARY,
    MY,
    NEW,
    OLD,
    RECORD,
    TAIL,
    UNDER_WAY,
    WORDS,
    YOU,
)
from snapshots.extraction.corrections_swaps_en import SWAPS

FRAMES = (
    *SWAPS,
    # This is right, whatever was held.
    *frame(
        "stands",
        "no|actually|wrong|correction|hang on|hold on|wait|oops|sorry|hey|hm|look|listen|ugh|that's|since when|you"
        "| is | are ",
        rf"(?:^|[.!?] )(?:(?:hm+|um+|hey|mate|oh|well|look|ugh|nah|er+|honey|dude)[, ]+)?{MARK}[,.!;: –—-]+(?P<who"
        rf">it|its|ours|mine|{MY} [\w' ]{{2,30}}?|he|she|i|we|[A-Z]\w+)(?:'s|s|'m|'re| is| are| am|(?<=its))(?: (?"
        rf":now|actually|called|at|in|on|with|really))* (?P<new>{WORDS})(?: now)?{END}",
        telling=True,
    ),
    *frame(
        "stands",
        "now|these days|nowadays|lately|anymore|currently|changed",
        rf"\b(?:{MY} [\w' -]{{2,40}}?|it|i|we|he|she|they|there)(?:'s|'m|'re| is| are| am| has| have|'ve got| goes"
        rf" by| go by| got) (?:now )?(?!{UNDER_WAY})"
        r"(?:an? |the |up to |down to |at |in |on |with )?(?P<new>(?!(?:so|very|too|her"
        r"e|there|ready|good|fine|ok|done|going|what|open|closed|gone|home|on my way|late|tired|bored|hungry|rain"
        rf"ing|a bit|really|getting|time)\b){WORDS})(?: now| these days| nowadays| currently)(?=\s*(?:[,;.!\n]|$))",
        rf"{ME} (?:{DO}) {NEW}(?: now| these days| nowadays)(?=\s*(?:[,;.!\n]|$))",
        rf"\b{MY} [\w' -]{{2,30}}?(?: has|'s)? changed\s*[,;:.–—-]+\s*(?:it's |its |it is |now |to )*{NEW}{END}",
    ),
    *frame(
        "stands",
        "been moved|been transferred|been switched|been assigned|switched|changed |turned|gone up|went up|bumped|r"
        "aised|dropped to|down to|up to|moved to|moved into|switched to|changed to|converted to|upgraded|transferr"
        "ed|got a new|bought a|promoted|became|started|relocated|joined|changed|pushed",
        rf"\b(?:i|he|she|we|they|{MY} (?:\w+ )?(?:son|daughter|kid|child|baby|boy|girl|toddler|youngest|oldest|eld"
        rf"est|niece|nephew|twins?)){HAVE} {JUST}turned (?P<new>\d+)\b",
        rf"\b{MY} [\w' -]{{2,30}}?{HAVE} {JUST}(?:gone (?:up|down) to|went (?:up|down) to|been (?:moved|changed|ra"
        r"ised|bumped(?: up)?|lowered|pushed) to|changed to|dropped to|moved to|switched to|is (?:up|down) to) "
        rf"{NEW}{END}",
        rf"{ME}{HAVE} {JUST}(?:switched|changed|moved|converted|upgraded|transferred|relocated|shifted|gone|went b"
        r"ack)(?: (?:over|gyms|jobs|schools|banks|phones|cars|providers|carriers|doctors|dentists|plans|apartment"
        rf"s|houses|back))?(?: to| onto| into)\s+{NEW}{END}",
        rf"{ME}{HAVE} {JUST}(?:switched|changed) (?:gyms|jobs|schools|banks|phones|cars|providers|carriers|doctors"
        rf"|dentists|plans|shampoos?|vets?|brands?)\s*[,;.–—-]+\s*(?:now |so )*{ME}(?:'m| am)? ?(?:now )?(?:{DO}|"
        rf"{DOING}|go to|at|with)? {NEW}{END}",
        rf"{ME}{HAVE} {JUST}been (?:moved|transferred|switched|assigned) (?:over )?to {NEW}{END}",
    ),
    *frame(
        "new",
        "meant|correct that|correction|quick fix|make that|make it|scratch that|typo|i mean|wait",
        r"\b(?:i meant|i mean|correction|scratch that|typo|misspoke|wait no|no wait|oops|my bad|let me correct th"
        r"at|quick fix|quick correction|small correction)[,:;.!–— -]+(?:it's |its |that's |make (?:it|that) |to s"
        rf"ay |he |she |it |i meant |should be )*(?P<new>(?!to\b|that\b|it\b)[^,;.!?\n]{{1,40}}?){END}",
        rf"\bmake (?:that|it) (?:a |an )?(?P<new>\d[\w:.% -]{{0,20}}?){END}",
    ),
    *frame(
        "stands",
        " with|should be|should say|should read|supposed to be|correct|spelled|spelt|right one",
        rf"\b(?:it|that|this|{MY} [\w' -]{{2,25}}?) (?:should|ought to) (?:be|say|read|have been|have said) {NEW}"
        rf"{END}",
        rf"\b(?:the )?(?:correct|right|real|actual|proper) (?:\w+ )?(?:is|one is|one's|would be) {NEW}{END}",
        r"(?:\b(?:is|it's|that's|name's|i'm) |[-–—:,] ?)(?P<new>(?-i:[A-Z])\w+),? with(?:out)? (?:an?|the|two|one|"
        r"no) (?:double )?['\"]?\w{1,2}\b",
        rf"\b(?:is|it's|that's|name's) (?:actually )?(?:spelled|spelt|pronounced|written) (?:as )?{NEW}{END}",
    ),
    *frame(
        "stands",
        "change|switch|update|set|move|correct|fix|edit|put me|put us|call me|make my|note that|from now on|going "
        "forward|by default|from here on|in future|default",
        rf"\b(?:do|use|get|order|buy|play|take|want|have|make it|set [^,;.!?\n]{{2,20}}? to) (?:the |my )?{NEW},? "
        r"(?:from now on|going forward|from here on(?: out)?)",
        rf"\b(?:change|switch|update|set|correct|fix|edit|amend|bump|raise|lower|move) {MY} (?:[\w'-]+ ){{0,3}}?"
        rf"{RECORD}(?: \w+)? (?:over |back |up |down )?(?:to|as|at|into) {NEW}{END}",
        rf"\b(?:put|mark|list|save|note|record) (?:me|us|him|her|it|that|{MY} \w+) (?:down )?as (?:an? )?{NEW}{END}",
        rf"\bcall me {NEW} (?:from now on|instead|now)(?=\s*[,.!]|$)",
        r"\b(?:from (?:now|here) on|going forward|in future|in the future|by default|as of now)(?: out)?,? (?:ple"
        r"ase |just |can you |could you |i want |i'd like |i'll (?:have|take|use) |give me |use |make it |it's |s"
        rf"end |only |always |set )*(?P<new>[^,;.!?\n]{{2,40}}?){END}",
    ),
    # It is over.
    *frame(
        "over",
        "anymore|any more|any longer|no longer|n't |not been|longer|been off|used to",
        rf"{ME} (?:(?:really|actually|just|even) )*(?:don't|do not|dont|doesn't|does not|can't|cannot|won't|never)"
        rf" (?:{DO}|even \w+|\w+ (?:to|at|in|with)) {OLD}(?: at all)? (?:any ?more|any longer)\b",
        rf"\b(?:i|we|{MY} [\w' -]{{2,25}}?|he|she)(?:'m|'re|'s| am| are| is)(?:n't| not) (?:really )?(?:an? |at |i"
        rf"n |on |with |into |the )*{OLD} (?:any ?more|any longer)\b",
        rf"{ME}(?:'m|'re| am| are)? no longer (?:(?:{DO}|{DOING}|an?|the|care about) )*{OLD}{END}",
        r"\bi(?:'m| am) (?:an? |the )?(?P<old>[^,;.!?\n]{2,30}?) no longer\b",
        rf"{ME}{HAVE} been off (?:the )?{OLD} (?:for|since)\b",
        rf"{ME} used to (?:{DO} |be |go )?(?:the |an? )?(?P<old>[^,;.!?\n]{{2,30}}?)\s*[,;.–—-]+ .{{0,60}}\b(?:now"
        r"|these days|nowadays|any ?more|instead)\b",
        rf"{ME}{HAVE}(?:n't| not) (?:been|had|eaten|drunk|driven|used|worn|touched|played|lived in|worked at|gone "
        rf"to) (?:an? |the |in |at )?{OLD} (?:since|in (?:years|ages|months)|for (?:years|ages|months))\b",
    ),
    *frame(
        "over",
        "stopped|quit|gave up|given up|got rid|sold|cancel|gone off|went off|grew out|outgrown|outgrew|done with|b"
        "roke up|divorced|moved out|retired|ditched|dropped|passed away|closed|left",
        rf"{ME}{HAVE} {JUST}(?:stopped|quit|given up|gave up|gone off|went off|grown out of|grew out of|outgrown|o"
        r"utgrew|got rid of|sold|cancell?ed|ditched|dropped|moved out of|broke up with|divorced|returned) (?!(?:t"
        rf"o|by|at the|for)\b)(?:{DOING} )?(?:the |my |our )?{OLD}{END}",
        rf"\b(?:he|she|they|{MY} (?:son|daughter|kid|wife|husband|\w+ dog|dog|cat)){HAVE} {JUST}(?:grown out of|ou"
        rf"tgrown|outgrew|grew out of|stopped|given up|gave up) (?:{DOING} )?{OLD}{END}",
        r"\bi'm (?:so )?(?:over|done with|off|through with) (?!(?:it|this|here|there|you|work)\b)(?:the |all the "
        rf")?{OLD}(?: thing)?{END}",
    ),
    # It never was so.
    *frame(
        "over",
        "who told you|who said|since when|where did you|where do you|why do you|what makes you|joke|joking|kidding"
        "|sarcas|you |ya |u |never |didn't|did not|don't|dont",
        rf"{YOU} keep (?!(?:me|it|us|up|in|on|going|surprising|making me|cracking)\b)\w+ing (?:(?:me|us|my|our|him"
        r"|her|it|that)\b)?(?: (?:on|to|as|in|with|for|about|at))* ?(?:the |an? |my )?(?P<old>[^,;.!?\n]{2,30}?"
        rf"){END}",
        r"\b(?:who (?:told you|said)|since when (?:am|do|did|are|is)|where(?:'d| did| do) you (?:get|hear)(?: the"
        r" idea)?|why (?:do|did|would) you (?:think|say|keep|have)|what makes you think)(?: that| the)? (?:i|we|i"
        rf"t|me|i'm|we're|my)?(?:'m|'ve| am| was| have| like| is| had| wanted)? ?(?:an? |the )?{OLD}(?=\s*[,;?!.\n"
        r"]|$)",
        rf"{ME}(?:'ve| have)? never (?:ever )?(?:said|told you|mentioned|asked for|wanted|liked|owned|had|been|ord"
        r"ered|lived in|worked (?:at|for)|eaten|tried)(?: (?:that|i was|i liked|i wanted|i had|i'm))? ?(?:to |an?"
        rf" |in |at |any )?{OLD}{END}",
        rf"{ME} (?:didn't|did not|don't|do not|dont) (?:even |actually |really )?(?:have|own|like|collect|eat|drin"
        r"k|drive|smoke|collect|play|watch|speak|wear|use) (?:an? |any |the )?(?P<old>(?!(?:time|to|much|enough|i"
        r"t|that|a clue|any idea|the|this|one)\b)[^,;.!?\n]{2,30}?)\s*[,;.!–—-]+\s*(?:that (?:was|is|'s)|that's"
        r"|it was|it's|who|where|stop|please|no idea|never|i never|so stop|don't)",
        r"(?:^|[.,!] ?)(?:no+,? )?never (?:been (?:to|in)|had|said|owned|liked|lived in|worked (?:at|for)|tried|e"
        rf"aten|asked for|wanted) (?:an? |the |any |that )?{OLD}{END}",
        firm=True,
    ),
    *frame(
        "over",
        "delete|remove|forget|erase|drop|take off|take out|get rid|stop |don't|do not|wipe|clear|unsubscribe",
        r"\b(?:delete|remove|erase|wipe|forget|drop|scrap|take (?:off|out|down)|get rid of|clear) (?:about )?(?:th"
        r"e|my|that|what i said about|her|his|our) (?:whole )?(?P<old>(?!(?:last|song|app|photo|email|message|file"
        r"|tab|timer|alarm|rest|item)\b)[^,;.!?\n]{2,35}?)(?: (?:thing|bit|part|entry|note|one|stuff|from (?:my|th"
        r"e|your) .{2,20}?))*(?=\s*[,;.!\n]|$)(?=.*(?:thing|note|joke|profile|entry|memory|allerg|preference|outgr"
        r"ew|wrong|not (?:true|mine|me)|don't|never|no longer|any ?more|old|moved|list of|isn't))",
        r"\b(?:please |just |so |and )?(?:stop|quit|don't (?:keep|ever)) (?:saying|suggesting|recommending|sending"
        r"|showing|playing|ordering|giving|adding|booking|using|putting|mentioning|bringing up|reminding)(?: me| u"
        r"s)?(?: of| about| with)? (?:any |the |all )?(?P<old>[^,;.!?\n]{2,35}?)(?: (?:suggestions?|recipes?|ads|a"
        r"ny ?more|stuff|all the time|every .{1,10}))*(?=\s*[,;.!\n]|$| (?:i|we|it)\b)",
    ),
    # It is someone else's, or simply wrong.
    *frame(
        "over",
        "'m not the|that's|that is|that was|those are|it's|its|thats|is my|are my|was my|that belongs|not mine|not"
        " me|isn't mine|not my|the one who|who ",
        r"\bi'm not the (?P<old>[^,;.!?\n]{2,30}?) (?:one|person|guy)\b",
        r"\b(?:that|those|this|thats|you're thinking of|(?:it|this)(?=.{0,50}\b(?:not|wrong|don't|doesn't)\b))("
        rf"?:'s|s| is| was| are| were)? (?:actually |really )?(?P<old>(?:my|our|his|her|the) (?:\w+ )?{KIN}(?:'s|s"
        r"'|s)(?: (?:old |new )?[\w-]+){0,3}?)(?=\s*[,;.!\n]|$| (?:you|not|that|u|i)\b)(?!\s*,?\s*(?:right|is i"
        r"t|isn't it|can|could))(?!,? (?:so|turn|and we|on))",
        rf"\b(?:that|it|this)(?:'s| is| was) (?:actually )?(?P<old>(?:my|our|his|her) (?:\w+ )?{KIN}),? (?:who|tha"
        r"t|not me|you(?:'re| are) (?:thinking|talking)|i )",
        rf"\b(?P<old>(?:my|our) (?:\w+ )?{KIN}(?:'s)?(?: [\w' -]{{1,30}}?)?),? not (?:me|mine|i)\b",
        r"\b(?:the |that |this )(?P<old>[^,;.!?\n]{2,30}?) (?:isn't|aren't|wasn't|is not|are not) (?:mine|me|ours|"
        r"for me)\b",
        r"\b(?:it(?:'s| is| was)|that(?:'s| is| was)) (?:me|my \w+|[A-Z]\w+) (?:who|that) (?:likes?|has|have|is|lo"
        r"ves?|hates?|wants?|eats?|does|plays|can't|needs?|listened to|lives?) (?P<old>[^,;.!?\n]{2,30}?)\s*[,;.]+"
        r"\s*(?:not|[A-Z]\w+ (?:hates?|doesn't|does not|isn't|likes))",
        rf"\b(?:mine's|mine is|mine) (?:in |on |at |the )?(?P<old>[^,;.!?\n]{{2,30}}?){END}(?<=.{{3}})",
    ),
    *frame(
        "over",
        "wrong|incorrect|outdated|out of date|old |mixed up|mix up|mixing|mixed|confus|mistake|not true|not right|"
        "isn't right|not correct|backwards|made up|years old|not accurate|inaccurate|false|off by|misheard|misspel"
        "l|not what i said|never happened",
        r"\b(?P<old>that|this|it|you|(?:that|this|the|my|your) [\w' ]{2,25}?)(?:'s|s|'re|'ve|'ve got| is| are| was"
        r"| were| have| got| had)?(?: (?:my|the|it|his|her|that|me|us|totally|completely|just|a|an|all|now|way|yea"
        r"rs?|\d+|two|three|four|five|really|actually|it all|this))* (?:name|address|number|age|birthday|date|pers"
        r"on|kid|order|dates?|email|size|info)? ?(?:wrong|incorrect|outdated|out of date|inaccurate|not true|not r"
        r"ight|not correct|isn't right|isn't true|isn't correct|years? old|months old|mixed up|backwards|mistaken|"
        r"off by \w+|false|confused|misspelled)\b(?! with| about)(?!.{0,10}\?)",
        r"^(?:no+[,.!]? )?(?P<old>wrong (?!way|side|turn|with)\w+)\b(?!\?|,? (?:sorry|my bad))",
        r"\byou(?:'ve| have|'re| must have)? (?:got )?(?:mixed up|mixing up|mixed|mixing|confused|confusing|mista"
        rf"ken) (?P<old>[^,;.!?\n]{{2,30}}?){END}",
        r"\b(?:the|my) old (?P<old>\w+) (?:doesn't work|is dead|is gone|got disconnected|isn't|is no)\b",
    ),
)
GRAMMAR = Grammar(FRAMES, IDLE, IDLE_FIRM, MOMENTARY, LASTING, EMPTY_OLD, EMPTY_NEW, HEAD, TAIL, ASKS)
