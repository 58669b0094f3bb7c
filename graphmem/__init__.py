"""A temporal memory for agents: dated facts in, point-in-time answers out.

The names below are what graphmem promises. Each is imported when it is first used, so that `import graphmem` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmem.errors import GraphmemError
    from graphmem.ingest.accept import NewEpisode
    from graphmem.ingest.merge import Merge
    from graphmem.ingest.new_claims import NewClaim
    from graphmem.ingest.receipt import Receipt
    from graphmem.memory import ErasureReport, ImportReport, Memory
    from graphmem.model import DatedFact, Entity, EntityKind, Episode, Filter, Job, JobState, Source, Window
    from graphmem.ontology import EntityType, Ontology, RelationType
    from graphmem.open_relations import RelationRivalry
    from graphmem.ports import SearchTarget, TokenCounter
    from graphmem.retrieve.block_text import BlockFact, BlockTurn, parse_block
    from graphmem.retrieve.fact_block import FactBlock
    from graphmem.retrieve.provenance import BeliefChange, Evidence
    from graphmem.retrieve.query import Anchor, Answer, Hop, Position, Query, Slot
    from graphmem.retrieve.search import Found
    from graphmem.sync import SyncMemory
    from graphmem.timeline.claims import Kind, Relation, Rivalry, Sensitivity
    from graphmem.timeline.granules import Granule, Unit

__all__ = [
    "Anchor",
    "Answer",
    "BeliefChange",
    "BlockFact",
    "BlockTurn",
    "DatedFact",
    "Entity",
    "EntityKind",
    "EntityType",
    "Episode",
    "ErasureReport",
    "Evidence",
    "FactBlock",
    "Filter",
    "Found",
    "Granule",
    "GraphmemError",
    "Hop",
    "ImportReport",
    "Job",
    "JobState",
    "Kind",
    "Memory",
    "Merge",
    "NewClaim",
    "NewEpisode",
    "Ontology",
    "Position",
    "Query",
    "Receipt",
    "Relation",
    "RelationRivalry",
    "RelationType",
    "Rivalry",
    "SearchTarget",
    "Sensitivity",
    "Slot",
    "Source",
    "SyncMemory",
    "TokenCounter",
    "Unit",
    "Window",
    "parse_block",
]

_NAMES_OF = {
    "graphmem.errors": ("GraphmemError",),
    "graphmem.ingest.accept": ("NewEpisode",),
    "graphmem.ingest.merge": ("Merge",),
    "graphmem.ingest.new_claims": ("NewClaim",),
    "graphmem.ingest.receipt": ("Receipt",),
    "graphmem.memory": ("ErasureReport", "ImportReport", "Memory"),
    "graphmem.model": ("DatedFact", "Entity", "EntityKind", "Episode", "Filter", "Job", "JobState", "Source", "Window"),
    "graphmem.ontology": ("EntityType", "Ontology", "RelationType"),
    "graphmem.open_relations": ("RelationRivalry",),
    "graphmem.ports": ("SearchTarget", "TokenCounter"),
    "graphmem.retrieve.block_text": ("BlockFact", "BlockTurn", "parse_block"),
    "graphmem.retrieve.fact_block": ("FactBlock",),
    "graphmem.retrieve.provenance": ("BeliefChange", "Evidence"),
    "graphmem.retrieve.query": ("Anchor", "Answer", "Hop", "Position", "Query", "Slot"),
    "graphmem.retrieve.search": ("Found",),
    "graphmem.sync": ("SyncMemory",),
    "graphmem.timeline.claims": ("Kind", "Relation", "Rivalry", "Sensitivity"),
    "graphmem.timeline.granules": ("Granule", "Unit"),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'graphmem' has no public name {name!r}")
    found: object = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
