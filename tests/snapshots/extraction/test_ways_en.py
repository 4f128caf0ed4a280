"""Ways of saying in English that carry over: each is read in many words, and not in words that only look alike.

Rows: E1, E2, P2, P3.
"""

import pytest

from tests.snapshots.extraction.ways import is_told, pairs, silent

WAYS = """
# liked without a word of liking
give me a brass band any day | brass band
Anything by Ursula Le Guin and I'm happy | Ursula Le Guin
a proper fry up never fails | fry up
the thing I love most is a sunrise swim | sunrise swim
I'm always up for a car boot sale | car boot sale
old westerns, I can't get enough of them | old westerns
put me down as a window seat person | window seat
likes: sour sweets, sea shanties | sea shanties
you can't go wrong with a crumble | crumble
I'm more of a comedy than a drama person | comedy
# disliked without a word of disliking
motorways bore me | motorways
celery tastes like soap to me | celery
escape rooms leave me cold | escape rooms
open plan offices drive me mad | open plan offices
I draw the line at karaoke | karaoke
if you ask me truffle oil is a crime | truffle oil
dislikes: raisins, clowns | clowns
spin classes do nothing for me | spin classes
I think brunch is overrated | brunch
spare me the small talk | small talk
# who one is, without its word
Priya here, I look after the night desk | Priya
I groom dogs for a living | groom dogs
been driving trams 12 years | driving trams
I'm 38, divorced, three boys | three boys
doing a masters in soil science | soil science
I've been in Hobart since 2015 | Hobart
we have a lurcher called Fig and two hens | lurcher
save the stables as 9 Mill Lane | 9 Mill Lane
I run a bike shop with my cousin | run a bike shop
my birthday is the 4th of July | 4th of July
# harm, hours and sizes
shellfish brings me out in hives | shellfish
I get seasick on ferries | ferries
red wine gives me a headache | red wine
no calls during evening prayers | during evening prayers
Saturdays are sacred, that's for the kids | Saturdays
my van is 2.9m high | 2.9m
12 hours on shift max | 12 hours
the doctor says under 5 grams a day | 5 grams
dogs must be allowed | dogs
never route me under low bridges | low bridges
# what comes back
that's my fourth flat white today | flat white
I never miss a Lions game | Lions game
I can never walk past a bakery | bakery
the usual please, two samosas and a mango lassi | mango lassi
same as every Friday, large cod and chips | large cod
reorder the decaf pods, we fly through them | decaf pods
we're out of oat milk again | oat milk
worn through another pair of Brooks | Brooks
pop Radio 3 on, it's always on in the van | Radio 3
Third week running at that noodle place on Elm Street | noodle place
"""
LOOK_ALIKE = """
he runs a bike shop
my sister's van is 2.9m high
that joke leaves me cold every time
we ran out of time again
never mind the bridge
I run late on Mondays sometimes, sorry
can I have the usual time slot
I think that's a crime novel
this traffic drives me mad
it tastes like soap
she never misses a game
the meeting was on repeat it felt like
are you more of a cat than a dog person
what's the third flat on this street
nothing fancy
if I were rich I'd run a vineyard for a living
my boss never books calls during lunch
write a song that goes give me the beach any day
the film is 2 hours long
did you miss me
"""
"""Nothing of these lasts and is the speaker's own."""


@pytest.mark.parametrize(("text", "value"), pairs(WAYS))
def test_a_way_of_saying_is_read(text: str, value: str) -> None:
    assert is_told(text, value)


@pytest.mark.parametrize("text", LOOK_ALIKE.split("\n")[1:-1])
def test_what_looks_alike_teaches_nothing(text: str) -> None:
    assert silent(text)
