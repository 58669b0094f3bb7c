"""Who and what is meant: first person, pronouns, "my sister", short names, "the sofa", across the turns of a group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from graphmem.ingest.rules.names import HeardClause, without_determiner
from graphmem.ingest.rules.slots import fits_type
from graphmem.ingest.rules.told import ToldFacts
from graphmem.ingest.rules.words import words
from graphmem.model import Name, Statement
from graphmem.relations import ends_of

__all__ = ["Discourse", "Meant", "head_of", "is_person_end", "list_parts"]

_OWNED = re.compile(r"^(?P<owner>my|our|his|her|its|their|your|.+?(?:'s|s'))\s+(?P<thing>.+)$", re.IGNORECASE)
_FIRST = frozenset("i me my mine myself we us our ours".split())
_SECOND = frozenset("you your yours".split())
_MALE = frozenset("he him his".split())
_FEMALE = frozenset("she her hers".split())
_IT = frozenset("it its".split())
_THEY = frozenset("they them their".split())
_DEFINITE = re.compile(r"(?:the|my|our|his|her|its|their|this|that|these|those)\b", re.IGNORECASE)
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


@dataclass(slots=True)
class _Known:
    """A person or thing spoken of."""

    name: str
    words: frozenset[str]
    capital: bool
    person: bool | None = None
    is_group: bool = False
    """A firm, club, team or project: what "the company" or "the band" may mean."""
    gender: str | None = None
    last_at: int = -1
    """Number of the mention."""
    subject_at: int = -1


@dataclass(slots=True)
class Discourse:
    """What has been spoken of so far in a group; `settle` says what a phrase means now."""

    speaker: str | None = None
    assistant: bool = False
    facts: ToldFacts = field(default_factory=ToldFacts)
    _known: dict[str, _Known] = field(default_factory=dict)
    _by_word: dict[str, list[_Known]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    """Full name by another one, as the texts use them."""
    _kin: dict[tuple[str, str], str] = field(default_factory=dict)
    _clock: int = 0
    _clause_at: int = 0
    _ticket: str | None = None
    _bare_thing: str | None = None
    _bare_thing_at: int = -1
    _pair: tuple[str, ...] = ()
    """Two persons last spoken of together: what "they" means."""
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
            self._note(name.spelling)
        if self.speaker:
            self._note(self.speaker).person = True
        self._clock += 1

    def hear(self, clause: HeardClause) -> None:
        """Notice the names of a clause, and "my sister Leila"."""
        self._clock += 1
        for spoken, place in clause.names:
            leads = place == 0
            kin = _kin_gender(spoken)
            known = self._note(self._full(spoken))
            known.last_at = self._clock
            if leads:
                known.subject_at = self._clock
            if kin is not None:
                known.person, known.gender = True, kin
            if fits_type(spoken, "ticket"):
                self._ticket = known.name
            first = spoken.split()[0].lower().rstrip(".")
            if first in words().titles and len(spoken.split()) > 1:
                known.person = True
                known.gender = _title_gender(first)
        for thing in clause.things[:1]:
            same = self._known.get(self._same_thing(thing).lower())
            if same is not None:
                same.last_at = self._clock
            elif thing.split()[-1].lower() not in words().kin and not _is_vague(thing.lower()):
                self._bare_thing, self._bare_thing_at = thing, self._clock
        for spoken in clause.speaking:
            self._note(self._full(spoken)).person = True

    def open_clause(self, clause: HeardClause) -> None:
        """A clause begins: whom its "my sister Leila" names is known at once, its other names only as it goes on."""
        self._clock += 1
        self._clause_at = self._clock
        for other, name in clause.also:
            who = self.settle(name, "person")
            if who is not None:
                self.name_also(other, who.names[0])
        for owner, word, name in clause.kin:
            who = self.settle(re.sub(r"'s?$", "", owner), "person")
            if who is not None and len(who.names) == 1 and name:
                self.name_kin(who.names[0], word, self._full(name))

    def hear_name(self, spoken: str) -> None:
        """Notice one name ahead of the rest of its clause."""
        self._clock += 1
        self._note(self._full(spoken)).last_at = self._clock

    def learn(self, statement: Statement, said_at: datetime) -> None:
        """A statement was read: its ends are persons or things from now on."""
        self.facts.learn(statement, said_at)
        ends = ends_of(statement.relation)
        for name, end, first in ((statement.subject, ends[0], True), (statement.object, ends[1], False)):
            known = self._note(name)
            self._clock += 1
            known.last_at = self._clock
            if first:
                known.subject_at = self._clock
            if known.person is None:
                known.person = is_person_end(end)
            if not known.person and any(word in end for word in _GROUP_WORDS):
                known.is_group = True
        if all(map(self.is_person, (statement.subject, statement.object))):
            self._pair = (statement.subject, statement.object)

    def name_kin(self, owner: str, word: str, name: str) -> None:
        """`name` is the owner's "sister" from now on."""
        self._kin[owner.lower(), word.lower()] = name
        known = self._note(name)
        known.person = True
        known.gender = _kin_gender(word) or known.gender
        known.last_at = self._clock

    def _note(self, name: str) -> _Known:
        known = self._known.get(name.lower())
        if known is None:
            known = self._known[name.lower()] = _Known(
                name=name, words=frozenset(name.lower().split()), capital=_is_all_capital(name)
            )
            for word in known.words:
                self._by_word.setdefault(word, []).append(known)
        return known

    # ---- what is known

    def last(self, relation: str, side: int) -> str | None:
        """Whoever or whatever was last spoken of at this side of a relation; for tickets also the one last named."""
        told = self.facts.last(relation, side)
        return self._ticket if told is None and ends_of(relation)[side].startswith("ticket") else told

    def other(self) -> str | None:
        """The person spoken of last beside the speaker, if it was a moment ago."""
        persons = [k for k in self._known.values() if k.person and k.name != self.speaker and k.last_at >= 0]
        best = max(persons, key=lambda k: k.last_at) if persons else None
        return best.name if best is not None else None

    def group(self, relation: str) -> str | None:
        """The firm, club or project that "we" or "the team" means."""
        return self._group("", relation)

    def has_heard(self, name: str) -> bool:
        """Whether this name was spoken before the clause being read."""
        known = self._known.get(self._full(name).lower())
        return known is not None and (known.person is True or 0 <= known.last_at < self._clause_at)

    def may_be_person(self, name: str) -> bool:
        """Whether this is, or could be, a person: a bare name of which nothing is known."""
        known = self._known.get(name.lower())
        if known is not None and known.person is not None:
            return known.person
        return _is_all_capital(name) and not any(c.isdigit() for c in name)

    def is_person(self, name: str) -> bool:
        """Whether this is known to be a person."""
        known = self._known.get(name.lower())
        head = head_of(name)
        return (
            (known is not None and known.person is True) or head in words().kin or head in words().lists["person_noun"]
        )

    # ---- settling

    def settle_list(self, phrase: str, end: str, relation: str = "") -> Meant | None:
        """What each item of a list means; None when in doubt about one."""
        meant = [self.settle(part, end, relation) for part in list_parts(phrase)]
        if any(m is None for m in meant):
            return None
        return Meant(names=tuple(n for m in meant if m for n in m.names), is_person=is_person_end(end))

    def settle(self, phrase: str, end: str, relation: str = "") -> Meant | None:
        """What a phrase means at this end of a relation; None when in doubt."""
        phrase = phrase.strip(" ,")
        if phrase.startswith("@") and len(phrase) > 1:
            return self._one(self._full(phrase[1:]), person=is_person_end(end))
        lower = phrase.lower()
        if not phrase or (_is_vague(lower) and not (len(phrase.split()) > 1 and phrase.split()[-1][:1].isupper())):
            return None
        if end == "parent" and lower in ("our", "we", "us") and self.speaker:
            partner = self.facts.kin(self.speaker, "partner")
            return Meant(names=(self.speaker, partner) if partner else (self.speaker,), is_person=True)
        if lower in _FIRST:
            return self._one(self.speaker, person=True)
        if lower in _SECOND:
            return None
        if lower in _MALE | _FEMALE and not is_person_end(end):
            animal = self._animal()
            if animal is not None:
                return self._one(animal)
        if lower in _MALE | _FEMALE:
            return self._one(self._person("m" if lower in _MALE else "f"), person=True)
        if lower in _THEY:
            return self._they(end)
        if lower in _IT or lower in ("this", "that", "these", "those", "one", "both"):
            return self._one(self._thing()) if lower in _IT and not is_person_end(end) else None
        return self._noun(phrase, end, relation)

    def _one(self, name: str | None, *, person: bool = False) -> Meant | None:
        return None if not name else Meant(names=(name,), is_person=person)

    def _they(self, end: str) -> Meant | None:
        if self._pair and is_person_end(end):
            return Meant(names=self._pair, is_person=True)
        return None if is_person_end(end) else self._one(self._thing())

    def _person(self, gender: str) -> str | None:
        """The person last spoken of as a subject, else last mentioned, if the gender fits and it is not the speaker."""
        fits = [
            k
            for k in self._known.values()
            if k.person and k.last_at >= 0 and k.gender in (None, gender) and k.name not in self._talking
        ]
        if not fits:
            fits = [k for k in self._known.values() if k.person is None and k.last_at >= 0 and k.name != self.speaker]
            fits = [
                k for k in fits if k.capital and " " not in k.name and len(k.name) > 1 and k.last_at >= self._clock - 6
            ]
        if not fits:
            return None
        near = [k for k in fits if k.last_at > self._clause_at]
        if len(near) > 1:
            sure_near = [k for k in near if k.gender == gender]
            return sure_near[0].name if len(sure_near) == 1 else None
        sure = [k for k in fits if k.gender == gender]
        best = max(sure or fits, key=lambda k: (k.subject_at, k.last_at))
        latest = max(fits, key=lambda k: (k.last_at, k.subject_at))
        if sure and latest.gender is None and latest.last_at > best.last_at + 3:
            best = latest
        best.gender = gender
        return best.name

    @property
    def _talking(self) -> frozenset[str | None]:
        """Who is not meant by "he" or "she": the speaker, and in a talk of two in turns also the one talked to."""
        turns = self._turns
        in_turns = len(turns) == 6 and len(set(turns)) == 2 and all(a != b for a, b in pairwise(turns))
        return frozenset(turns) if in_turns else frozenset((self.speaker,))

    def _animal(self) -> str | None:
        """The animal or baby spoken of since any person but the speaker was."""
        pets = [k for k in self._known.values() if k.person is False and (fits_type(k.name, "pet") or k.name == "baby")]
        if not pets:
            return None
        pet = max(pets, key=lambda k: k.last_at)
        later = [k for k in self._known.values() if k.person and k.name != self.speaker and k.last_at > pet.last_at]
        return None if later else pet.name

    def _thing(self) -> str | None:
        things = [k for k in self._known.values() if k.person is False and k.last_at >= 0]
        if not things:
            things = [k for k in self._known.values() if k.person is None and k.last_at >= max(0, self._clock - 4)]
        best = max(things, key=lambda k: max(k.subject_at + 2, k.last_at)) if things else None
        if (
            self._bare_thing
            and self._bare_thing_at >= self._clause_at - 12
            and (best is None or best.last_at < self._bare_thing_at)
        ):
            return self._bare_thing
        return best.name if best is not None else None

    def _noun(self, phrase: str, end: str, relation: str) -> Meant | None:
        if _POINTING.match(phrase):
            same = self._same_thing(without_determiner(phrase))
            return self._one(same) if same.lower() in self._known else None
        owned = _OWNED.match(phrase)
        if owned is not None:
            kin = self._kin_meant(owned.group("owner"), owned.group("thing"))
            if kin is not None:
                return self._one(kin, person=True)
            if is_person_end(end):
                return None
            if owned.group("thing").lower() in _GENERIC and owned.group("owner").lower() not in ("its", "their"):
                named = self._group(owned.group("thing").lower(), relation)
                return self._our(owned.group("thing").lower(), named) if owned.group("owner").lower() == "our" else None
            if not owned.group("owner").lower().endswith(("'s", "s'")):
                return self._one(self._same_thing(owned.group("thing")), person=False)
            return self._one(self._same_thing(phrase))
        phrase = re.sub(r"^.*\b(?:called|named) (?=[A-Z])", "", phrase)
        name = _without_participle(_after_class_noun(without_determiner(phrase)))
        if not name or (name.isdigit() and self._same_thing(name) == name):
            return None
        if name.isdigit():
            return self._one(self._same_thing(name))
        name = _without_count(name)
        if is_person_end(end) and any(c.isdigit() for c in name):
            return None
        name = name.removesuffix("'s") if is_person_end(end) else name
        if any(c.isupper() for c in name) or is_person_end(end):
            if is_person_end(end) and not name[:1].isupper():
                return self._one(self._known_person(name), person=True)
            return self._one(self._full(name), person=is_person_end(end))
        if name.lower() in _GENERIC and re.match(r"(?:the|our|this)\b", phrase, re.IGNORECASE):
            return self._one(self._group(name, relation) or self._same_thing(name))
        return self._one(self._same_thing(name) if _DEFINITE.match(phrase) else name)

    def _our(self, thing: str, named: str | None) -> Meant | None:
        """What "our team" means: the one known, else the speaker's."""
        return self._one(named or (f"{self.speaker}'s {thing}" if self.speaker else None))

    def _known_person(self, name: str) -> str | None:
        known = self._known.get(name.lower())
        return known.name if known is not None and known.person else None

    def _group(self, word: str, relation: str) -> str | None:
        """The club, firm or project last spoken of by its name, or in this relation."""
        same = [k for k in self._known.values() if k.person is False and head_of(k.name) == word and k.last_at >= 0]
        named = same or [k for k in self._known.values() if k.is_group and k.name[:1].isupper() and k.last_at >= 0]
        if not same:
            in_relation = self.facts.last(relation, 0)
            if in_relation is not None and not self.is_person(in_relation):
                return in_relation
        return max(named, key=lambda k: k.last_at).name if named else None

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
            name = self._full(" ".join(tokens[at + 1 :]))
            if name[:1].isupper():
                self.name_kin(who.names[0], tokens[at], name)
                return name
            return None
        named = self._kin.get((who.names[0].lower(), tokens[at].lower())) or self.facts.kin(
            who.names[0], tokens[at].lower()
        )
        return named or f"{who.names[0]}'s {' '.join(tokens[: at + 1])}"

    def name_also(self, other: str, name: str) -> None:
        """`other` means the same person as `name` from now on."""
        if other.lower() != name.lower():
            self.aliases[other.lower()] = name
            self._note(name).person = True

    def _full(self, name: str) -> str:
        """The full name that a short one stands for: told as another name, or the only known name that holds its words."""
        name = name.removeprefix("@")
        if name.lower() in self.aliases:
            return self.aliases[name.lower()]
        known = self._known.get(name.lower())
        spoken = frozenset(name.lower().split())
        longer = [
            k.name
            for k in self._with_words(spoken)
            if k.capital and len(k.words) > len(spoken) and not any(c.isdigit() for w in k.words - spoken for c in w)
        ]
        if len(longer) == 1 and (known is None or not known.person or longer[0].split()[0].lower() in spoken):
            return longer[0]
        return known.name if known is not None else name

    def _with_words(self, spoken: frozenset[str]) -> list[_Known]:
        """Those whose names hold all these words."""
        if not spoken:
            return []
        rarest = min((self._by_word.get(word, []) for word in spoken), key=len)
        return [k for k in rarest if spoken <= k.words]

    def _same_thing(self, name: str) -> str:
        """The known thing of this head noun whose words include, or are included in, those of the phrase; else the phrase."""
        spoken = frozenset(name.lower().split())
        same = [k for k in self._with_words(spoken) if k.person is not True]
        if not same:
            known = {id(k): k for word in spoken for k in self._by_word.get(word, ())}.values()
            same = [k for k in known if k.person is not True and len(k.words) > 1 and k.words <= spoken]
        return max(same, key=lambda k: k.last_at).name if same else name


_INDEFINITE = frozenset(
    (
        "somewhere anywhere everywhere nowhere something anything everything nothing somebody anybody everybody"
        " nobody someone anyone everyone"
    ).split()
)
_GROUP_WORDS = ("club", "company", "employer", "team", "school", "firm", "project", "organisation")
_PERSON_ENDS = frozenset(
    (
        "person",
        "child",
        "parent",
        "manager",
        "player",
        "traveller",
        "doctor or therapist",
        "teacher",
        "coach",
        "its one leader",
    )
)


def _is_vague(phrase: str) -> bool:
    """Whether a phrase names nothing: "a lot", "my own", "the other one"."""
    last = re.split(r"\s+of\s+", phrase)[0].split()[-1:]
    tokens = phrase.split()
    if tokens and tokens[0] in _INDEFINITE:
        return True
    return not last or (len(tokens) > 1 and tokens[-1] in words().determiners) or last[0] in words().vague


def _is_all_capital(name: str) -> bool:
    return all(not word[:1].islower() for word in name.split())


def is_person_end(end: str) -> bool:
    """Whether this end of a relation is always a person."""
    return end in _PERSON_ENDS


def head_of(name: str) -> str:
    """The last word of a name before any "of"."""
    return re.split(r"\s+of\s+", name.lower())[0].split()[-1] if name.split() else ""


def _after_class_noun(phrase: str) -> str:
    """ "MF Lunde" of "ferry MF Lunde"; "Leila" of "little sister Leila"."""
    tokens = phrase.split()
    for i, token in enumerate(tokens[:-1]):
        if token[:1].isupper() or not token.isalpha():
            break
        if (
            token.lower() in words().class_nouns | words().kin
            and tokens[i + 1][:1].isupper()
            and not tokens[i + 1][0].isdigit()
        ):
            return " ".join(tokens[i + 1 :])
    return phrase


def _without_participle(phrase: str) -> str:
    """ "flight" of "flight carrying Mo"."""
    return re.sub(r"(?<=[a-z]) [a-z]+(?:ing|ed) (?=[A-Z]).*$", "", phrase)


def _without_count(name: str) -> str:
    """ "SCOBY shares" of "twenty SCOBY shares"."""
    first, _, rest = name.partition(" ")
    return rest if rest.endswith("s") and first in words().numbers else name


def list_parts(phrase: str) -> list[str]:
    """The items of "Alba, Bjarke and Cleo"."""
    return [p.strip() for p in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", phrase) if p.strip()]


def _title_gender(title: str) -> str | None:
    known = words()
    return "m" if title in known.titles_male else "f" if title in known.titles_female else None


def _kin_gender(word: str) -> str | None:
    known = words()
    return "m" if word.lower() in known.kin_male else "f" if word.lower() in known.kin_female else None
