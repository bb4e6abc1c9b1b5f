# `make` alone lists the verbs. What they do is in tools/, one module each.
.DEFAULT_GOAL := help
.PHONY: help up setup dev test test-long lint bench dist ui-dev oracle oracle-tables docs
MAKEFLAGS += --no-print-directory

# The first Python that is new enough; `make PYTHON=… up` names another one.
PYTHON ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done),$(error \
	Argosy needs Python 3.11 or newer. On Debian 12 and Ubuntu 24.04: apt-get install python3))
IN_VENV := .venv/bin/python -m

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

up: setup ## set up what is missing and start the platform (ARGS="--port 0 --detach")
	@exec .venv/bin/argosy up $(ARGS)

setup: ## only the set-up; leaves .venv/bin/argosy
	@$(PYTHON) -m tools.setup

dev: ## the set-up with everything that linters and tests need
	@$(PYTHON) -m tools.setup --dev

test: dev ## linters and every test that is not long; ends on the summary (ARGS="-k name")
	@$(IN_VENV) tools.test $(ARGS)

test-long: dev ## everything, with faults, oracles and soak; report in docs/reports/
	@$(IN_VENV) tools.test --long $(ARGS)

lint: dev ## linters, types, layers, house rules and the size report
	@$(IN_VENV) tools.lint

bench: dev ## the benchmarks as one table (ARGS=--save keeps it in docs/reports/bench.md)
	@$(IN_VENV) tools.bench $(ARGS)

dist: dev ## a wheel in dist/ that carries the built UI
	@$(IN_VENV) tools.dist

ui-dev: dev ## the UI with live reload, against a running `make up`
	@$(IN_VENV) tools.ui_dev

oracle: dev ## build the real Kubernetes and Argo CD that ours are compared with (Go, 15 minutes once)
	@$(IN_VENV) tools.oracle build

oracle-tables: dev ## write anew what the embedded Kubernetes knows of Go's types (after a change of its version)
	@$(IN_VENV) tools.oracle tables $(ARGS)

docs: dev ## refresh the generated parts of docs/ and check its links
	@$(IN_VENV) tools.docs
