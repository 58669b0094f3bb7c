"""What operations cost: `python -m benchmarks.performance`."""
