"""Words of habits in English: what people do again and again, and what is no taste of theirs."""

import re

GO = (
    r"(?:order(?:ing|ed|in)?|reorder(?:ing|ed)?|get(?:ting)?|got|gotten|taken|eaten|been (?:to|at|on)|gone (?:to|"
    r"for|with|back to)|driven|worn|grab(?:bing|bed)?|pick(?:ing|ed)?(?: up)?|hav(?:e|ing)|had|eat(?:ing)?|ate|"
    r"drink(?:ing)?|drank|cook(?:ing|ed)?|mak(?:e|ing)|made|brew(?:ing)?|need|want|crave|craving|do|does|doing|did|"
    r"buy(?:ing)?|bought|pay(?:ing)? (?:with|by)|put(?:ting)? on|play(?:ing|ed)?|stream(?:ing|ed)?|blast(?:ing)?|"
    r"listen(?:ing|ed)? to|watch(?:ing|ed)?|binge(?:ing)?|rewatch(?:ing|ed)?|(?:re-?)?read(?:ing)?|us(?:e|ing)|"
    r"ask(?:ing)? for|"
    r"wear(?:ing)?|wore|rid(?:e|ing)|tak(?:e|ing)|took|driv(?:e|ing)|fly(?:ing)?(?: with)?|flew|book(?:ing|ed)?|"
    r"stay(?:ing|ed)? (?:at|in|with)|sit(?:ting)? (?:in|at|by|on|near)|sat (?:in|at|by)|park(?:ing|ed)? (?:on|in|"
    r"at|by|near|outside)|shop(?:ping)? (?:at|in)|"
    r"choos(?:e|ing)|chose|go(?:ing)? (?:with|for|to|via|through|along|back to|straight to|down to)|went (?:to|for|"
    r"with|back to)|going back to|"
    r"head(?:ing)? (?:to|for|down to|straight to|over to)|hit(?:ting)? (?:up )?|end(?:ing|ed)? up (?:at|in|on|with|"
    r"going to|getting|ordering|having|picking|buying|watching|back at)|stop(?:ping)? (?:at|by|off at|in at)|"
    r"swing(?:ing)? by|pop(?:ping)? (?:into|to|in to)|reach(?:ing)? for|walk(?:ing)? (?:via|through|along|to)|"
    r"cycl(?:e|ing) (?:via|through|along|to)|run(?:ning)? (?:along|in|around)|"
    r"leav(?:e|ing)(?: for work| home| the house)?(?: (?:at|around|about|by))?|(?:get|wake|getting|waking) up "
    r"(?:at|around|about|before|by)|(?:in bed|asleep) (?:by|at|before)|go to (?:bed|sleep) (?:at|around|by|before|"
    r"with)|knock off(?: work)? at|"
    r"set(?:ting)? (?:it|the \w+) (?:to|at|on)|keep(?:ing)? (?:it|the \w+) (?:at|on|around)|start(?:ing)? (?:the "
    r"day |my day |my morning |the morning )?with|finish(?:ing)? (?:the day |my day )?with|"
    r"kick(?:ing)? off with|snack(?:ing)? on|fall(?:ing)? asleep to|sleep(?:ing)? (?:with|till|until)|work(?:ing)? "
    r"from|burn(?:ing)? through|go through|goes through|spend(?:ing)? (?:\w+ )*?on|tip(?:ping)?|pack(?:ing)?|"
    r"bring(?:ing)?|carry(?:ing)?|switch(?:ing)?|turn(?:ing)?(?: on)?|call(?:ing)?|text(?:ing)?)"
)
GO_WORDS = " ".join(
    [
        "gotten",
        "taken",
        "eaten",
        "been",
        "gone",
        "driven",
        "worn",
        "order",
        "ordering",
        "ordered",
        "reorder",
        "get",
        "getting",
        "got",
        "grab",
        "grabbing",
        "grabbed",
        "pick",
        "picking",
        "picked",
        "have",
        "having",
        "had",
        "eat",
        "eating",
        "ate",
        "drink",
        "drinking",
        "drank",
        "cook",
        "cooking",
        "cooked",
        "make",
        "making",
        "made",
        "brew",
        "brewing",
        "need",
        "want",
        "crave",
        "craving",
        "do",
        "does",
        "doing",
        "did",
        "buy",
        "buying",
        "bought",
        "pay",
        "paying",
        "put",
        "putting",
        "play",
        "playing",
        "played",
        "stream",
        "streaming",
        "blast",
        "blasting",
        "listen",
        "listening",
        "watch",
        "watching",
        "watched",
        "binge",
        "bingeing",
        "rewatch",
        "rewatching",
        "read",
        "reading",
        "reread",
        "rereading",
        "re",
        "use",
        "using",
        "ask",
        "asking",
        "wear",
        "wearing",
        "wore",
        "ride",
        "riding",
        "take",
        "taking",
        "took",
        "drive",
        "driving",
        "fly",
        "flying",
        "flew",
        "book",
        "booking",
        "booked",
        "stay",
        "staying",
        "stayed",
        "sit",
        "sitting",
        "sat",
        "park",
        "parking",
        "parked",
        "shop",
        "shopping",
        "choose",
        "choosing",
        "chose",
        "go",
        "going",
        "went",
        "goes",
        "head",
        "heading",
        "hit",
        "hitting",
        "end",
        "ending",
        "ended",
        "stop",
        "stopping",
        "swing",
        "swinging",
        "pop",
        "popping",
        "reach",
        "reaching",
        "walk",
        "walking",
        "cycle",
        "cycling",
        "run",
        "running",
        "leave",
        "leaving",
        "wake",
        "waking",
        "bed",
        "asleep",
        "knock",
        "set",
        "setting",
        "keep",
        "keeping",
        "start",
        "starting",
        "finish",
        "finishing",
        "kick",
        "kicking",
        "snack",
        "snacking",
        "fall",
        "falling",
        "sleep",
        "sleeping",
        "work",
        "working",
        "burn",
        "burning",
        "spend",
        "spending",
        "tip",
        "tipping",
        "pack",
        "packing",
        "bring",
        "bringing",
        "carry",
        "carrying",
        "switch",
        "switching",
        "turn",
        "turning",
        "call",
        "calling",
        "text",
        "texting",
    ]
)
NO_HABIT_OBJECT = (
    r"(?! (?:to (?:know|think|say|be|ask|hear|see)|it\b|up\b|off\b|through\b|a (?:box|bag|pack|jar|tub|loaf|"
    r"bottle)s? a\b|lost|late|stuck|confused|sick|cold|hot|hungry|tired|annoyed|home|there|here|out\b|away|"
    r"something|anything|nothing|a (?:lot|while|minute|break|nap|shower|bath|look|headache|question)|no |not |you|"
    r"the feeling|the wrong|wrong|trouble|problems|"
    r"errors?|done|ready|so |too |very |my (?:keys|phone|wallet|meds|head|mind)))"
)
NOW = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:time|once|one|morning|afternoon|evening)|right now|next "
    r"(?:week|time)|just now|last night)\b",
    re.IGNORECASE,
)
COUNTED = re.compile(
    r"\b(?:again|as usual|as always|usual|same|another|always|every|usually|(?:third|fourth|fifth|\d+th) )",
    re.IGNORECASE,
)
