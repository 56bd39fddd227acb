# The targets need Python 3.11 or newer and make; everything else is installed into .venv from requirements.lock.
PYTHON ?= python3
BIN = .venv/bin
INSTALLED = .venv/installed
# Deals of each chapter, number of players and policy of `make results`: fast policies; search and open.
DEALS ?= 20_000
SLOW_DEALS ?= 200
LIBRARY = 1-14,14-doors_of_durin,14-balins_tomb,14-long_dark,14-bridge_of_khazad_dum,15-18,18-first_group,18-second_group
DEMO = $(BIN)/ringsim run 1-4 --players 1,2,3,4 --deals 100_000 --seed 7

.PHONY: setup demo test check bench bench-quick verify policies results docs lock clean

# Make .venv with the exact packages of requirements.lock and the project itself, editable.
setup: $(INSTALLED)

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
		{ echo "ringsim needs Python 3.11 or newer: make setup PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-build-isolation --no-deps --editable .
	@touch $@

# Play the first chapters for every number of people, print three reports and write all, with pictures, to runs/demo.html
# (again: complete or reuse that run).
demo: setup
	$(BIN)/ringsim warmup
	@set -e; folder=runs/demo; \
	if test -e $$folder; then \
		$(DEMO) --out $$folder --resume || { \
			test $$? -eq 2; folder=runs/demo-$$(date +%Y%m%d-%H%M%S); $(DEMO) --out $$folder; }; \
	else \
		$(DEMO) --out $$folder; \
	fi; \
	for report in failures lost-card balance; do echo; $(BIN)/ringsim report $$report $$folder; done; \
	$(BIN)/ringsim report all $$folder --out $$folder.html --force; echo; echo "all reports, with pictures: $$folder.html"

# Run the unit tests, on all processors. Those of HTML pages need Chromium (Debian: chromium, chromium-driver) and are skipped without it.
test: setup
	$(BIN)/ringsim warmup
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

# Check style and types.
check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Measure how fast this machine plays, against a bare C loop.
bench: setup
	$(BIN)/ringsim bench

# The same, in half a minute and rougher.
bench-quick: setup
	$(BIN)/ringsim bench --quick

# Check shuffles, draws and streams statistically, with one plot per check in runs/verify.
verify: setup
	$(BIN)/ringsim verify --out runs/verify --force

# Play chapters 1 to 4 under every policy (or complete the runs that are there) and put the table into docs/policies.md.
policies: setup
	$(call play,1-4 --policy random$(,)script$(,)team --deals 20_000,runs/policies-fast)
	$(call play,1-4 --policy search$(,)open --deals 2_000,runs/policies-slow)
	$(BIN)/ringsim report results runs/policies-fast runs/policies-slow --into docs/policies.md

# Play every chapter and kind of round of the library (or complete the run that is there) and put the tables into
# docs/results.md and README.md; `make results DEALS=2_000` for less.
results: setup
	$(call play,$(LIBRARY) --policy random$(,)script$(,)team --deals $(DEALS),runs/results-$(DEALS))
	$(call play,$(LIBRARY) --policy search$(,)open --playouts 32 --deals $(SLOW_DEALS),runs/results-slow-$(SLOW_DEALS))
	$(BIN)/ringsim report results runs/results-$(DEALS) runs/results-slow-$(SLOW_DEALS) --into docs/results.md
	$(BIN)/ringsim report results runs/results-$(DEALS) --policy team --into README.md

# Build the documentation as a site, with a gallery of pictures made by the tool, in site/.
docs: setup
	$(call play,1-4 --deals 20_000,runs/docs)
	mkdir -p docs/gallery
	@set -e; for report in balance failures lost-card threats seats tricks when characters effects; do \
		echo $$report; $(BIN)/ringsim report $$report runs/docs --out docs/gallery/$$report.svg --force; done
	$(BIN)/ringsim report assumptions 1-2 --players 3,4 --seed 7 --out docs/gallery/assumptions.svg --force
	$(BIN)/ringsim report all runs/docs --out docs/gallery/report.html --force
	$(BIN)/ringsim schema > docs/gallery/ringsim.schema.json
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

, := ,
play = $(BIN)/ringsim run $(1) --players 1,2,3,4 --seed 7 --out $(2) $$(test -e $(2) && echo --resume || true)

# Choose the packages of requirements.lock anew, for every platform and Python version that pyproject.toml allows.
lock: setup
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --all-extras --group dev --generate-hashes \
		--no-emit-index-url --custom-compile-command "make lock" --quiet --upgrade --output-file requirements.lock

# Remove .venv and what builds, tests and linters left (not runs/).
clean:
	rm -rf .venv build dist site docs/gallery .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
