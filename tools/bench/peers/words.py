"""The words of a prompt that a person would search for: one list for every peer that has none of its own."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")

# Not ctxrepo's own list, which changes with its ranking: figures of peers stay what they are.
# English; German; French; Portuguese.
_STOP = """
    a about after again all also am an and any are as at be because been before being but by can could did
    do does doing done don down each for from get give go got had has have he her here him his how i if in
    into is it its just know let like ll m make me my need no not now of off on once one only or other our
    out over own please put re s same see she should show so some such t tell than that the their them then
    there these they this those through to too try under until up us use using ve very want was we were what
    when where which while who why will with would you your
    aber als am an auch auf aus bei bin bis bitte da das dass dem den der des die doch du ein eine einem
    einen einer er es für hat ich ihr im ist kann mich mir mit nach nicht noch nur oder schon sich sie sind
    so um und uns von vor war was wenn wer wie wir wird wo zu zum zur
    au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur mais mes moi ne
    nous on ou où par pas pour que quel quelle qui sa se ses son sur te tu un une vous
    ao aos com como da das do dos em essa esse eu foi isso mas na nas no nos não o os para pela pelo por
    quando que se sem ser seu sua também tem um uma
"""

STOP = frozenset(_STOP.split())


def words(prompt: str) -> list[str]:
    """Its distinct words in lower case and in order, without stop words."""
    return [word for word in dict.fromkeys(all_words(prompt)) if word not in STOP]


def all_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
