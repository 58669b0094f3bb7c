PYTHON ?= .venv/bin/python

.PHONY: check format lint types test soak sync demo

check: format lint types test

format: | $(PYTHON)
	$(PYTHON) -m ruff format --check .

lint: | $(PYTHON)
	$(PYTHON) -m ruff check .

types: | $(PYTHON)
	$(PYTHON) -m mypy

test: | $(PYTHON)
	$(PYTHON) -m pytest

# The long fault loops: kill -9 a hundred times, concurrent writers, big imports.
soak: | $(PYTHON)
	GRAPHMEM_HYPOTHESIS_PROFILE=searching $(PYTHON) -m pytest -m soak -o faulthandler_timeout=0

# Writes graphmem/sync.py from graphmem/memory.py.
sync: | $(PYTHON)
	$(PYTHON) -m tools.generate_sync

demo:
	python3 run.py demo

.venv/bin/python:
	python3 run.py setup
