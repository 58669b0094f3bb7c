"""Extraction by a language model: what it is asked, what is made of its answer, and what of it is believed."""

from graphmem.ingest.by_model.extractor import ModelExtractor

__all__ = ["ModelExtractor"]
