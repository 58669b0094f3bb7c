"""Whom and what "he", "she" and "it" mean among those spoken of."""

from __future__ import annotations

import re
from collections.abc import Container

from graphmem.ingest.rules.entities import Entities
from graphmem.ingest.rules.slots import fits_type

__all__ = ["last_animal", "last_person", "last_thing", "person_meant"]

_VALUE = re.compile(r"[\d€£$¥₹]\S* ?[^\W\d]*$|\d{4}-\d\d")
"""An amount or a date, of which nothing is said again as "it"."""
_A_CLAUSE = 4
"""Mentions within which the subject of the clause is who "he" means, before somebody only mentioned who is known for a man."""
_A_MOMENT = 6
"""Mentions within which a bare name may be whom "she" means."""


def person_meant(
    known: Entities, gender: str, talking: Container[str | None], speaker: str | None, *, owns: bool
) -> str | None:
    """The person last spoken of as a subject, else last mentioned, if the gender fits and it is none of those talking.

    `owns`: it is "his" or "her", which means the one named in the same clause.
    """
    everyone = known.all()
    fits = [k for k in everyone if k.person and k.last_at >= 0 and k.gender in (None, gender) and k.name not in talking]
    bare = [k for k in everyone if k.person is None and k.capital and " " not in k.name and len(k.name) > 1]
    bare = [
        k
        for k in bare
        if not k.is_place and not k.is_group and k.last_at >= max(0, known.clock - _A_MOMENT) and k.name != speaker
    ]
    spoken_of = max((k.last_at for k in fits), default=-1)
    if not fits or any(k.subject_at > spoken_of for k in bare):
        fits = bare
    if not fits:
        return None
    near = [k for k in fits if k.last_at > known.clause_at]
    if owns and len(near) == 1:
        return near[0].name
    if len(near) > 1:
        sure_near = [k for k in near if k.gender == gender]
        return sure_near[0].name if len(sure_near) == 1 else None
    sure = [k for k in fits if k.gender == gender]
    best = max(sure or fits, key=lambda k: (k.subject_at, k.last_at))
    latest = max(fits, key=lambda k: (k.last_at, k.subject_at))
    if sure and latest.gender is None and latest.last_at > best.last_at + 3:
        best = latest
    lead = max(fits, key=lambda k: k.subject_at)
    if lead.gender is None and lead.subject_at > max(best.subject_at, known.clause_at - _A_CLAUSE):
        best = lead
    best.gender = gender
    best.last_at = known.tick()
    return best.name


def last_person(known: Entities, speaker: str | None) -> str | None:
    """The person mentioned last beside the speaker."""
    persons = [k for k in known.all() if k.person and k.name != speaker and k.last_at >= 0]
    return max(persons, key=lambda k: k.last_at).name if persons else None


def last_animal(known: Entities, speaker: str | None) -> str | None:
    """The animal or baby spoken of since any person but the speaker was."""
    pets = [k for k in known.all() if k.person is False and (fits_type(k.name, "pet") or k.name == "baby")]
    if not pets:
        return None
    pet = max(pets, key=lambda k: k.last_at)
    later = [k for k in known.all() if k.person and k.name != speaker and k.last_at > pet.last_at]
    return None if later else pet.name


def last_thing(known: Entities, bare: tuple[str, int] | None) -> str | None:
    """The thing last spoken of; `bare`: a common noun that may be meant instead, and when it was mentioned."""
    everything = known.all()
    things = [k for k in everything if k.person is False and k.last_at >= 0 and not _VALUE.match(k.name)]
    if not things:
        things = [k for k in everything if k.person is None and k.last_at >= max(0, known.clock - 4)]
    best = max(things, key=lambda k: max(k.subject_at + 2, k.last_at)) if things else None
    if bare is not None and bare[1] >= known.clause_at - 12 and (best is None or best.last_at < bare[1]):
        return bare[0]
    return best.name if best is not None else None
