"""How English speakers respond to an answer. All patterns read lower case; none can backtrack beyond its line."""

import re

_ATTITUDES = """
user like love enjoy prefer want need hate dislik avoid favourit favorit usual alway often sometim never realli would
said say ask told live have use go get one also thing lot much good great year day time make take
"""
_COURTESIES = """
pleas actual real realli simpli again back still sorri ok okay yes
"""
# Stems that say how something is liked or done, not what.
ATTITUDES = frozenset(_ATTITUDES.split())
# Stems that a question may gain when it is asked again.
COURTESIES = frozenset(_COURTESIES.split())
QUESTION_WORD = re.compile(r"\b(?:how (?:much|many|long|far|often|old|late)|what|when|where|who|whose|which|why|how)\b")

REFERS = re.compile(
    r"\b(?:as|like|since|because|given that) you(?:'ve| have|'re| are)? ?(?:\w+ )?(?:mentioned|said|told|asked|noted|"
    r"prefer|like|love|wanted|requested|usual)|\byou (?:\w+ )?(?:mentioned|told me|said)|\bi (?:remember|recall)\b|"
    r"\b(?:as|like) (?:usual|always|last time|before)\b|\byour usual\b|\bfrom (?:what|our) (?:you|last|previous)|"
    r"\bbased on (?:your|what you)"
)

RESTATE = re.compile(
    r"\bi(?:'m| am| was)? (?:(?:only|just|actually|still|specifically) )?ask(?:ed|ing)\b(?! too)|"
    r"\bthat(?:'s| is| was) ?n[o']t (?:really )?(?:what i(?:'m| am| was)? (?:ask|mean|want|need|look)|(?:an?|the) "
    r"answer|my question)|\bnot what i (?:asked|meant|wanted|was asking)|"
    r"\b(?:didn't|did not|haven't|doesn't|does not|don't) (?:really )?(?:answer|address|get my question|help)|"
    r"\b(?:say|ask|repeat|put|try) (?:it|that|this|myself|my question)? ?(?:again|differently|another way|once more)|"
    r"\b(?:let me|i'll|i will) (?:rephrase|repeat|clarify|re-?ask|try again)|\bonce (?:more|again)\b|"
    r"^(?:again|i repeat|to repeat|repeating)\b|\bmy question (?:was|is)\b|\banswer (?:my|the) question|"
    r"\bwhat i (?:meant|asked|wanted|need(?:ed)?|was asking|am asking|want)\b.{0,20}\b(?:was|is)\b|"
    r"\b(?:you )?(?:missed|misunderstood|ignored) (?:the|my|what)|\bmisunderst(?:ood|and)|"
    r"\bi (?:just|only|simply|still) (?:want|need)(?:ed)? to know\b|\bthat's all i (?:need|want|asked)|\b(?:like|a"
    r"s) i (?:just )?(?:said|asked)\b|"
    r"\bthat(?:'s| is) not (?:an?|my|the|what)\b.{0,30}(?:,|\bwhich|\bwhat|\bhow|\bi\b)|\bi (?:said|say|did say)\b"
    r" (?!no\b|that\b)|"
    r"\b(?:the|that) (?:\w+ )?one i (?:meant|said|asked)|\bhow hard is|\bnot helpful|\buseless\b|\btry again\b|\bc"
    r"ool story\b|"
    r"\b(?:that|this|which) (?:tells me nothing|doesn't tell me)|\bstill (?:don't know|haven't told|waiting)|\brea"
    r"d (?:it|my question) again|"
    r"\bdid(?:n't| not) (?:ask|say) (?:for |about )?that\b|\bnobody asked\b|\bso (?:what|which|how|when|where|who)"
    r" (?:is|was|are|do|does) (?:it|the answer)"
)
ANSWERS = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|ok|okay|please|no|nope|nah|not now|go|do it|both|either|neither|the (?:first|secon"
    r"d|former|"
    r"latter|other)|just|all|later|maybe|why not|fine|sounds|perfect|great)\b(?!.*\b(?:wrong|not what|isn't|i said"
    r"|i asked|any ?more)\b)"
)
INSISTS = re.compile(
    r"^(?:hello|um+|uh+|er|hey)?[?!, ]*(?:(?:yes|yeah|right|ok|okay|sure|fine|no|well|great|nice|thanks)[,. ]{0,3})?"
    r"(?:i (?:said|repeat|know|get that)|but|so|no)\b|^(?:hello|yes|right|no)\b|\bthough\b|\bor not$"
)
MEANT = re.compile(r"\bi mean(?:t)?\b")
FOLLOWS_ON = re.compile(r"\b(?:what|how) about\b|\b(?:also|as well|another|other|else|more|instead|too|next|then)\b")

STRONG_CORRECTION = re.compile(
    r"\b(?:no longer|not any ?more|(?:\w{1,6}n't|not) .{1,60}any ?(?:more|longer))\b|"
    r"\b(?:is|are|was|were)(?: for)? my (?:\w+ )?(?:niece|nephew|sister|brother|wife|husband|mother|mum|mom|father"
    r"|dad|"
    r"son|daughter|friend|colleague|aunt|uncle|cousin|boss|neighbou?r)\b|\bi(?:'ve| have)? told you\b|\bout of dat"
    r"e\b|"
    r"\bi (?:hate|detest|dislike|can't stand|loathe)\b|\bi (?:don't|do not) (?:have|own|like|eat|drink|drive|do) "
    r"(?!time|to\b|much|enough|it\b)|"
    r"\b(?:that|this|it|which)(?:'s| is| was)(?: \w+)? (?:wrong|incorrect|outdated|out of date|old news|false|untrue|"
    r"not (?:true|right|correct|me|mine|accurate|what i (?:said|told)))|"
    r"\b(?:that|this|it) ?(?:isn't|wasn't|ain't) (?:true|right|correct|me|mine|accurate)|"
    r"\byou(?:'ve| have|'re| are| must)? .{0,24}\b(?:wrong|mixed|mixing|confus\w{1,5}|mistak\w{1,3}|"
    r"misremember\w{0,3})\b|"
    r"\bi (?:never|didn't|did not|haven't|have never) (?:ever )?(?:said|say|told|tell|mention\w{0,2}|like|want)\b|"
    r"\b(?:that|this|those|these|it)(?:'s| is| are|'re| was| were|'d be) (?:actually |really )?"
    r"(?:my|our|his|her|their) "
    r"(?:(?!favou?rite|usual)\w+ ){0,2}(?:\w+'s|\w+s')|"
    r"\b(?:that|this|those|these|it)(?:'s| is| are|'re| was| were|'d be) (?:actually |really )?my (?:\w+ )?(?:sister|"
    r"brother|wife|husband|partner|mum|mom|mother|dad|father|son|daughter|friend|colleague|boss|aunt|uncle|cousin|ex|"
    r"neighbou?r|roommate|flatmate|girlfriend|boyfriend|grand\w{2,8})\b|"
    r"\b(?:my|his|her) (?:\w+ )?(?:sister|brother|wife|husband|partner|mum|mom|mother|dad|father|son|daughter|friend|"
    r"colleague|boss|aunt|uncle|cousin|ex|neighbou?r|roommate|flatmate)\b.{0,30}\bnot (?:me|mine|i|my)\b|"
    r",? not (?:me|mine|my)\b|\bthat used to be\b|\bi used to\b|\bwe used to\b|\bmy old\b|\bcorrection\b|"
    r"\b(?:it's|it is|that's|should be|i said|i meant) .{1,40},? (?:and )?not \w|"
    r"\b\w{2,20},? not (?!bad|sure|yet|only|now|today|necessarily|too|really|that|so|at|a|the|in|much|very|"
    r"just|to)\w[^,?]{0,30}$|^(?:it's |that's )?not \w[^,?]{0,30}, (?:but |it's |that's )?\w|"
    r"^(?:i'm|i am|it's|it is|he's|she's|my .{1,30} is) not (?!sure|certain|kidding|joking|convinced|going|"
    r"really|that\b|so\b|worried|complaining|in a)\w|\b(?:isn't|aren't|wasn't|is not) (?:my|at|in|on|called)\b|"
    r"\b(?:you|u) (?:still )?(?:wrote|have me|had me down|think i|put down|noted|have it as|saved)\b|"
    r"\b(?:switch|change|update|correct) .{1,40}\bfrom .{1,40}\bto\b|"
    r"\b(?:haven't|hasn't|have not) .{2,40}\b(?:since|in (?:ages|years|months|weeks)|for (?:ages|years|months))\b|"
    r"^its? \w+(?: \w+)?, (?:they|he|she|we) (?:\w+ )?(?:moved|changed|switched|told)|\b(?:number|address|link|pla"
    r"ce|account|card)(?:'s| is) "
    r"(?:dead|gone|closed|old|expired|no good)\b|"
    r"\bold (?:number|address|one|job|phone|email|card|car|place|house|boss|school|gym)\b|\bwho (?:told you|said)\b|"
    r"\bnever (?:liked|had|been|said|owned|wanted|was|did)\b|\bturned out to be wrong\b|\bbackwards\b|"
    r"\bplease (?:update|correct|fix)\b|\bsince when\b|\b(?:wrong|incorrect) (?:person|name|address|number|date|da"
    r"y|size|city|one)\b"
)
HYPOTHETICAL = re.compile(r"\b(?:if|suppose|what if|imagine|unless|in case)\b")
_HAS_CHANGED = (
    r"(?:'ve|'s|'d| have| has)? (?:just |already |recently |since |finally )?"
    r"(?:moved|switched|changed|quit|stopped|sold|left|gave up|given up|retired|split|separated|broke up|divorced|"
    r"cancelled|"
    r"canceled|graduated|resigned|got rid|outgrew|went back|turned|passed away|died|lost|replaced|pushed|postponed|"
    r"rescheduled|shifted|delayed|brought forward)\b"
)
CHANGED = re.compile(rf"\b(?:i|we){_HAS_CHANGED}")
CHANGED_THERE = re.compile(rf"\b\w{{2,20}}{_HAS_CHANGED}")
UPDATES = re.compile(
    r"^(?:i'm|i am|we're|we are|it's|it is|he's|she's|they're|he is|she is|my .{1,30} is)\b.{0,60}"
    r"\b(?:now|these days)\b|\b(?:these days|nowadays)$"
)
DENIED = re.compile(
    r"\b(?:\w+n't|not|never|neither|nor|nobody|none|without)\b(?! (?:think|know|understand|mind|worry|forget|remem"
    r"ber|"
    r"sure|believe|see why|get|yet|only|bad|wait|too|let|be sure))"
)
WEAK_CORRECTION = re.compile(
    r"^(?:no|nope|nah|wrong|incorrect|not quite|not exactly|not really|actually)\b"
    r"(?! (?:thanks?|thank|problem|worries|need|wonder|doubt|idea|matter|way|one))|\bactually\b|\b(?:is|are|was|it's|"
    r"am|"
    r"'m|i'm|we're|at|in|on|to)\b.{0,40}\b(?:now|these days|nowadays)$|\bi(?:'d)? (?:rather|prefer)\b|\binstead of\b|"
    r"\brather than\b|\bshould(?:'ve| have)? be(?:en)?\b|\bi said\b|\bchange (?:that|it) to\b|\bmake (?:that|it) "
)
NOT_A_DENIAL = re.compile(
    r"^(?:no|nope|nah),? (?:go ahead|please do|you (?:choose|pick|decide)|"
    r"that's (?:all|everything|it|fine|ok|okay|good|great|perfect)|"
    r"thanks?|thank you|problem|worries|need|wonder|doubt|rush|hurry)\b|\bnot bad\b|"
    r"\bwhy not\b|\bno doubt\b|\bnot only\b|\bcan't wait\b|\bdon't (?:worry|forget|mind)\b|"
    r"\bcouldn't (?:be better|agree)"
)

CONFIRM = re.compile(
    r"^(?:(?:oh|ah|aha|wow|haha|hey|well|and|so|mm+|hm+|that's|that is|it's|this is|sounds|looks|seems|feels|very|"
    r"really|absolutely|just|all|so|pretty|quite|how|what an?|an?|such an?|a real|a total|you're|you are|i'm|i am|"
    r"much|many) ){0,4}"
    r"(?:yes|yep|yeah|yup|ya|aye|right|correct|exactly|precisely|perfect(?:ly)?|great|good|nice|awesome|excellent|"
    r"wonderful|"
    r"lovely|love (?:it|that|this)|thanks|thank you|thankyou|thx|ty|cheers|ok|okay|k|sure|cool|works|deal|agreed|"
    r"absolutely|definitely|certainly|indeed|true|spot on|go ahead|brilliant|fantastic|amazing|super|superb|fine|"
    r"alright|got it|gotcha|understood|noted|brill|done|sweet|neat|ideal|helpful|thoughtful|makes sense|fair enough|"
    r"the one|will do|do (?:it|that)|book (?:it|that)|send (?:it|that)|i'?ll (?:take|try|do|go|have|get|book|watch|"
    r"use|order|make)|i (?:like|love|appreciate)|let's (?:do|go|book|try|take)|works for me|what i (?:needed|wanted)|"
    r"what i was looking|delicious|glad|happy|impressed|grateful|appreciated?|of course|please do|you remembered|"
    r"good to know|couldn't agree|can't wait|bingo|100|checks out|the plan|"
    r"no (?:problem|worries|doubt)|not bad|phew|lifesaver|life saver|legend|genius|hero|you rock|the best|star|bet"
    r"|word|score|"
    r"on my way|heading (?:out|there|over)|(?:just )?(?:ordering|booking|doing|going|taking|buying|sending|trying|"
    r"adding|leaving|grabbing|"
    r"ordered|booked|sent|saved|bought|added|printed|packed|texted|copied|forwarded|pasted)|taking|on it|sorted|so"
    r"lved|that did it|it worked|"
    r"ooh+|yay|yess+|woo+|ah that|gotcha|makes sense|relieved?|what a relief|thank god|crisis averted|let'?s go|le"
    r"ts (?:go|do)|send it|ship it|"
    r"i (?:forgot|didn't know|had no idea|knew it|thought so)|no wonder|explains|i owe you|a dream|spot)\b"
)
CONFIRMED_ANYWHERE = re.compile(
    r"\b(?:that(?:'s| is) (?:right|it|correct|the one|perfect|great|exactly|what i)|works for me|sounds (?:good|gr"
    r"eat|"
    r"perfect|lovely)|you(?:'re| are) right|you (?:remembered|know me)|well remembered|good (?:memory|thinking|call)|"
    r"i'?ll (?:take|go with) (?:it|that)|that works|(?:really )?help(?:s|ed)(?: a lot)?|thank(?:s| you)|"
    r"(?:really|so|very|perfectly) (?:well|good|nice|helpful|useful)|doing it|on it|(?:it|that) is$|"
    r"accepted|sold|you had me|spot on|(?:total|perfect|complete)? ?sense|chuffed|mind at (?:rest|ease)|thrilled|d"
    r"elighted|works a treat|in the basket|ordered (?:two|one|it|them)|watched it|tried it|handy|just the ticket|t"
    r"hat'll do|done and dusted|sorted|cheers|lifesaver|made my day|nailed it|just what|exactly what|love it|loved"
    r" it|good one)\b"
)
REQUESTS = re.compile(
    r"\?|\b(?:i (?:need|want|would like|'d like)|can you|could you|would you|please|(?:find|show|tell|give|write|"
    r"play|book|order|remind|add|call|set|search|look|make|check|read|send|turn|open|translate|what|how|who|when|w"
    r"here|why)\b)"
)
WANTS = re.compile(
    r"^(?:(?:ok|okay|so|well|hey|alright|right|now|oh|also|and|cool|thanks|thank you)[,. ]+){0,2}(?:please |can yo"
    r"u |could you "
    r"|would you |let's |i need to |i want to |i need |i want |i'd like |help me |i have to |we need )?(?:add|book"
    r"|buy|call|"
    r"cancel|check|close|convert|create|dim|draft|email|explain|fetch|find|get|give|help|lock|look|lower|make|mess"
    r"age|move|"
    r"navigate|note|open|order|pause|pay|play|plan|pull|put|quiz|raise|read|recommend|remind|reply|schedule|search"
    r"|send|set|"
    r"show|skip|start|stop|suggest|switch|take|tell|text|time|track|translate|turn|unlock|update|wake|warm|write|s"
    r"pell|define|name|list|calculate|count|need|looking for|i need|i want|"
    r"did you|have you|do you|anyone)\b"
)
OWN_QUESTION = re.compile(
    r"^(?:(?:oo+h|oh|and|but|so|ok|hm+|great|nice|cool|wow),? )?(?:can|could|should|shall|may|do|would|must|will) "
    r"(?:i|we)\b|^any \w|^(?:is|are) there\b"
)
WEAK_CONFIRM = re.compile(
    r"^(?:oh |ah |well )?(?:ok|okay|k|alright|fine|sure|right|cool|good|got it|thanks|thank you|thx|great)$"
)

TOPIC = re.compile(
    r"\b(?:by the way|btw|anyway|anyways|never ?mind|forget (?:it|that|about)|(?:on|totally|completely)? ?(?:a |an)?"
    r"(?:different|unrelated|separate|another|other|new) (?:question|topic|subject|thing|matter|note)|unrelated|"
    r"something (?:else|different|completely different)|chang(?:e|ing) (?:of )?(?:the )?(?:topic|subject)|"
    r"(?:switch(?:ing)?|mov(?:e|ing)) (?:on|topics?|gears|to)|off topic|while i have you|before i forget|"
    r"speaking of something|one more thing|that reminds me|on another note|leave (?:that|it) (?:for now|there)|"
    r"let's (?:talk about|drop|park|leave)|hold (?:that|on)|quick (?:one|question|thing)|real quick|while you're a"
    r"t it|switching|new topic|aside from that|incidentally)\b"
)

FOLLOWS = re.compile(
    r"^(?:and|so|then|also|but)\b|\b(?:what|how) about\b|\bwhat if\b|^(?:could|can|would) you (?:also|make|add|give|"
    r"explain|show|include|shorten|change)\b|\b(?:tell|show|give) me (?:\w+ )?more\b|\bmore (?:about|details?|info"
    r"\w*|"
    r"options?|ideas?|examples?|like)\b|^(?:why|how come|how so|really|since when|which one|for how long|until when|"
    r"says who|in what way|like what|such as)\b|\bany (?:other|more|alternative)\b|\banother (?:one|option|idea)\b|"
    r"\b(?:it|its|they|them|their|there|those|these|him|her|he|she|his|hers|one|ones|either|both|instead|else|too|"
    r"as well|same|the (?:first|second|third|last|other|former|latter|cheaper|smaller|bigger|larger))\b|"
    r"^(?:that|this)\b|\b(?:is|was|does|about|of|for|with|like|to|at|in|do|did|would|will|can|if|than|without|after|"
    r"before|near|on|from|why|has|take|need|make|try|say|think) (?:that|this)\b(?! (?:i|you|he|she|we|they)\b)"
)
ELLIPTIC = re.compile(
    r"^(?!(?:what time|when|how \w+) (?:is|are|does|do|did|was|will|can) (?!it\b|that|this|they|he\b|she\b|you\b|w"
    r"e\b|i\b|one))(?:how (?:much|long|far|many|late|big|expensive|early|soon|often|old|hot|spicy|hard|difficult)|"
    r"what time|when|"
    r"what (?:else|colou?r|size|price|day|kind|brand|date))\b|^(?:which|what) \w+$|^(?:which|who|where|why)$"
)
ASKS_MORE = re.compile(
    r"^(?:and |but |also |now |then )?(?:can|could|would|will) you\b|^(?:also|and) (?:add|make|include|tell|show|g"
    r"ive|put|send)\b|"
    r"^(?:and |but |ok and |okay and )(?:what )?if\b"
)
ASKS = re.compile(
    r"^(?:ok |okay |right |so )?(?:and |but |so )?(?:what )?if\b(?! you (?:like|want|say))|"
    r"\?|\b(?:but|so|and|no|ok|then),? (?:\w+ )?(?:what|which|when|where|who|why|how)\b|"
    r"^(?:whats|wheres|hows|whos|whens|what|when|where|who|whom|whose|which|why|how|is|are|was|were|do|does|did|ca"
    r"n|could|would|will|should|have|"
    r"has|any)\b"
)
