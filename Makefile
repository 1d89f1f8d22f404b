# make demo | test | lint | bench | clean. Needs Python 3.11 or later; Docker is used when it answers.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

demo: $(VENV)/installed
	$(BIN)/python -m scripts.demo out || test $$? -eq 1
	$(BIN)/suite-converter check out
	$(BIN)/suite-converter report out.run

test: $(VENV)/installed
	$(BIN)/pytest -q -n auto --dist worksteal -m 'not docker and not margin'
	$(BIN)/pytest -q -m 'docker or margin'

lint: $(VENV)/installed
	$(BIN)/ruff check agent tools skill tests benchmarks scripts
	$(BIN)/ruff format --check agent tools skill tests benchmarks scripts
	$(BIN)/mypy

bench: $(VENV)/installed
	$(BIN)/python benchmarks/convert.py

clean:
	rm -rf $(VENV) out out.run dist
