"""From a saying that was found to the statements it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from graphmem.ingest.rules.aspect import View
from graphmem.ingest.rules.claims import Turn, turn_of
from graphmem.ingest.rules.matching import Match
from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.nouns import list_parts
from graphmem.ingest.rules.plain import BREAK, PlainClause, is_participle
from graphmem.ingest.rules.sayings import Gift, Verb
from graphmem.ingest.rules.slots import fits_type
from graphmem.ingest.rules.values import LITERAL_TYPES, VALUE_TYPES, day_named, tidy_value
from graphmem.ingest.rules.who import Discourse, Meant
from graphmem.ingest.rules.words import Form, words
from graphmem.model import EntityKind, Statement
from graphmem.relations import builtin_relations, ends_of
from graphmem.timeline.claims import Kind
from graphmem.timeline.phrases import Tense, TimePhrase

__all__ = ["Giving", "suits"]

_NEVER_PERSONS = frozenset(
    (
        "thing",
        "thing or company",
        "thing, team, organisation",
        "service",
        "software or device",
        "team, project, club, department",
        "ticket, order, project",
    )
)
"""Ends of relations where no person stands."""
_NEVER_PERSON_OBJECTS = frozenset(
    ("tool", "place", "employer", "school", "platform", "bank", "insurer", "vehicle", "lodging")
)
_ANY_SUBJECT = frozenset(("", "np", "person", "thing", "name", "object", "led"))
"""Types of slots that a subject left out always fits."""
_DETERMINERS = frozenset("my our your his its their the a an".split())
_PERSONS = frozenset("i we he she".split())
_OWNERS = frozenset("my our his her their".split())


def suits(match: Match, clause: PlainClause, times: Sequence[int], who: Discourse) -> bool:
    """Whether the conditions of the saying's row are met; `times` are the expressions that date it."""
    saying, aspect = match.saying, match.aspect
    dates = [clause.times[i] for i in times]
    if saying.dated and not dates:
        return False
    if saying.whole and (match.start > 0 or clause.text[match.end :].strip()):
        return False
    if saying.until and not any(d.has_end for d in dates):
        return False
    if saying.bound and not any(d.is_bound for d in dates):
        return False
    is_doubtful = (saying.wary or saying.heard) and not _is_known(match.slots.get("s"), clause, who)
    if is_doubtful and (saying.heard or not _is_named(match, clause)):
        return False
    if aspect is None:
        return True
    if saying.ahead and aspect.view in (View.PAST, View.USED_TO):
        return False
    if saying.lasting and aspect.view is View.PRESENT and dates and not any(d.is_bound for d in dates):
        return False
    return aspect.still or not saying.still


def _is_known(said: str | None, clause: PlainClause, who: Discourse) -> bool:
    if said is None or said.startswith(BREAK):
        return said is None or said.strip(f" {BREAK}").lower() in _PERSONS
    spoken = clause.spoken(said)
    return spoken.split()[0].lower() in _OWNERS or who.has_heard(without_determiner(spoken))


def _is_named(match: Match, clause: PlainClause) -> bool:
    """Whether the subject looks like one person's name: one or two words with capitals, and a verb in the singular after them."""
    said = match.slots.get("s")
    if said is None:
        return False
    name = said.split()
    if len(name) > 2 or not all(w.isalpha() and w[0].isupper() and w[1:].islower() for w in name):
        return False
    if any(w.lower() in _no_names() for w in name):
        return False
    verb = clause.text[clause.text.find(said, match.start) + len(said) :].lstrip(BREAK).split(" ")[0].lower()
    has_third = match.aspect is not None and match.aspect.form == Form.THIRD
    return verb in _SINGULARS or (has_third and verb.endswith("s"))


_SINGULARS = frozenset("is has does can used".split())


@cache
def _no_names() -> frozenset[str]:
    """Common words with which a sentence may begin."""
    known = words()
    return frozenset().union(*known.lists.values(), known.vague, known.kin, known.openers, known.fillers, _COMMON)


_COMMON = frozenset(
    (
        "work school life god one time everyone everybody nobody neither most today weather money food role position title job"
        " employer name address phone email status owner price version deadline priority"
    ).split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Giving:
    """What the words around a match add to it."""

    clause: PlainClause
    who: Discourse
    said_at: datetime
    subject: str | None
    """Words of its subject, also where they were left out."""
    joined: str | None
    """Words of its subject with those who stand before it: "Ebba and I"."""
    before: tuple[TimePhrase, ...]
    """The last time words of the sentence before."""

    def statements(self, match: Match, times: Sequence[int]) -> list[Statement]:
        """The statements of a match that is dated by these time expressions; none when in doubt who is meant."""
        if not self._is_when(match):
            return []
        given = [s for gift in match.saying.gives for s in self._gift(gift, match, times)]
        return [*self._ended(match, times), *given] if given and "old" in match.slots else given

    def _ended(self, match: Match, times: Sequence[int]) -> list[Statement]:
        """What the new one comes in the place of, where it is named: "from Leeds" of "moved from Leeds to Porto"."""
        begun = (gift for gift in match.saying.gives if gift.verb == Verb.BEGIN and not gift.if_old)
        ended = [replace(gift, verb=Verb.STOP, object="old") for gift in begun]
        ended += [
            replace(gift, verb=Verb.STOP, object="old", if_old=False, if_known=True)
            for gift in match.saying.gives
            if gift.if_old
        ]
        return [s for gift in ended for s in self._gift(gift, match, times)]

    def _is_when(self, match: Match) -> bool:
        if match.saying.when is None:
            return True
        slot, wanted = match.saying.when
        meant = self._meant(slot, match, wanted, 1 if slot == "o" else 0)
        return meant is not None and any(self._fits(name, wanted, slot) for name in meant.names)

    def _fits(self, name: str, wanted: str, slot: str) -> bool:
        """Whether a name is known in a relation, or looks like what a slot of the type ":ticket" takes."""
        if wanted == ":group":
            return self.who.is_group(name)
        if wanted.startswith("object:"):
            return bool(self.who.facts.who_has(wanted.removeprefix("object:"), name))
        if wanted == ":person":
            return self.who.is_person(name)
        if wanted.startswith("newest:"):
            relations = wanted.removeprefix("newest:").split(",")
            return self.who.facts.newest_relation(name, relations) == relations[0]
        if wanted.startswith(":"):
            return any(fits_type(name, kind) for kind in wanted[1:].split("|"))
        return bool(self.who.facts.who_has(wanted, name)) if slot == "o" else self.who.facts.knows(name, wanted)

    def _gift(self, gift: Gift, match: Match, times: Sequence[int]) -> list[Statement]:
        relation = builtin_relations().get(gift.relation)
        turn = turn_of(gift.verb, match.aspect, has_time=bool(times), is_event=relation is not None and relation.event)
        if turn is None or (turn.needs_time and not (times or match.used)) or self._lasts(turn, times):
            return []
        ends = self._ends(gift, match)
        if ends is None:
            return []
        subjects, objects = ends
        phrases = self._phrases(turn, match, times)
        is_value = match.saying.pattern.type_of(gift.object) in VALUE_TYPES
        return [
            Statement(
                kind=turn.kind,
                subject=s,
                relation=gift.relation,
                object=o,
                subject_kind=EntityKind.PERSON if subjects.is_person else EntityKind.THING,
                object_kind=EntityKind.PERSON
                if objects.is_person
                else EntityKind.VALUE
                if is_value
                else EntityKind.THING,
                times=phrases,
                quote=(self.clause.raw.start, self.clause.raw.end),
            )
            for s in subjects.names
            for o in objects.names
            if s.lower() != o.lower() and self._is_allowed(gift, turn, s, o) and self._is_in_place(gift, match, s)
        ]

    def _lasts(self, turn: Turn, times: Sequence[int]) -> bool:
        """Whether an event is said to last ("since May"): then it is none."""
        return turn.kind is Kind.EVENT and any(self.clause.times[i].lasts for i in times)

    def _is_allowed(self, gift: Gift, turn: Turn, subject: str, obj: str) -> bool:
        return not (gift.if_known or turn.if_known) or self.who.facts.knows(subject, gift.relation, obj)

    def _is_in_place(self, gift: Gift, match: Match, subject: str) -> bool:
        """Whether it comes in the place of something known in the relation, where the gift asks for that."""
        if not gift.if_old:
            return True
        old = self._meant("old", match, gift.relation, 1)
        return old is not None and any(self.who.facts.knows(subject, gift.relation, name) for name in old.names)

    def _phrases(self, turn: Turn, match: Match, times: Sequence[int]) -> tuple[TimePhrase, ...]:
        if turn.drops_time:
            return ()
        tense = match.aspect.tense if match.aspect is not None else None
        phrases = tuple(_phrase(self.clause.times[i].text, turn, tense) for i in times)
        if not phrases and match.saying.carries:
            return self.before
        if not phrases and turn.kind is Kind.HOLD and match.aspect is not None and match.aspect.always:
            return (TimePhrase(text="always"),)
        return phrases

    def _ends(self, gift: Gift, match: Match) -> tuple[Meant, Meant] | None:
        """Who stands at either end of the claim; None when in doubt, or where a thing is wanted and a person stands."""
        objects = self._meant(gift.object, match, gift.relation, 1)
        if gift.subject == "whoever" and objects is not None:
            subjects: Meant | None = Meant(names=self.who.facts.who_has(gift.relation, objects.names[0]))
        else:
            subjects = self._meant(gift.subject, match, gift.relation, 0)
        if gift.object == "same" and subjects is not None:
            told = [self.who.facts.last_object(name, gift.relation) for name in subjects.names]
            objects = Meant(names=tuple(name for name in told if name)[:1])
        if subjects is None or objects is None:
            return None
        only_things = match.saying.pattern.type_of(gift.subject) == "object"
        if only_things and any(map(self.who.may_be_person, subjects.names)):
            return None
        if ends_of(gift.relation)[1] in _NEVER_PERSON_OBJECTS and any(map(self.who.is_person, objects.names)):
            return None
        if ends_of(gift.relation)[0] in _NEVER_PERSONS and any(map(self.who.is_person, subjects.names)):
            return None
        return subjects, objects

    def _meant(self, slot: str, match: Match, relation: str, side: int) -> Meant | None:
        """What a slot, a literal or a special word of a claim means at this side of a relation."""
        if slot.startswith('"'):
            return Meant(names=(slot.strip('"'),))
        if slot in ("it", "me"):
            return self.who.settle(slot, ends_of(relation)[side], relation)
        if slot in _SPECIAL:
            name = self._special(slot, relation, side)
            return Meant(names=(name,)) if name else None
        said = match.slots.get(slot)
        kind = match.saying.pattern.type_of(slot) or ""
        if said is not None and kind == "date":
            moved = any(gift.verb == Verb.BEGIN for gift in match.saying.gives)
            return day_named(self.clause, said, self.said_at, moved=moved)
        is_left_out = said is None and slot == match.saying.pattern.first
        spoken = self.subject if is_left_out else self.clause.spoken(said or "")
        if said is not None and kind not in LITERAL_TYPES and self._is_definite(said, match):
            spoken = f"the {spoken}"
        in_list = slot in match.saying.pattern.lists
        if slot == match.saying.pattern.first:
            joined = self.joined or self._both(spoken)
            spoken, in_list = (joined, True) if joined is not None else (spoken, in_list)
        if is_left_out and kind not in _ANY_SUBJECT and not fits_type(without_determiner(spoken or ""), kind):
            return None
        return self._named(
            spoken,
            kind,
            ends_of(relation)[side],
            relation,
            in_list=in_list,
            is_subject=not side,
        )

    def _both(self, spoken: str | None) -> str | None:
        """Speaker and the other one of "we both"."""
        other = self.who.partner_in_talk() if (spoken or "").lower() == "we" and "both" in self.clause.words else None
        return f"I and {other}" if other is not None else None

    def _is_definite(self, said: str, match: Match) -> bool:
        """Whether an article of the saying itself stands before a slot ("run the {s}")."""
        before = self.clause.text[: max(self.clause.text.find(said, match.start), 0)].split()
        return bool(before) and before[-1].lower() == "the"

    def _special(self, slot: str, relation: str, side: int) -> str | None:
        if slot == "last":
            return self.who.last(relation, side)
        if slot == "vacant":
            return self.who.facts.vacant(relation)
        return self.who.group(relation) if slot == "group" else self.who.other()

    def _named(
        self, spoken: str | None, kind: str, end: str, relation: str, *, in_list: bool, is_subject: bool
    ) -> Meant | None:
        if not spoken:
            return None
        if kind == "role" and _is_no_role(without_determiner(spoken).split()[0].lower()):
            return None
        if is_subject and without_determiner(spoken).lower() in _value_nouns():
            return None
        if kind in LITERAL_TYPES:
            return Meant(names=tuple(tidy_value(part, kind) for part in (list_parts(spoken) if in_list else [spoken])))
        if spoken.endswith("'s") and (is_subject or kind not in ("name", "place")) and kind != "poss":
            return None
        if kind == "poss":
            spoken = spoken.removesuffix("'s").removesuffix("'")
        elif spoken.lower() in _DETERMINERS:
            return None
        if kind == "spot" and words().lists["nowhere"].intersection(spoken.lower().split()):
            return None
        return self.who.settle_list(spoken, end, relation) if in_list else self.who.settle(spoken, end, relation)


def _phrase(text: str, turn: Turn, tense: Tense | None) -> TimePhrase:
    """Time words of a claim; what is so "as of Monday" has been since the last one."""
    if text == "always":
        return TimePhrase(text=text)
    is_so = tense is None and text.lower().startswith("as of")
    return TimePhrase(text=text, role=turn.role, tense=Tense.PAST if is_so else tense)


def _is_no_role(first: str) -> bool:
    """Whether what begins with this word praises or does something instead of naming a role."""
    return first in words().lists["praise"] or first.endswith("ing") or is_participle(first)


@cache
def _value_nouns() -> frozenset[str]:
    """ "rent", "dose": nouns that name what is told of a thing, not a thing."""
    return frozenset(name.lower() for names in words().value_relations.values() for name in names)


_SPECIAL = frozenset(("last", "vacant", "group", "other"))
