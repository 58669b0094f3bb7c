"""Invented stories with point-in-time questions, scored exactly: `python -m benchmarks.stories DIR`."""
