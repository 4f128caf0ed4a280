"""Stop words of the keyword index, English and Chinese."""

_ENGLISH = """
a about above after again against all am an and any are aren't as at be because been before being below between both
but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how how's i
i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most mustn't my myself no nor not now of
off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's should shouldn't so
some such than that that's the their theirs them themselves then there there's these they they'd they'll they're
they've this those through to too under until up very was wasn't we we'd we'll we're we've were weren't what what's
when when's where where's which while who who's whom why why's will with won't would wouldn't you you'd you'll you're
you've your yours yourself yourselves s t d ll m re ve
"""

# The Snowball English list with "just", "now", "will" and the endings after an apostrophe.
ENGLISH = frozenset(_ENGLISH.split())

# Characters without a meaning of their own; a bigram is dropped only if both characters are here: "不辣" stays.
# Measured on MADial zh (80 questions): coverage@125 .470 without both lines and their bigrams, .427 without the first
# line only.
CHINESE = frozenset(
    "的了是在和与及也都就着过吗呢吧啊呀哦嗯么之其而且或被把给让对于从向以为这那哪"
    "我你您他她它们个一很会要说可到去来不没有"
)
