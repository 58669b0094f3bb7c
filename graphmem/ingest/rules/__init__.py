"""Statements read out of plain English and JSON records by rules, without a model."""

from graphmem.ingest.rules.extractor import RuleExtractor

__all__ = ["RuleExtractor"]
