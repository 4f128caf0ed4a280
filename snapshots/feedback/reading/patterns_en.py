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
    r"\bthat(?:'s| is| was) ?n[o']t (?:really )?(?:what i(?:'m| am| was)? (?:ask|mean|want|need|look)|(?:an?|"
    r"the) answer|my question)|\bnot what i (?:asked|meant|wanted|was asking)|\b(?:didn't|did not|haven't|doesn't|"
    r"does not|don't) (?:really )?(?:answer|address|get my question|help)|\b(?:say|ask|repeat|put|try) (?:it|that|this|"
    r"myself|my question)? ?(?:again|differently|another way|once more)|\b(?:let me|i'll|i will) (?:rephrase|repeat|"
    r"clarify|re-?ask|try again)|\bonce (?:more|again)\b|^(?:again|i repeat|to repeat|repeating)\b|"
    r"\bmy question (?:was|is)\b|\banswer (?:my|the) question|\bwhat i (?:meant|asked|wanted|need(?:ed)?|was asking|"
    r"am asking|want)\b.{0,20}\b(?:was|is)\b|\b(?:you )?(?:missed|misunderstood|ignored) (?:the|my|what)|"
    r"\bmisunderst(?:ood|and)|\bi (?:just|only|simply|still) (?:want|need)(?:ed)? to know\b|"
    r"\bthat's all i (?:need|want|asked)|\b(?:like|as) i (?:just )?(?:said|asked)\b|"
    r"\bthat(?:'s| is) not (?:an?|my|the|what)\b.{0,30}(?:,|\bwhich|\bwhat|\bhow|\bi\b)|"
    r"\bi (?:said|say|did say)\b (?!no\b|that\b)|\b(?:the|that) (?:\w+ )?one i (?:meant|said|asked)|\bhow hard is|"
    r"\bnot helpful|\buseless\b|\btry again\b|\bcool story\b|\b(?:that|this|which) (?:tells me nothing|"
    r"doesn't tell me)|\bstill (?:don't know|haven't told|waiting)|\bread (?:it|my question) again|\bdid(?:n't|"
    r" not) (?:ask|say) (?:for |about )?that\b|\bnobody asked\b|\bso (?:what|which|how|when|where|who) (?:is|was|are|"
    r"do|does) (?:it|the answer)"
)
ANSWERS = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|ok|okay|please|no|nope|nah|not now|go|do it|both|either|neither|the (?:first|second|"
    r"former|latter|other)|just|all|later|maybe|why not|fine|sounds|perfect|great)\b(?!.*\b(?:wrong|not what|isn't|"
    r"i said|i asked|any ?more)\b)"
)
INSISTS = re.compile(
    r"^(?:hello|um+|uh+|er|hey)?[?!, ]*(?:(?:yes|yeah|right|ok|okay|sure|fine|no|well|great|nice|"
    r"thanks)[,. ]{0,3})?(?:i (?:said|repeat|know|get that)|but|so|no)\b|^(?:hello|yes|right|no)\b|\bthough\b|\bor not$"
)
MEANT = re.compile(r"\bi mean(?:t)?\b")
FOLLOWS_ON = re.compile(r"\b(?:what|how) about\b|\b(?:also|as well|another|other|else|more|instead|too|next|then)\b")

STRONG_CORRECTION = re.compile(
    r"\b(?:no longer|not any ?more|(?:\w{1,6}n't|not) .{1,60}any ?(?:more|longer))\b|"
    r"\b(?:is|are|was|were)(?: for)? my (?:\w+ )?(?:niece|nephew|sister|brother|wife|husband|mother|mum|mom|father|dad|"
    r"son|daughter|friend|colleague|aunt|uncle|cousin|boss|neighbou?r)\b|\bi(?:'ve| have)? told you\b|\bout of date\b|"
    r"\bi (?:hate|detest|dislike|can't stand|loathe)\b|\bi (?:don't|do not) (?:have|own|like|eat|drink|drive|"
    r"do) (?!time|to\b|much|enough|it\b)|\b(?:that|this|it|which)(?:'s| is| was)(?: \w+)? (?:wrong|incorrect|outdated|"
    r"out of date|old news|false|untrue|not (?:true|right|correct|me|mine|accurate|what i (?:said|told)))|\b(?:that|"
    r"this|it) ?(?:isn't|wasn't|ain't) (?:true|right|correct|me|mine|accurate)|\byou(?:'ve| have|'re| are|"
    r" must)? .{0,24}\b(?:wrong|mixed|mixing|confus\w{1,5}|mistak\w{1,3}|misremember\w{0,3})\b|\bi (?:never|didn't|"
    r"did not|haven't|have never) (?:ever )?(?:said|say|told|tell|mention\w{0,2}|like|want)\b|\b(?:that|this|those|"
    r"these|it)(?:'s| is| are|'re| was| were|'d be) (?:actually |really )?(?:my|our|his|her|"
    r"their) (?:(?!favou?rite|usual)\w+ ){0,2}(?:\w+'s|\w+s')|\b(?:that|this|those|these|it)(?:'s| is| are|'re| was|"
    r" were|'d be) (?:actually |really )?my (?:\w+ )?(?:sister|brother|wife|husband|partner|mum|mom|mother|dad|father|"
    r"son|daughter|friend|colleague|boss|aunt|uncle|cousin|ex|neighbou?r|roommate|flatmate|girlfriend|boyfriend|"
    r"grand\w{2,8})\b|\b(?:my|his|her) (?:\w+ )?(?:sister|brother|wife|husband|partner|mum|mom|mother|dad|father|son|"
    r"daughter|friend|colleague|boss|aunt|uncle|cousin|ex|neighbou?r|roommate|flatmate)\b.{0,30}\bnot (?:me|mine|i|"
    r"my)\b|,? not (?:me|mine|my)\b|\bthat used to be\b|\bi used to\b|\bwe used to\b|\bmy old\b|\bcorrection\b|"
    r"\b(?:it's|it is|that's|should be|i said|i meant) .{1,40},? (?:and )?not \w|"
    r"\b\w{2,20},? not (?!bad|sure|yet|only|now|today|necessarily|too|really|that|so|at|a|the|in|much|very|just|"
    r"to)\w[^,?]{0,30}$|^(?:it's |that's )?not \w[^,?]{0,30}, (?:but |it's |that's )?\w|^(?:i'm|i am|it's|it is|he's|"
    r"she's|my .{1,30} is) not (?!sure|certain|kidding|joking|convinced|going|really|that\b|so\b|worried|complaining|"
    r"in a)\w|\b(?:isn't|aren't|wasn't|is not) (?:my|at|in|on|called)\b|\b(?:you|u) (?:still )?(?:wrote|have me|"
    r"had me down|think i|put down|noted|have it as|saved)\b|\b(?:switch|change|update|"
    r"correct) .{1,40}\bfrom .{1,40}\bto\b|\b(?:haven't|hasn't|have not) .{2,40}\b(?:since|"
    r"in (?:ages|years|months|weeks)|for (?:ages|years|months))\b|^its? \w+(?: \w+)?, (?:they|he|she|"
    r"we) (?:\w+ )?(?:moved|changed|switched|told)|\b(?:number|address|link|place|account|card)(?:'s| is) (?:dead|gone|"
    r"closed|old|expired|no good)\b|\bold (?:number|address|one|job|phone|email|card|car|place|house|boss|school|"
    r"gym)\b|\bwho (?:told you|said)\b|\bnever (?:liked|had|been|said|owned|wanted|was|did)\b|"
    r"\bturned out to be wrong\b|\bbackwards\b|\bplease (?:update|correct|fix)\b|\bsince when\b|"
    r"\b(?:wrong|incorrect) (?:person|name|address|number|date|day|size|city|one)\b"
)
HYPOTHETICAL = re.compile(r"\b(?:if|suppose|what if|imagine|unless|in case)\b")
_HAS_CHANGED = (
    r"(?:'ve|'s|'d| have| has)? (?:just |already |recently |since |finally )?(?:moved|switched|changed|quit|stopped|"
    r"sold|left|gave up|given up|retired|split|separated|broke up|divorced|cancelled|canceled|graduated|resigned|"
    r"got rid|outgrew|went back|turned|passed away|died|lost|replaced|pushed|postponed|rescheduled|shifted|delayed|"
    r"brought forward)\b"
)
CHANGED = re.compile(rf"\b(?:i|we){_HAS_CHANGED}")
CHANGED_THERE = re.compile(rf"\b\w{{2,20}}{_HAS_CHANGED}")
UPDATES = re.compile(
    r"^(?:i'm|i am|we're|we are|it's|it is|he's|she's|they're|he is|she is|my .{1,30} is)\b.{0,60}\b(?:now|"
    r"these days)\b|\b(?:these days|nowadays)$"
)
DENIED = re.compile(
    r"\b(?:\w+n't|not|never|neither|nor|nobody|none|without)\b(?! (?:think|know|understand|mind|worry|forget|remember|"
    r"sure|believe|see why|get|yet|only|bad|wait|too|let|be sure))"
)
WEAK_CORRECTION = re.compile(
    r"^(?:no|nope|nah|wrong|incorrect|not quite|not exactly|not really|actually)\b(?! (?:thanks?|thank|problem|worries|"
    r"need|wonder|doubt|idea|matter|way|one))|\bactually\b|\b(?:is|are|was|it's|am|'m|i'm|we're|at|in|on|"
    r"to)\b.{0,40}\b(?:now|these days|nowadays)$|\bi(?:'d)? (?:rather|prefer)\b|\binstead of\b|\brather than\b|"
    r"\bshould(?:'ve| have)? be(?:en)?\b|\bi said\b|\bchange (?:that|it) to\b|\bmake (?:that|it) "
)
NOT_A_DENIAL = re.compile(
    r"^(?:no|nope|nah),? (?:go ahead|please do|you (?:choose|pick|decide)|that's (?:all|everything|it|fine|ok|okay|"
    r"good|great|perfect)|thanks?|thank you|problem|worries|need|wonder|doubt|rush|hurry)\b|\bnot bad\b|\bwhy not\b|"
    r"\bno doubt\b|\bnot only\b|\bcan't wait\b|\bdon't (?:worry|forget|mind)\b|\bcouldn't (?:be better|agree)"
)

CONFIRM = re.compile(
    r"^(?:(?:oh|ah|aha|wow|haha|hey|well|and|so|mm+|hm+|that's|that is|it's|this is|sounds|looks|seems|feels|very|"
    r"really|absolutely|just|all|so|pretty|quite|how|what an?|an?|such an?|a real|a total|you're|you are|i'm|i am|much|"
    r"many) ){0,4}(?:yes|yep|yeah|yup|ya|aye|right|correct|exactly|precisely|perfect(?:ly)?|great|good|nice|awesome|"
    r"excellent|wonderful|lovely|love (?:it|that|this)|thanks|thank you|thankyou|thx|ty|cheers|ok|okay|k|sure|cool|"
    r"works|deal|agreed|absolutely|definitely|certainly|indeed|true|spot on|go ahead|brilliant|fantastic|amazing|super|"
    r"superb|fine|alright|got it|gotcha|understood|noted|brill|done|sweet|neat|ideal|helpful|thoughtful|makes sense|"
    r"fair enough|the one|will do|do (?:it|that)|book (?:it|that)|send (?:it|that)|"
    r"i'?ll (?:take|try|do|go|have|get|book|watch|use|order|make)|i (?:like|love|appreciate)|"
    r"let's (?:do|go|book|try|take)|works for me|what i (?:needed|wanted)|what i was looking|delicious|glad|happy|"
    r"impressed|grateful|appreciated?|of course|please do|you remembered|good to know|couldn't agree|can't wait|bingo|"
    r"100|checks out|the plan|no (?:problem|worries|doubt)|not bad|phew|lifesaver|life saver|legend|genius|hero|"
    r"you rock|the best|star|bet|word|score|on my way|heading (?:out|there|over)|"
    r"(?:just )?(?:ordering|booking|doing|going|taking|buying|sending|trying|adding|leaving|grabbing|ordered|booked|"
    r"sent|saved|bought|added|printed|packed|texted|copied|forwarded|pasted)|taking|on it|sorted|solved|that did it|"
    r"it worked|ooh+|yay|yess+|woo+|ah that|gotcha|makes sense|relieved?|what a relief|thank god|crisis averted|"
    r"let'?s go|lets (?:go|do)|send it|ship it|i (?:forgot|didn't know|had no idea|knew it|thought so)|no wonder|"
    r"explains|i owe you|a dream|spot)\b"
)
CONFIRMED_ANYWHERE = re.compile(
    r"\b(?:that(?:'s| is) (?:right|it|correct|the one|perfect|great|exactly|what i)|works for me|sounds (?:good|great|"
    r"perfect|lovely)|you(?:'re| are) right|you (?:remembered|know me)|well remembered|good (?:memory|thinking|call)|"
    r"i'?ll (?:take|go with) (?:it|that)|that works|(?:really )?help(?:s|ed)(?: a lot)?|thank(?:s| you)|"
    r"(?:really|so|very|perfectly) (?:well|good|nice|helpful|useful)|doing it|on it|(?:it|that) is$|accepted|sold|"
    r"you had me|spot on|(?:total|perfect|complete)? ?sense|chuffed|mind at (?:rest|ease)|thrilled|delighted|"
    r"works a treat|in the basket|ordered (?:two|one|it|them)|watched it|tried it|handy|just the ticket|that'll do|"
    r"done and dusted|sorted|cheers|lifesaver|made my day|nailed it|just what|exactly what|love it|loved it|good one)\b"
)
REQUESTS = re.compile(
    r"\?|\b(?:i (?:need|want|would like|'d like)|can you|could you|would you|please|(?:find|show|tell|give|write|play|"
    r"book|order|remind|add|call|set|search|look|make|check|read|send|turn|open|translate|what|how|who|when|where|"
    r"why)\b)"
)
WANTS = re.compile(
    r"^(?:(?:ok|okay|so|well|hey|alright|right|now|oh|also|and|cool|thanks|thank you)[,. ]+){0,2}(?:please |can you |"
    r"could you |would you |let's |i need to |i want to |i need |i want |i'd like |help me |i have to |"
    r"we need )?(?:add|book|buy|call|cancel|check|close|convert|create|dim|draft|email|explain|fetch|find|get|give|"
    r"help|lock|look|lower|make|message|move|navigate|note|open|order|pause|pay|play|plan|pull|put|quiz|raise|read|"
    r"recommend|remind|reply|schedule|search|send|set|show|skip|start|stop|suggest|switch|take|tell|text|time|track|"
    r"translate|turn|unlock|update|wake|warm|write|spell|define|name|list|calculate|count|need|looking for|i need|"
    r"i want|did you|have you|do you|anyone)\b"
)
OWN_QUESTION = re.compile(
    r"^(?:(?:oo+h|oh|and|but|so|ok|hm+|great|nice|cool|wow),? )?(?:can|could|should|shall|may|do|would|must|will) (?:i|"
    r"we)\b|^any \w|^(?:is|are) there\b"
)
WEAK_CONFIRM = re.compile(
    r"^(?:oh |ah |well )?(?:ok|okay|k|alright|fine|sure|right|cool|good|got it|thanks|thank you|thx|great)$"
)

TOPIC = re.compile(
    r"\b(?:by the way|btw|anyway|anyways|never ?mind|forget (?:it|that|about)|(?:on|totally|completely)? ?(?:a |"
    r"an)?(?:different|unrelated|separate|another|other|new) (?:question|topic|subject|thing|matter|note)|unrelated|"
    r"something (?:else|different|completely different)|chang(?:e|ing) (?:of )?(?:the )?(?:topic|subject)|"
    r"(?:switch(?:ing)?|mov(?:e|ing)) (?:on|topics?|gears|to)|off topic|while i have you|before i forget|"
    r"speaking of something|one more thing|that reminds me|on another note|leave (?:that|it) (?:for now|there)|"
    r"let's (?:talk about|drop|park|leave)|hold (?:that|on)|quick (?:one|question|thing)|real quick|while you're at it|"
    r"switching|new topic|aside from that|incidentally)\b"
)

FOLLOWS = re.compile(
    r"^(?:and|so|then|also|but)\b|\b(?:what|how) about\b|\bwhat if\b|"
    r"^(?:could|can|would) you (?:also|make|add|give|explain|show|include|shorten|change)\b|"
    r"\b(?:tell|show|give) me (?:\w+ )?more\b|\bmore (?:about|details?|info\w*|options?|ideas?|examples?|like)\b|"
    r"^(?:why|how come|how so|really|since when|which one|for how long|until when|says who|in what way|like what|"
    r"such as)\b|\bany (?:other|more|alternative)\b|\banother (?:one|option|idea)\b|\b(?:it|its|they|them|their|there|"
    r"those|these|him|her|he|she|his|hers|one|ones|either|both|instead|else|too|as well|same|"
    r"the (?:first|second|third|last|other|former|latter|cheaper|smaller|bigger|larger))\b|^(?:that|this)\b|\b(?:is|"
    r"was|does|about|of|for|with|like|to|at|in|do|did|would|will|can|if|than|without|after|before|near|on|from|why|has|"
    r"take|need|make|try|say|think) (?:that|this)\b(?! (?:i|you|he|she|we|they)\b)"
)
ELLIPTIC = re.compile(
    r"^(?!(?:what time|when|how \w+) (?:is|are|does|do|did|was|will|can) (?!it\b|that|this|they|he\b|she\b|you\b|we\b|"
    r"i\b|one))(?:how (?:much|long|far|many|late|big|expensive|early|soon|often|old|hot|spicy|hard|difficult)|"
    r"what time|when|what (?:else|colou?r|size|price|day|kind|brand|date))\b|^(?:which|what) \w+$|^(?:which|who|where|"
    r"why)$"
)
ASKS_MORE = re.compile(
    r"^(?:and |but |also |now |then )?(?:can|could|would|will) you\b|"
    r"^(?:also|and) (?:add|make|include|tell|show|give|put|send)\b|^(?:and |but |ok and |okay and )(?:what )?if\b"
)
ASKS = re.compile(
    r"^(?:ok |okay |right |so )?(?:and |but |so )?(?:what )?if\b(?! you (?:like|want|say))|\?|"
    r"\b(?:but|so|and|no|ok|then),? (?:\w+ )?(?:what|which|when|where|who|why|how)\b|"
    r"^(?:whats|wheres|hows|whos|whens|what|when|where|who|whom|whose|which|why|how|is|are|was|were|do|does|did|can|"
    r"could|would|will|should|have|has|any)\b"
)
