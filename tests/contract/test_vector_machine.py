"""The state machine with vectors: a store and the oracle keep and find the same, whatever is written in between."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from graphmem.model import Scope
from graphmem.ports import EmbeddingModel, Floats, ItemKey, ItemVector, SearchTarget, Store

from .test_state_machine import ENTITIES, GROUPS, RELATIONS, StoreMachine, groups, scopes

MODELS = (EmbeddingModel(name="one", dimension=3), EmbeddingModel(name="two", dimension=3))
EPISODES = tuple(f"ep-{n}" for n in range(4))
FACTS = tuple(f"f-{subject}{relation}{obj}" for subject in ENTITIES for relation in RELATIONS for obj in ENTITIES)

# Whole numbers with cosines that are far apart or equal: no store may order them otherwise by rounding.
vectors = st.sampled_from([(1, 0, 0), (1, 1, 0), (0, 1, 1), (-1, 0, 2), (0, 0, 0), (2, 0, 0)])
keys = st.one_of(
    st.builds(ItemKey, group_id=groups, target=st.just(SearchTarget.EPISODE), item_id=st.sampled_from(EPISODES)),
    st.builds(ItemKey, group_id=groups, target=st.just(SearchTarget.ENTITY), item_id=st.sampled_from(ENTITIES)),
    st.builds(ItemKey, group_id=groups, target=st.just(SearchTarget.FACT), item_id=st.sampled_from(FACTS)),
)


def floats(numbers: tuple[int, ...]) -> Floats:
    return np.array(numbers, dtype=np.float32)


class VectorMachine(StoreMachine):
    """Adds the rules of vectors to those of the store."""

    @initialize()
    def begin(self) -> None:
        super().begin()
        self.told(lambda s: s.start_vectors(MODELS[0]))

    @rule(model=st.sampled_from([MODELS[0]] * 9 + [MODELS[1]]))
    def start_vectors(self, model: EmbeddingModel) -> None:
        self.told(lambda s: s.start_vectors(model))

    @rule(
        model=st.sampled_from([MODELS[0]] * 9 + [MODELS[1]]),
        items=st.lists(st.tuples(keys, vectors), min_size=1, max_size=6, unique_by=lambda item: item[0]),
    )
    def put_vectors(self, model: EmbeddingModel, items: list[tuple[ItemKey, tuple[int, ...]]]) -> None:
        given = [ItemVector(key=of, vector=floats(numbers), tokens=floats(numbers)[None, :]) for of, numbers in items]
        self.told(lambda s: s.put_vectors(model, given))

    @rule(numbers=vectors, wanted=st.integers(1, 9))
    def embed_what_waits(self, numbers: tuple[int, ...], wanted: int) -> None:
        async def embed(store: Store) -> None:
            model = await store.embedding_model()
            if model is not None:
                waiting = await store.unembedded(limit=wanted)
                await store.put_vectors(model, [ItemVector(key=of, vector=floats(numbers)) for of in waiting])

        self.told(embed)

    @rule(within=scopes(), ranked=st.sampled_from(SearchTarget), numbers=vectors, limit=st.integers(0, 5))
    def search_vector(self, within: Scope, ranked: SearchTarget, numbers: tuple[int, ...], limit: int) -> None:
        async def found(store: Store) -> list[tuple[str, str, int, float]]:
            hits = await store.search_vector(ranked, floats(numbers), within, limit=limit)
            return [(hit.group_id, hit.item_id, hit.rank, round(hit.score, 4)) for hit in hits]

        self.told(found)

    @rule(within=scopes(), group_id=groups)
    def what_else_is_read(self, within: Scope, group_id: str) -> None:
        self.told(lambda s: s.embedding_model())
        self.told(lambda s: s.unembedded(limit=100))
        self.told(lambda s: s.unembedded(limit=3, group_ids=[group_id]))
        self.told(lambda s: s.count_unembedded())
        self.told(lambda s: s.count_unembedded(GROUPS))
        episodes = [ItemKey(group_id, SearchTarget.EPISODE, one) for one in EPISODES]
        self.told(lambda s: s.turns(within, episodes))


VectorMachine.TestCase.settings = settings(
    max_examples=20,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
TestSqliteVectorsAgainstOracle = VectorMachine.TestCase
# Imported for its rules alone; it runs where it is defined.
del StoreMachine
