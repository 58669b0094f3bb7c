"""The ranking by words of a store file: what a group's texts score depends on that group's texts and on nothing else."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.model import Entity, Erasure, Fact
from graphmem.ports import SearchTarget
from graphmem.stores.search_text import entity_terms, episode_terms, fact_terms
from graphmem.stores.sqlite import SqliteStore
from graphmem.stores.sqlite_terms import group_mark
from graphmem.terms import name_key, terms
from graphmem.timeline.instants import MIN
from tests.contract.build import GROUP, changes, entity, episode, fact, name, scope, version

WORDS = ("tea", "coffee", "rain", "tea and more tea", "rain or shine or rain", "Zoë in main_py", "茶を飲む", "...")
QUESTION = terms("tea, rain or coffee in main_py for Zoë 茶を")
LIMIT = 1_000


def twins() -> tuple[str, str]:
    """The names of two groups whose terms bear the same mark."""
    met: dict[str, str] = {}
    for number in count():
        group_id = f"group-{number}"
        other = met.setdefault(group_mark(group_id), group_id)
        if other != group_id:
            return other, group_id
    raise AssertionError


MINE, TWIN = twins()


@dataclass
class Author:
    """Writes one group into stores, the same into each; what stands there is known by ids only."""

    group_id: str
    stores: Sequence[SqliteStore]
    tau: int = MIN
    told: int = 0
    episode_ids: list[str] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    spelt: list[tuple[str, str]] = field(default_factory=list)

    def new_id(self, kind: str) -> str:
        self.told += 1
        return f"{kind}-{self.told}"

    def step(self) -> dict[str, int]:
        based_on, self.tau = self.tau, max(self.tau, 0) + 10
        return {"tau": self.tau, "based_on": based_on}

    async def each(self, call: Callable[[SqliteStore], Awaitable[object]]) -> None:
        for store in self.stores:
            await call(store)

    async def commit(self, **rest: object) -> None:
        item = changes(**self.step(), group_id=self.group_id, **rest)
        await self.each(lambda store: store.commit([item]))

    async def erase(self, **rest: object) -> None:
        erasure = Erasure(group_id=self.group_id, **self.step(), tombstones=(), **rest)  # type: ignore[arg-type]
        await self.each(lambda store: store.erase(erasure))

    # ---- what may be written

    async def tell(self, words: str) -> None:
        said = episode(self.new_id("ep"), words, group_id=self.group_id, said_at=self.told)
        await self.each(lambda store: store.accept([said, said], 1))
        self.episode_ids.append(said.episode_id)

    async def learn(self, words: str) -> None:
        who = entity(self.new_id("e"), f"{words} {self.told}", group_id=self.group_id)
        of = fact(self.new_id("f"), who.entity_id, f"R{self.told}", who.entity_id, words, group_id=self.group_id)
        row = version(self.new_id("v"), of, valid_at=1, created_at=max(self.tau, 0) + 10)
        await self.commit(entities=(who,), facts=(of, of), versions=(row,))
        self.entities.append(who)
        self.facts.append(of)

    async def spell(self, words: str) -> None:
        if self.entities:
            entity_id = self.entities[-1].entity_id
            await self.commit(names=(name(words, entity_id, group_id=self.group_id),))
            self.spelt.append((name_key(words), entity_id))

    async def unspell(self, words: str) -> None:
        if self.spelt:
            await self.commit(forgotten_names=(self.spelt.pop(),))

    async def forget_a_turn(self, words: str) -> None:
        if self.episode_ids:
            await self.erase(episode_ids=(self.episode_ids.pop(0),))

    async def forget_a_fact(self, words: str) -> None:
        if self.facts:
            await self.erase(dropped=(self.facts.pop(0).fact_id,))

    async def forget_an_entity(self, words: str) -> None:
        ends = {of.subject for of in self.facts}
        free = [who for who in self.entities if who.entity_id not in ends]
        if free:
            await self.erase(entity_ids=(free[0].entity_id,))
            self.entities.remove(free[0])
            self.spelt = [spelt for spelt in self.spelt if spelt[1] != free[0].entity_id]

    async def reword(self, words: str) -> None:
        if self.facts:
            self.facts[-1] = replace(self.facts[-1], text=f"{words} anew")
            await self.erase(reworded=(self.facts[-1],))

    async def rename(self, words: str) -> None:
        if self.entities:
            self.entities[-1] = replace(self.entities[-1], name=f"{words} anew")
            await self.erase(renamed=(self.entities[-1],))

    async def forget_everything(self, words: str) -> None:
        await self.erase(whole_group=True)
        self.episode_ids, self.entities, self.facts, self.spelt = [], [], [], []


WRITES = ("tell", "learn", "spell", "unspell", "reword", "rename") * 3 + (
    *("forget_a_turn", "forget_a_fact", "forget_an_entity", "forget_everything"),
)
writes = st.lists(
    st.tuples(st.sampled_from((MINE, MINE, TWIN, "other")), st.sampled_from(WRITES), st.sampled_from(WORDS)),
    min_size=3,
    max_size=14,
)


async def scores(store: SqliteStore, group_id: str, target: SearchTarget) -> list[tuple[str, float]]:
    hits = await store.search_text(target, QUESTION, scope(group_id), limit=LIMIT)
    return [(hit.item_id, hit.score) for hit in hits]


async def texts(store: SqliteStore, author: Author) -> dict[SearchTarget, dict[str, list[str]]]:
    """The terms of everything in the group, read from the things themselves."""
    group_id = author.group_id
    entities = await store.entities(group_id, [who.entity_id for who in author.entities])
    spelt: defaultdict[str, list[str]] = defaultdict(list)
    for called in await store.names_of(group_id, [who.entity_id for who in entities]):
        spelt[called.entity_id].append(called.spelling)
    facts = await store.facts(group_id, [of.fact_id for of in author.facts])
    episodes = await store.recent_episodes([group_id], limit=LIMIT)
    return {
        SearchTarget.FACT: {of.fact_id: fact_terms(of).split() for of in facts},
        SearchTarget.ENTITY: {e.entity_id: entity_terms(e.name, spelt[e.entity_id]).split() for e in entities},
        SearchTarget.EPISODE: {said.episode_id: episode_terms(said).split() for said in episodes},
    }


def bm25(texts: dict[str, list[str]], question: Sequence[str]) -> dict[str, float]:
    """As Robertson and Zaragoza have it; a common term counts for a hundredth at least."""
    average = sum(map(len, texts.values())) / max(len(texts), 1)
    found: dict[str, float] = {}
    for term in dict.fromkeys(question):
        holding = {item_id: words for item_id, words in texts.items() if term in words}
        idf = max(math.log((len(texts) - len(holding) + 0.5) / (len(holding) + 0.5)), 0.01)
        for item_id, words in holding.items():
            often = words.count(term)
            weight = often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(words) / average))
            found[item_id] = found.get(item_id, 0.0) + idf * weight
    return found


async def opened(folder: Path) -> tuple[SqliteStore, SqliteStore]:
    alone, shared = SqliteStore(folder / "alone.db"), SqliteStore(folder / "shared.db")
    await alone.ensure_schema()
    await shared.ensure_schema()
    return alone, shared


async def write_and_compare(folder: Path, steps: Sequence[tuple[str, str, str]], *, begun: int) -> None:
    """Write the steps; after each but the first `begun`, compare what is found with what is written."""
    alone, shared = await opened(folder)
    mine = Author(group_id=MINE, stores=(alone, shared))
    authors = {MINE: mine, **{group_id: Author(group_id=group_id, stores=(shared,)) for group_id in (TWIN, "other")}}
    try:
        for number, (group_id, write, words) in enumerate(steps, start=1):
            await getattr(authors[group_id], write)(words)
            if number > begun:
                await compare(alone, shared, list(authors.values()))
        for store in (alone, shared):
            assert [wrong for wrong in await store.verify() if "counted" in wrong or "indexed" in wrong] == []
    finally:
        await alone.close()
        await shared.close()


async def compare(alone: SqliteStore, shared: SqliteStore, authors: Sequence[Author]) -> None:
    for target in SearchTarget:
        assert await scores(shared, MINE, target) == await scores(alone, MINE, target)
        for author in authors:
            wanted = bm25((await texts(shared, author))[target], QUESTION)
            assert dict(await scores(shared, author.group_id, target)) == pytest.approx(wanted, abs=2e-6)


@settings(max_examples=15, deadline=None)
@given(steps=writes)
def test_after_any_writes_a_group_scores_as_if_it_were_alone_and_as_bm25_says(
    steps: list[tuple[str, str, str]],
) -> None:
    with TemporaryDirectory(prefix="graphmem-test-") as folder:
        asyncio.run(write_and_compare(Path(folder), steps, begun=len(steps) - 1))


async def test_every_kind_of_write_is_followed(tmp_path: Path) -> None:
    begun = [(group_id, write, words) for words in WORDS for write in ("tell", "learn") for group_id in (MINE, TWIN)]
    later = [(group_id, write, WORDS[3]) for write in dict.fromkeys(WRITES) for group_id in (MINE, TWIN)]
    await write_and_compare(tmp_path, begun + later, begun=len(begun) - 1)


async def test_the_lengths_of_another_groups_texts_do_not_change_an_order(tmp_path: Path) -> None:
    alone, shared = await opened(tmp_path)
    mine = [episode("short", "Tom came."), episode("long", "Tom and Tom " + " ".join(f"word{n}" for n in range(10)))]
    for store in (alone, shared):
        await store.accept(mine, 1)
    long = " ".join(f"other{n}" for n in range(300))
    await shared.accept([episode(f"o-{n}", long, group_id="other") for n in range(100)], 1)

    found = [
        [(hit.item_id, hit.score) for hit in await store.search_text(SearchTarget.EPISODE, ["tom"], scope(), limit=9)]
        for store in (alone, shared)
    ]

    assert found[0] == found[1]
    assert [item_id for item_id, _ in found[0]] == ["short", "long"]
    await alone.close()
    await shared.close()


async def test_how_often_a_word_stands_in_a_very_long_text_is_counted(tmp_path: Path) -> None:
    stores = await opened(tmp_path)
    author = Author(group_id=GROUP, stores=stores)
    for words in ("tea " * 3, "rain " * 200 + "tea", "coffee " * 20_000 + "tea", "coffee"):
        await author.tell(words)

    wanted = bm25((await texts(stores[0], author))[SearchTarget.EPISODE], QUESTION)

    for store in stores:
        assert dict(await scores(store, GROUP, SearchTarget.EPISODE)) == pytest.approx(wanted, abs=2e-6)
        await store.close()
