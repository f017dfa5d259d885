# Every target makes what it needs in .venv and uses it again next time; make clean removes it.
# PYTHON=python3.12 says which Python it is made of.
#   make demo     train on a small data set, print what happened, save a picture
#   make test     make check, then all tests, doctests and the README's examples
#   make check    format, lint, types, layers, sizes; make format mends the first two
#   make bench-california [DATA=folder]    the README's table; minutes per fit
#   make bench-lite [DATA=folder]          a tenth of the committed experiments again; compares
#   make bench-defaults DATA=folder [JOBS=2]  our defaults against others' on 40 sets; a day
#   make results-page                      docs/results.md from the result files
#   make bench-speed [DATA=folder]         ratios to peers and to the machine; half an hour
#   make bench-tabm [DATA=folder]          TabM's whole fit, once, for bench-speed; an hour or two

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
CLI := $(VENV)/bin/lassoflexnet
EXPERIMENTS := california ablation_lite feature_selection_lite tabzilla_lite temporal_lite \
	scatter_lite sensitivity_lite targeted prox_evolution rotation loss_curves
ARENA := defaults defaults_noise defaults_candidates defaults_outside california
LITE := $(EXPERIMENTS:%=experiments/%.toml)
FLAGS = $(if $(DATA),--data $(DATA))
PIP := $(PY) -m pip -qq --disable-pip-version-check install -c constraints.txt

.PHONY: demo test check format bench-california bench-lite bench-defaults results-page bench-speed bench-tabm clean
.NOTPARALLEL:

demo: $(VENV)/.demo
	@$(PY) examples/demo.py

test: check
	@echo "tests, doctests, README"
	@OMP_NUM_THREADS=1 $(PY) -m pytest -q

check: $(VENV)/.test
	@echo "format"
	@$(PY) -m ruff format --quiet --check
	@echo "lint"
	@$(PY) -m ruff check --quiet
	@echo "types"
	@$(PY) -m mypy --no-error-summary
	@echo "layers"
	@$(VENV)/bin/lint-imports --no-logo --no-cache
	@echo "sizes"
	@$(PY) tools/check_sizes.py

format: $(VENV)/.test
	@$(PY) -m ruff check --quiet --fix-only
	@$(PY) -m ruff format --quiet

bench-california: $(VENV)/.bench
	@$(CLI) bench run experiments/california.toml $(FLAGS)
	@$(CLI) bench table experiments/california.toml

bench-lite: $(VENV)/.bench
	@$(CLI) bench verify $(LITE) $(FLAGS); agree=$$?; \
	$(CLI) bench evidence --again build/verify && exit $$agree

# 1 is for runs that failed: they are told of, their points are not met, and the rest goes on.
bench-defaults: $(VENV)/.bench
	@for name in $(ARENA); do \
	$(CLI) bench run experiments/$$name.toml $(FLAGS) $(if $(JOBS),--jobs $(JOBS)); \
	test $$? -le 1 || exit 2; done
	@$(CLI) bench arena

results-page: $(VENV)/.bench
	@$(CLI) bench page $(LITE)

bench-speed: $(VENV)/.bench
	@$(PY) -m lassoflexnet.bench.speed $(if $(DATA),--data $(DATA))

bench-tabm: $(VENV)/.bench
	@$(PY) -m lassoflexnet.bench.speed --record-tabm $(if $(DATA),--data $(DATA))

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests examples tools -name __pycache__ -prune -exec rm -rf {} +

$(PY):
	@echo "making $(VENV) (the first time this takes a few minutes)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.demo: EXTRA := pandas,plots
$(VENV)/.test: EXTRA := dev
$(VENV)/.bench: EXTRA := bench

# The build backend comes first, from the constraints too; hence no isolation.
$(VENV)/.demo $(VENV)/.test $(VENV)/.bench: pyproject.toml constraints.txt | $(PY)
	@echo "installing lassoflexnet[$(EXTRA)]"
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation -e ".[$(EXTRA)]"
	@touch $@
