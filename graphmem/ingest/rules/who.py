"""Who and what is meant: first person, pronouns, "my sister", short names, "the sofa", across the turns of a group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

from graphmem.ingest.rules.entities import Entities, Entity
from graphmem.ingest.rules.names import HeardClause, without_determiner
from graphmem.ingest.rules.nouns import (
    after_class_noun,
    head_of,
    is_all_capital,
    is_group_end,
    is_person_end,
    is_vague,
    kin_gender,
    list_parts,
    title_gender,
    without_count,
    without_kind_of_code,
    without_participle,
    without_post,
)
from graphmem.ingest.rules.of_the_two import of_the_two
from graphmem.ingest.rules.pronouns import last_animal, last_person, last_thing, person_meant
from graphmem.ingest.rules.slots import fits_type
from graphmem.ingest.rules.told import ToldFacts
from graphmem.ingest.rules.words import words
from graphmem.model import Name, Statement
from graphmem.relations import ends_of

__all__ = ["Discourse", "Meant"]

_OWNED = re.compile(r"^(?P<owner>my|our|his|her|its|their|your|.+?(?:'s|s'))\s+(?P<thing>.+)$", re.IGNORECASE)
_FIRST = frozenset("i me my mine myself we us our ours".split())
_WORKS = frozenset("project app platform service tool".split())
_WE = frozenset("we us our ours".split())
_CASES = frozenset("case ticket issue incident bug order request claim".split())
_SHARED = frozenset(("place", "lodging", "event"))
"""Where those who are together are all at once."""
_SECOND = frozenset("you your yours".split())
_MALE = frozenset("he him his".split())
_FEMALE = frozenset("she her hers".split())
_IT = frozenset("it its".split())
_THEY = frozenset("they them their theirs".split())
_PRONOUNS = _FIRST | _SECOND | _MALE | _FEMALE | _IT | _THEY | frozenset("this that these those one both".split())
_DEFINITE = re.compile(r"(?:the|my|our|his|her|its|their|this|that|these|those)\b", re.IGNORECASE)
_DESCRIBED = re.compile(r"[A-ZÀ-Þ][^\s]* the (?:[a-z-]+ )?[a-z-]+")
"""One of two namesakes: "Anna the baker"."""
_POINTING = re.compile(r"(?:this|that|these|those)\b", re.IGNORECASE)
_GENERIC = frozenset(
    "company firm business club band team choir group place school shop bank society association committee guild project app "
    "store college university orchestra party firm agency startup pair outfit lot crew".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Meant:
    """Who or what a phrase means; several for "we both" or a list."""

    names: tuple[str, ...]
    is_person: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Traits:
    """What a name alone tells of its bearer."""

    kin: str | None
    """Gender of a "brother" or "aunt"."""
    title: str | None
    """"mr" of "Mr Ong"."""
    is_ticket: bool


@lru_cache(maxsize=4_096)
def _traits(name: str) -> _Traits:
    first, *others = name.split()
    title = first.lower().rstrip(".")
    return _Traits(
        kin=kin_gender(name),
        title=title if others and title in words().titles else None,
        is_ticket=fits_type(name, "ticket"),
    )


def _person_at(end: str, name: str) -> bool | None:
    """Whether who stands at this end of a relation is a person; None where either may stand."""
    if not is_person_end(end) and any(word in end for word in ("person", "pupil", "buyer", "seller")):
        return None
    return is_person_end(end) and not fits_type(name, "company")


@dataclass(slots=True)
class Discourse:
    """What has been spoken of so far in a group; `settle` says what a phrase means now."""

    speaker: str | None = None
    assistant: bool = False
    facts: ToldFacts = field(default_factory=ToldFacts)
    known: Entities = field(default_factory=Entities)
    _kin: dict[tuple[str, str], str] = field(default_factory=dict)
    _ticket: str | None = None
    _bare_thing: tuple[str, int] | None = None
    """A common noun that "it" may mean, and when it was mentioned."""
    _pair: tuple[str, ...] = ()
    """Two persons last spoken of together: what "they" means."""
    _company: tuple[str, ...] = ()
    """The speaker and who was last named beside them ("Ebba and I moved"): what "we" means where they go."""
    _placed: frozenset[str] = frozenset()
    """Names that stand behind "in" in the clause being read."""
    _other: str | None = None
    _turns: tuple[str | None, ...] = ()
    """Who spoke in the last turns."""

    # ---- taking in

    def turn(self, speaker: str | None, names: Sequence[Name] = ()) -> None:
        """A new episode begins, told by `speaker` (None: a document)."""
        if self.speaker and self.speaker != speaker:
            self._other = self.speaker
        self._turns = (*self._turns[-5:], speaker)
        self.assistant = speaker is not None and speaker.lower() in ("assistant", "system", "bot", "ai")
        self.speaker = None if self.assistant else speaker
        for name in names:
            self.known.note(name.spelling)
        if self.speaker:
            self.known.note(self.speaker).person = True
        self.known.tick()

    def hear(self, clause: HeardClause) -> None:
        """Notice the names of a clause, and "my sister Leila"."""
        self.known.tick()
        for spoken, _place, leads in clause.names:
            traits = _traits(spoken)
            known = self._noted(spoken)
            known.last_at = self.known.clock
            if leads:
                known.subject_at = self.known.clock
            if traits.kin is not None:
                known.person, known.gender = True, traits.kin
            if traits.is_ticket:
                self._ticket = known.name
            if traits.title is not None:
                known.person = True
                known.gender = title_gender(traits.title)
        for thing in clause.things[:1]:
            same = self.known.get(self.known.same_thing(thing))
            if same is not None:
                same.last_at = self.known.clock
            elif not self.is_person(thing) and not is_vague(thing.lower()):
                self._bare_thing = (thing, self.known.clock)
        for spoken in clause.speaking:
            self.known.note(self.known.full(spoken)).person = True
        for spoken, gender in clause.gendered:
            known = self.known.note(self.known.full(spoken))
            known.person, known.gender = True, gender
            known.subject_at = known.last_at = self.known.clock

    def open_clause(self, clause: HeardClause) -> None:
        """A clause begins: whom its "my sister Leila" names is known at once, its other names only as it goes on."""
        self.known.tick()
        self.known.clause_at = self.known.clock
        self._placed = frozenset(clause.placed)
        self._tell_apart([spoken for spoken, _place, _leads in clause.names])
        for other, name in clause.also:
            who = self.settle(name, "person")
            if who is not None:
                self.name_also(other, who.names[0])
        for owner, word, name in clause.kin:
            who = self.settle(re.sub(r"'s?$", "", owner), "person")
            if who is not None and len(who.names) == 1 and name:
                self.name_kin(who.names[0], word, self.known.full(name))

    def _tell_apart(self, names: Sequence[str]) -> None:
        """Of two names in one clause of which one holds the other, the shorter is no short form."""
        for short in names:
            if any(long_ != short and long_.startswith(f"{short} ") for long_ in names):
                self.known.note(short).is_alone = True

    def hear_name(self, spoken: str, *, leads: bool) -> None:
        """Notice one name ahead of the rest of its clause; `leads`: it is the subject of a verb."""
        known = self._noted(spoken)
        known.last_at = self.known.tick()
        if leads:
            known.subject_at = known.last_at
        if _traits(spoken).is_ticket:
            self._ticket = known.name

    def _noted(self, spoken: str) -> Entity:
        known = self.known.note(self.known.full(spoken))
        known.is_place = known.is_place or spoken in self._placed
        return known

    def learn(self, statement: Statement, said_at: datetime) -> None:
        """A statement was read: its ends are persons or things from now on."""
        self.facts.learn(statement, said_at)
        ends = ends_of(statement.relation)
        for name, end, first in ((statement.subject, ends[0], True), (statement.object, ends[1], False)):
            known = self.known.note(name)
            self.known.tick()
            known.last_at = self.known.clock
            if first:
                known.subject_at = self.known.clock
            if known.person is None:
                known.person = _person_at(end, known.name)
            if not known.person and is_group_end(end) and ("person" not in end or name.endswith("s")):
                known.is_group = True
        if all(map(self.is_person, (statement.subject, statement.object))):
            self._pair = (statement.subject, statement.object)

    def name_kin(self, owner: str, word: str, name: str) -> None:
        """`name` is the owner's "sister" from now on."""
        self._kin[owner.lower(), word.lower()] = name
        known = self.known.note(name)
        known.person = True
        known.gender = kin_gender(word) or known.gender
        known.last_at = self.known.clock

    # ---- what is known

    def last(self, relation: str, side: int) -> str | None:
        """Whoever or whatever was last spoken of at this side of a relation; for tickets also the one last named."""
        told = self.facts.last(relation, side)
        return self._ticket if told is None and ends_of(relation)[side].startswith("ticket") else told

    def partner_in_talk(self) -> str | None:
        """The other one of two: who spoke before, else the person mentioned last."""
        return self._other if self._other not in (None, self.speaker) else self.other()

    def other(self) -> str | None:
        """The person spoken of last beside the speaker, if it was a moment ago."""
        return last_person(self.known, self.speaker)

    def group(self, relation: str) -> str | None:
        """The firm, club or project that "we" or "the team" means."""
        return self._group("", relation)

    def has_heard(self, name: str) -> bool:
        """Whether this name was spoken before the clause being read."""
        known = self.known.get(self.known.full(name))
        return known is not None and (known.person is True or 0 <= known.last_at < self.known.clause_at)

    def may_be_person(self, name: str) -> bool:
        """Whether this is, or could be, a person: a bare name of which nothing is known."""
        known = self.known.get(name)
        if known is not None and known.person is not None:
            return known.person
        return is_all_capital(name) and not any(c.isdigit() for c in name)

    def is_group(self, name: str) -> bool:
        """Whether this is known to be a firm, club, team or project."""
        known = self.known.get(name)
        return known is not None and known.is_group

    def is_person(self, name: str) -> bool:
        """Whether this is known to be a person."""
        return self.known.is_person(name)

    # ---- settling

    def settle_list(self, phrase: str, end: str, relation: str = "") -> Meant | None:
        """What each item of a list means; None when in doubt about one."""
        meant = [self.settle(part, end, relation) for part in list_parts(phrase)]
        if any(m is None for m in meant):
            return None
        names = tuple(n for m in meant if m for n in m.names)
        if self.speaker in names and len(names) == 2 and is_person_end(end):
            self._company = names
        return Meant(names=names, is_person=is_person_end(end))

    def settle(self, phrase: str, end: str, relation: str = "") -> Meant | None:
        """What a phrase means at this end of a relation; None when in doubt."""
        phrase = phrase.strip(" ,")
        if phrase.startswith("@") and len(phrase) > 1:
            return self._one(self.known.full(phrase[1:]), person=is_person_end(end))
        lower = phrase.lower()
        if two := of_the_two(self.known, lower, self.speaker, end):
            return Meant(names=two, is_person=is_person_end(end))
        if lower in _WE and self.speaker in self._company and ends_of(relation)[1] in _SHARED and is_person_end(end):
            return Meant(names=self._company, is_person=True)
        if not phrase or (is_vague(lower) and not (len(phrase.split()) > 1 and phrase.split()[-1][:1].isupper())):
            return None
        if end == "parent" and lower in ("our", "we", "us") and self.speaker:
            partner = self.facts.kin(self.speaker, "partner")
            return Meant(names=(self.speaker, partner) if partner else (self.speaker,), is_person=True)
        return self._pronoun(lower, end, relation) if lower in _PRONOUNS else self._noun(phrase, end, relation)

    def _pronoun(self, lower: str, end: str, relation: str) -> Meant | None:
        if lower in _FIRST:
            ours = self._ours(relation) if lower in _WE and not is_person_end(end) else None
            return self._one(ours) if ours is not None else self._one(self.speaker, person=True)
        if lower in _SECOND:
            return None
        if lower in _MALE | _FEMALE and not is_person_end(end) and "owner" not in end:
            animal = last_animal(self.known, self.speaker)
            if animal is not None:
                return self._one(animal)
        if lower in ("him", "her") and end.startswith("thing"):
            return None
        if lower in _MALE | _FEMALE:
            gender = "m" if lower in _MALE else "f"
            person = person_meant(self.known, gender, self._talking, self.speaker, owns=lower == "his")
            return self._one(person, person=True)
        if lower in _THEY:
            return self._they(end)
        return self._one(self._it(relation)) if lower in _IT and not is_person_end(end) else None

    def _one(self, name: str | None, *, person: bool = False) -> Meant | None:
        return None if not name else Meant(names=(name,), is_person=person)

    def _ours(self, relation: str) -> str | None:
        """The firm or thing of which "we" was told this before; None where the relation was told of no thing."""
        last = self.facts.last(relation, 0)
        return last if last is not None and not self.is_person(last) else None

    def _it(self, relation: str) -> str | None:
        """The thing last spoken of; what the relation was told of before, where nothing was named in this sentence."""
        last = last_thing(self.known, self._bare_thing)
        bearer = next((t.statement.subject for t in self.facts.states((relation,))), None)
        known = self.known.get(bearer) if bearer is not None else None
        if known is None or known.person or last is None or self.known.is_fresh(last, self._bare_thing):
            return last
        return known.name

    def _they(self, end: str) -> Meant | None:
        if self._pair and is_person_end(end):
            return Meant(names=self._pair, is_person=True)
        return None if is_person_end(end) else self._one(last_thing(self.known, self._bare_thing))

    @property
    def _talking(self) -> frozenset[str | None]:
        """Who is not meant by "he" or "she": the speaker, and in a talk of two in turns also the one talked to."""
        turns = self._turns
        in_turns = len(turns) == 6 and len(set(turns)) == 2 and all(a != b for a, b in pairwise(turns))
        return frozenset(turns) if in_turns else frozenset((self.speaker,))

    def _noun(self, phrase: str, end: str, relation: str) -> Meant | None:
        if _POINTING.match(phrase):
            same = self.known.same_thing(without_determiner(phrase))
            return self._one(same) if self.known.get(same) is not None else None
        if (owned := _OWNED.match(phrase)) is not None:
            return self._owned(owned, end, relation)
        if self.speaker and phrase.lower() in words().kin and self.known.get(phrase) is None:
            own = self.known.get(f"{self.speaker}'s {phrase}")
            if own is not None:
                return self._one(own.name, person=True)
        phrase = re.sub(r"^.*\b(?:called|named) (?=[A-Z])", "", phrase)
        name = without_kind_of_code(after_class_noun(without_determiner(phrase)))
        name = without_post(without_participle(name))
        if not name or (name.isdigit() and self.known.same_thing(name) == name):
            return None
        if name.isdigit():
            return self._one(self.known.same_thing(name))
        name = without_count(name)
        if is_person_end(end) and (any(c.isdigit() for c in name) or self._is_no_person(name)):
            return None
        name = name.removesuffix("'s") if is_person_end(end) else name
        if any(c.isupper() for c in name) or is_person_end(end):
            if is_person_end(end) and not name[:1].isupper():
                return self._one(self._known_person(name), person=True)
            return self._one(self.known.full(name), person=is_person_end(end))
        if end.startswith("ticket") and self._ticket is not None and self._is_bare_ticket(name, phrase):
            return self._one(self._ticket)
        if name.lower() in _GENERIC and re.match(r"(?:the|our|this)\b", phrase, re.IGNORECASE):
            if re.match(r"(?:the|our|this) new\b", phrase, re.IGNORECASE):
                return None
            return self._one(self._group(name, relation) or self.known.same_thing(name))
        return self._one(self.known.same_thing(name) if _DEFINITE.match(phrase) else name)

    def _owned(self, phrase: re.Match[str], end: str, relation: str) -> Meant | None:
        owner, thing = phrase["owner"], phrase["thing"]
        kin = self._kin_meant(owner, thing)
        if kin is not None:
            return self._one(kin, person=True)
        if is_person_end(end):
            return None
        whose, what = owner.lower(), thing.lower()
        if what in _GENERIC and whose not in ("its", "their"):
            return self._our(what, self._group(what, relation)) if whose == "our" else None
        if (named := after_class_noun(thing)) != thing:
            return self._one(self.known.full(named))
        return self._one(self.known.same_thing(phrase.group() if whose.endswith(("'s", "s'")) else thing))

    def _is_bare_ticket(self, name: str, phrase: str) -> bool:
        """Whether "the case" names no case of its own."""
        return name.lower() in _CASES and phrase.lower().startswith("the ") and self.known.get(name) is None

    def _is_no_person(self, name: str) -> bool:
        """Whether a name ends in a common noun ("Mill Lane site"), or is a known firm's or club's."""
        last = name.split()[-1]
        if _DESCRIBED.fullmatch(name) is not None and last in words().lists["role"]:
            return False
        return self.is_group(name) or (name[:1].isupper() and last.isalpha() and last.islower())

    def _our(self, thing: str, named: str | None) -> Meant | None:
        """What "our team" means: the one known, else the speaker's."""
        return self._one(named or (f"{self.speaker}'s {thing}" if self.speaker else None))

    def _known_person(self, name: str) -> str | None:
        known = self.known.get(name)
        return known.name if known is not None and known.person else None

    def _group(self, word: str, relation: str) -> str | None:
        """The club, firm or project last spoken of by its name, or in this relation."""
        same = [k for k in self.known.all() if k.person is False and head_of(k.name) == word and k.last_at >= 0]
        named = same or [k for k in self.known.all() if k.is_group and k.name[:1].isupper() and k.last_at >= 0]
        if not same:
            in_relation = self.facts.last(relation, 0)
            if in_relation is not None and not self.is_person(in_relation):
                return in_relation
        if not named and word in _WORKS:
            named = [k for k in self.known.all() if k.person is False and k.name[:1].isupper() and k.last_at >= 0]
        return max(named, key=lambda k: (k.subject_at, k.last_at)).name if named else None

    def _kin_meant(self, owner: str, thing: str) -> str | None:
        """The name of "my little sister" or "Mara's brother"; the name that follows the word, where one does."""
        tokens = thing.split()
        at = next((i for i, t in enumerate(tokens) if t.lower() in words().kin), None)
        if at is None or any(t[:1].isupper() for t in tokens[:at]):
            return None
        who = self.settle(re.sub(r"'s?$", "", owner), "person")
        if who is None or len(who.names) != 1:
            return None
        if tokens[at + 1 :]:
            name = self.known.full(" ".join(tokens[at + 1 :]))
            if name[:1].isupper():
                self.name_kin(who.names[0], tokens[at], name)
                return name
            return None
        named = self._kin.get((who.names[0].lower(), tokens[at].lower())) or self.facts.kin(
            who.names[0], tokens[at].lower()
        )
        called = self._known_person(tokens[at].capitalize()) if owner.lower() in ("my", "our") else None
        return named or called or f"{who.names[0]}'s {' '.join(tokens[: at + 1])}"

    def name_also(self, other: str, name: str) -> None:
        """`other` means the same person as `name` from now on."""
        if other.lower() != name.lower():
            self.known.aliases[other.lower()] = name
            self.known.note(name).person = True
