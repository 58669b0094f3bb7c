"""Benchmarks: `python -m benchmarks.NAME …`. They use public names only, and read data sets by the paths they are given."""
