"""Ways of saying in English that carry over: each is read in many words, and not in words that only look alike.

Rows: E1, E2, P2, P3.
"""

import pytest

from tests.snapshots.understanding.believing.ways import is_told, pairs, silent

WAYS = """
# liked without a word of liking
put me down as a window seat person | window seat
# disliked without a word of disliking
# who one is, without its word
I groom dogs for a living | groom dogs
my birthday is the 4th of July | 4th of July
# harm, hours and sizes
shellfish brings me out in hives | shellfish
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
