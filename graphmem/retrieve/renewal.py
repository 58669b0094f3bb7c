"""Which of two turns tells the newer value of the same thing, and standing it first where the present is asked for. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from graphmem.retrieve.asked_for import HEAD, asks_of_the_present
from graphmem.retrieve.fusion import Ranked
from graphmem.retrieve.question_words import own_terms
from graphmem.retrieve.recipes import Recipe
from graphmem.retrieve.talk import Talk, best_turns_anew
from graphmem.terms import kept_terms, terms
from graphmem.timeline.vocabulary import MONTH, WEEKDAY

__all__ = ["renewed_first", "renews"]

_AMONG = 6
"""So many of the best turns are compared."""
_SHARED = 2
"""So many of the question's own words both turns must hold, or all if it has fewer: they are about the same thing."""
_OF_CHANGE = re.compile(
    r"\b(?:now|new|newly|no longer|any ?more|instead|actually|already|recently|latest|so far|by now|since then|finally"
    r"|updat\w+|chang(?:ed|es?|ing)|revis(?:ed|ing)|correct(?:ed|ion)|adjust\w+|replac(?:ed|ing)|switch\w+|upgrad\w+|cancel\w+"
    r"|reschedul\w+|postpon\w+|delayed|extend(?:ed|ing)|extension|shorten\w*|mov(?:ed|ing)|push(?:ed)? back|brought forward"
    r"|increas\w+|rais(?:ed|ing)|bump\w+|improv(?:ed|ing)|expand(?:ed|ing)|doubled|gr[eo]wn?|growth|ris(?:en|ing)|rose"
    r"|decreas\w+|reduc(?:ed|tion|ing)|lowered|dropped|cut (?:down )?to|(?:gone|went) (?:up|down)"
    r"|reached|added|completed|finished)\b",
    re.IGNORECASE,
)
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_VALUE = re.compile(
    rf"(?P<money>[$€£]\s?{_NUMBER}k?)|(?P<share>{_NUMBER})\s?(?:%|percent\b)"
    rf"|\b(?P<time>\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b|\d{{1,2}}:\d\d\b)"
    rf"|\b(?P<date>{MONTH} \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}|\d{{4}}-\d\d-\d\d|\d{{1,2}}/\d{{1,2}})\b"
    rf"|\b(?P<weekday>{WEEKDAY})"
    rf"|\b(?P<count>{_NUMBER}(?:\s?[-–]\s?{_NUMBER})?)[ -](?P<unit>[a-z]+(?: [a-z]+)?)"
)
"""For lower-case text."""
_NO_UNIT = frozenset(
    "a an and or of on in at by for from to the is are was were with that which who when this it i my we our but so as"
    " more less other".split()
)
_BLANKS = re.compile(r"[\s,]+")


def renewed_first(recipe: Recipe, talk: Talk, question: str, hits: Sequence[Ranked]) -> list[Ranked]:
    """The hits; of a question about the present, among the best few turns one that renews an older one just before it.

    Not where the older one scores higher by more than the recipe's `renewed_share`, or where the two hold other words of the
    question.
    """
    if not recipe.renewed_share or not asks_of_the_present(question):
        return list(hits)
    own = own_terms(question)

    def renewing_before(best: Sequence[Ranked]) -> list[Ranked]:
        said = {hit.key: own.intersection(kept_terms(talk.turns[hit.key].episode.text[:HEAD])) for hit in best}
        order: list[Ranked] = []
        for hit in best:
            turn = talk.turns[hit.key].episode
            renewed = (
                place
                for place, other in enumerate(order)
                if (older := talk.turns[other.key].episode).said_at < turn.said_at
                and other.score - hit.score <= recipe.renewed_share
                and len(said[hit.key] & said[other.key]) >= min(_SHARED, len(own))
                and renews(turn.text, older.text)
            )
            order.insert(next(renewed, len(order)), hit)
        return order

    return best_turns_anew(talk, hits, _AMONG, renewing_before)


def renews(newer: str, older: str) -> bool:
    """Whether a text tells of a change and gives another value of a kind that an older text gives too.

    >>> renews("It was moved to 4 pm.", "We meet at 3 pm."), renews("We meet at 4 pm.", "We meet at 3 pm.")
    (True, False)
    """
    if _OF_CHANGE.search(newer, 0, HEAD) is None:
        return False
    now, before = _values(newer), _values(older)
    return any(now[kind].isdisjoint(before[kind]) for kind in now.keys() & before.keys())


def _values(text: str) -> Mapping[str, set[str]]:
    """What a text says how much, how many and when, by kind; a number is of the kind of what is counted."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for match in _VALUE.finditer(text[:HEAD].lower()):
        if match["unit"] is None:
            kind = str(match.lastgroup)
            values[kind].add(_BLANKS.sub("", match[kind]))
            continue
        for word in match["unit"].split():
            if word in _NO_UNIT:
                break
            for term in terms(word):
                values[f"number of {term}"].add(_BLANKS.sub("", match["count"]))
    return values
