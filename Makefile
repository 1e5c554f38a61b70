PYTHON ?= python3
VENV := .venv
BENCH := .venv-bench
MBI := .venv-mbi
PIP := --disable-pip-version-check --quiet

.PHONY: demo test slow lint bench findings clean

demo: $(VENV)/installed
	$(VENV)/bin/discreet demo

test: $(VENV)/tested-with
	$(VENV)/bin/python -m pytest -n 2 -m "not slow" --durations=10 $(COVER)

slow: $(VENV)/tested-with
	$(VENV)/bin/python -m pytest -n 2 -m slow --durations=10

lint: $(VENV)/linted-with
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

findings: $(VENV)/tested-with
	$(VENV)/bin/python -m discreet_papers.findings > findings.tmp
	mv findings.tmp docs/findings.md

bench: $(BENCH)/installed $(MBI)/installed
	DISCREET_MBI=$(CURDIR)/$(MBI)/bin/python $(BENCH)/bin/python -m benchmarks

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install $(PIP) -e ".[plot]"
	touch $@

$(VENV)/tested-with: pyproject.toml papers/pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install $(PIP) -e ".[test]" -e ./papers
	touch $@

$(VENV)/linted-with: pyproject.toml papers/pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install $(PIP) -e ".[test,lint]" -e ./papers
	touch $@

$(BENCH)/installed: pyproject.toml papers/pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install $(PIP) -e ".[bench]" -e ./papers
	touch $@

$(MBI)/installed:
	$(PYTHON) -m venv $(MBI)
	$(MBI)/bin/python -m pip install $(PIP) "mbi==2.0.0"
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) $(MBI) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
