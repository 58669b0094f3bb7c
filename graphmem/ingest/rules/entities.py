"""The persons and things spoken of in a group, with when each was last mentioned."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from graphmem.ingest.rules.nouns import head_of, is_all_capital
from graphmem.ingest.rules.words import words

__all__ = ["Entities", "Entity"]


@dataclass(slots=True)
class Entity:
    """A person or thing spoken of."""

    name: str
    words: frozenset[str]
    capital: bool
    person: bool | None = None
    is_group: bool = False
    """A firm, club, team or project: what "the company" or "the band" may mean."""
    is_place: bool = False
    """It stood behind "in" or "near"."""
    gender: str | None = None
    is_alone: bool = False
    """It was named beside a longer name that holds it: "Kelpwise launched Kelpwise Dry"."""
    first_at: int = -1
    last_at: int = -1
    """Number of the mention."""
    subject_at: int = -1


def _words_of(low: str) -> frozenset[str]:
    """The words of a name in lower case; of a code also its number: "3108" of "qx-3108"."""
    spoken = low.split()
    return frozenset((*spoken, *(code.group(1) for word in spoken if (code := _CODE.fullmatch(word)) is not None)))


_CODE = re.compile(r"[a-z]{1,6}-(\d{2,})")


@dataclass(slots=True)
class Entities:
    """Everyone and everything spoken of so far; the clock counts mentions and clauses."""

    clock: int = 0
    clause_at: int = 0
    """When the clause being read began."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Full name by another one, as the texts use them."""
    _known: dict[str, Entity] = field(default_factory=dict)
    _by_word: dict[str, list[Entity]] = field(default_factory=dict)

    def tick(self) -> int:
        """One mention later."""
        self.clock += 1
        return self.clock

    def get(self, name: str) -> Entity | None:
        """The one of this very name."""
        return self._known.get(name.lower())

    def all(self) -> tuple[Entity, ...]:
        """Everyone and everything, in the order of the first mention."""
        return tuple(self._known.values())

    def is_fresh(self, name: str, bare: tuple[str, int] | None) -> bool:
        """Whether a thing was mentioned in this clause or right before it; `bare`: a common noun, and when it was mentioned."""
        known = self.get(name)
        last_at = bare[1] if bare is not None and bare[0] == name else known.last_at if known is not None else -1
        return last_at >= self.clause_at - 2

    def note(self, name: str) -> Entity:
        """The one of this name, from now on known."""
        low = name.lower()
        known = self._known.get(low)
        if known is None:
            known = self._known[low] = Entity(
                name=name, first_at=self.clock, words=_words_of(low), capital=is_all_capital(name)
            )
            for word in known.words:
                self._by_word.setdefault(word, []).append(known)
        return known

    def is_person(self, name: str) -> bool:
        """Whether this is known to be a person."""
        known, head = self.get(name), head_of(name)
        return (
            (known is not None and known.person is True) or head in words().kin or head in words().lists["person_noun"]
        )

    def full(self, name: str) -> str:
        """The full name that a short one stands for: told as another name, or the only known name that holds its words."""
        name = name.removeprefix("@")
        low = name.lower()
        if low in self.aliases:
            return self.aliases[low]
        known = self._known.get(low)
        several = self._known.get(low + "s")
        if several is not None and several.is_group and (known is None or known.person is None):
            return several.name
        spoken = frozenset(low.split())
        longer = [
            k.name
            for k in self.with_words(spoken)
            if k.capital and len(k.words) > len(spoken) and not any(c.isdigit() for w in k.words - spoken for c in w)
        ]
        is_thing = known is not None and (known.person is False or known.is_alone)
        if (
            len(longer) == 1
            and not is_thing
            and (known is None or not known.person or longer[0].split()[0].lower() in spoken)
        ):
            return longer[0]
        return known.name if known is not None else self._without_title(name)

    def _without_title(self, name: str) -> str:
        """Whom "Ms Ong" means: the only one known of this surname; else the name as it is."""
        title, _, rest = name.partition(" ")
        if title.lower().rstrip(".") not in words().titles or not rest:
            return name
        same = {k.name for k in self.with_words(frozenset(rest.lower().split())) if k.person is not False and k.capital}
        return same.pop() if len(same) == 1 else name

    def with_words(self, spoken: frozenset[str]) -> list[Entity]:
        """Those whose names hold all these words."""
        rarest: list[Entity] = []
        for word in spoken:
            those = self._by_word.get(word)
            if those is None:
                return []
            if not rarest or len(those) < len(rarest):
                rarest = those
        return [k for k in rarest if spoken <= k.words]

    def same_thing(self, name: str) -> str:
        """The known thing of this head noun whose words include, or are included in, those of the phrase; else the phrase."""
        spoken = frozenset(name.lower().split())
        same = [k for k in self.with_words(spoken) if k.person is not True]
        if not same:
            known = {id(k): k for word in spoken for k in self._by_word.get(word, ())}.values()
            same = [k for k in known if k.person is not True and len(k.words) > 1 and k.words <= spoken]
        return max(same, key=lambda k: k.last_at).name if same else name
