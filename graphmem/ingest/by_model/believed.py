"""A read answer → statements: each tied to its own message, with a quote that stands there and names that somebody said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphmem.ingest.by_model.answer_form import MAX_NAME_CHARACTERS, Certainty, FactForm, ThingForm, VerbTense
from graphmem.ingest.by_model.grounding import is_named_in, place_of
from graphmem.ingest.by_model.iso_dates import iso_granule
from graphmem.ingest.by_model.read_answer import ReadAnswer
from graphmem.ingest.claim import said_moment
from graphmem.model import EntityKind, Episode, Statement, Tense, TimePhrase, TimeRole
from graphmem.ontology import IS_A
from graphmem.relations import as_written
from graphmem.terms import name_key
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.claims import Kind
from graphmem.timeline.granules import Granule

__all__ = ["Believed", "believed"]

_PRONOUNS = frozenset(
    "i me my mine myself you your yours he him his she her hers it its we us our ours they them their theirs this that "
    "these those one ones who which there here".split()
)
_ROLES = ((TimeRole.AT, "at"), (TimeRole.START, "start"), (TimeRole.END, "end"))
_TENSES = {VerbTense.PAST: None, VerbTense.FUTURE: Tense.FUTURE}
"""Past is what time words mean by themselves, but for those that look ahead ("until Friday")."""


@dataclass(kw_only=True)
class Believed:
    """What of an answer is believed, by the place of its message."""

    statements: list[list[Statement]]
    aliases: list[list[tuple[str, str]]]
    notes: list[list[str]] = field(default_factory=list)


def believed(answer: ReadAnswer, episodes: Sequence[Episode], heard: Sequence[str]) -> Believed:
    """The statements of each message; `heard`: texts and names of the context, where a name may come from too.

    What is left out is noted with its message, notes of the whole answer with the first; no text of it.
    """
    return _Belief(answer, episodes, heard).all()


class _Belief:
    """One answer while it is checked."""

    def __init__(self, answer: ReadAnswer, episodes: Sequence[Episode], heard: Sequence[str]) -> None:
        self._answer = answer
        self._episodes = episodes
        self._texts = [*heard, *(e.speaker or "" for e in episodes), *(e.text for e in episodes)]
        self._things: dict[int, ThingForm] = {}
        for thing in answer.things:
            self._things.setdefault(thing.n, thing)
        count = len(episodes)
        self._out = Believed(
            statements=[[] for _ in range(count)], aliases=[[] for _ in range(count)], notes=[[] for _ in range(count)]
        )

    def all(self) -> Believed:
        self._out.notes[0] += self._answer.notes
        if len(self._things) < len(self._answer.things):
            self._out.notes[0].append("two entities of the answer had one number: the first was kept")
        for position, fact in enumerate(self._answer.facts):
            self._take(position, fact)
        for statements in self._out.statements:
            statements[:] = dict.fromkeys(statements)
        self._add_types()
        self._add_aliases()
        return self._out

    # ---- one fact

    def _take(self, position: int, fact: FactForm) -> None:
        place = self._place(fact)
        if place is None:
            self._leave_out(position, fact, "its quote does not stand in the text")
            return
        number, quote = place
        ends = [self._end(n, number) for n in (fact.subject, fact.object)]
        faults = [fault for _, fault in ends if fault]
        if faults:
            self._leave_out(position, fact, faults[0], number)
        elif fact.certainty is Certainty.DOUBTFUL:
            self._leave_out(position, fact, "the text itself doubts it", number)
        else:
            subject, obj = (thing for thing, _ in ends if thing is not None)
            statement = self._statement(fact, subject, obj, quote, self._episodes[number])
            self._out.statements[number].append(self._dated(statement, fact, number, position))

    def _place(self, fact: FactForm) -> tuple[int, tuple[int, int]] | None:
        """The message that holds the quote: the one it is said to be in, else the only other one."""
        named = fact.message - 1 if fact.message else 0
        if 0 <= named < len(self._episodes) and (quote := place_of(fact.quote, self._episodes[named].text)):
            return named, quote
        found = [(n, quote) for n, e in enumerate(self._episodes) if (quote := place_of(fact.quote, e.text))]
        return found[0] if len(found) == 1 else None

    def _end(self, n: int, number: int) -> tuple[ThingForm | None, str]:
        """One end of a fact, or why it cannot be one."""
        thing = self._things.get(n)
        if thing is None:
            return None, "it is about an entity that the answer does not list"
        if name_key(thing.name) in _PRONOUNS:
            return None, "it names nobody but a pronoun"
        if is_named_in(thing.name, self._texts):
            return thing, ""
        named = place_of(thing.words, self._episodes[number].text) is not None or is_named_in(thing.words, self._texts)
        if named and name_key(thing.words) not in _PRONOUNS:
            return thing, ""
        return None, "a name of it was never said"

    def _statement(
        self, fact: FactForm, subject: ThingForm, obj: ThingForm, quote: tuple[int, int], episode: Episode
    ) -> Statement:
        return Statement(
            kind=fact.kind,
            subject=subject.name.strip(),
            relation=as_written(fact.relation),
            object=obj.name.strip(),
            subject_kind=subject.kind,
            object_kind=obj.kind,
            quote=quote,
            inferred=fact.certainty is Certainty.CONCLUDED,
            sentence=fact.sentence.strip(),
            told_by=self._teller(fact, episode),
        )

    def _teller(self, fact: FactForm, episode: Episode) -> str | None:
        """Who says so, where somebody named it and it is not the speaker."""
        says = " ".join(fact.says.split())
        is_speaker = name_key(says) in {*_PRONOUNS, "speaker", "user", name_key(episode.speaker or "")}
        if is_speaker or len(says) > MAX_NAME_CHARACTERS or not any(map(str.isalpha, says)):
            return None
        return says if is_named_in(says, self._texts) else None

    def _dated(self, statement: Statement, fact: FactForm, number: int, position: int) -> Statement:
        """The statement with its time words, or with dates where the words only point at them."""
        episode = self._episodes[number]
        said_at = said_moment(episode)
        phrases: list[TimePhrase] = []
        dates = {}
        for role, name in _ROLES:
            words = getattr(fact, name).strip()
            if not words:
                continue
            if place_of(words, episode.text) is not None:
                phrases.append(TimePhrase(text=words, role=role, tense=_TENSES[fact.tense]))
            elif (granule := iso_granule(words, said_at)) is not None:
                dates[role] = granule
            else:
                self._note(position, fact, "its time words do not stand in the text", number)
        if fact.kind is Kind.PAST:
            return statement
        return self._bounded(replace(statement, times=tuple(phrases)), dates, said_at, number, position, fact)

    def _bounded(
        self,
        statement: Statement,
        dates: dict[TimeRole, Granule],
        said_at: datetime,
        number: int,
        position: int,
        fact: FactForm,
    ) -> Statement:
        bounds = bounds_of(statement.kind, statement.times, said_at)
        start = dates.get(TimeRole.START) or dates.get(TimeRole.AT) or bounds.start
        end = dates.get(TimeRole.END) or bounds.end
        if statement.kind is Kind.STOP:
            start, end = None, end or dates.get(TimeRole.AT)
        elif statement.kind is not Kind.HOLD:
            end = None
        if start is not None and end is not None and end.hi <= start.lo:
            self._note(position, fact, "it would end before it begins: its dates were left out", number)
            return replace(statement, times=())
        return replace(statement, start=start, end=end) if dates else statement

    # ---- around the facts

    def _add_types(self) -> None:
        """What things are, by an ontology's types, told with the first statement about each."""
        types = {t.name.strip(): t.type.strip() for t in self._things.values() if t.type.strip()}
        for statements in self._out.statements:
            for statement in list(statements):
                for name, kind in (
                    (statement.subject, statement.subject_kind),
                    (statement.object, statement.object_kind),
                ):
                    if name in types:
                        statements.append(_is_a(name, kind, types.pop(name), statement))

    def _add_aliases(self) -> None:
        for thing in self._things.values():
            other = thing.also.strip()
            if not other or name_key(other) in _PRONOUNS or name_key(other) == name_key(thing.name):
                continue
            for number, episode in enumerate(self._episodes):
                if place_of(other, episode.text) is not None:
                    self._out.aliases[number].append((other, thing.name.strip()))
                    break

    def _leave_out(self, position: int, fact: FactForm, why: str, number: int = 0) -> None:
        self._note(position, fact, f"left out: {why}", number)

    def _note(self, position: int, fact: FactForm, what: str, number: int) -> None:
        self._out.notes[number].append(f"fact {position} ({fact.kind}): {what}")


def _is_a(name: str, kind: EntityKind, type_name: str, told: Statement) -> Statement:
    return Statement(
        kind=Kind.HOLD,
        subject=name,
        relation=IS_A,
        object=type_name,
        subject_kind=kind,
        object_kind=EntityKind.VALUE,
        quote=told.quote,
        inferred=True,
    )
