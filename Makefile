# Needs make and Python 3.11 or newer; everything else goes into .venv.
# Another Python: make test PYTHON=/path/to/python3.12
# The versions and hashes of requirements/, in .venv-locked: make test LOCKED=1 (docs/how-to/install-locked-versions.md)

PROBE = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$name -c '$(PROBE)' >/dev/null 2>&1; then echo $$name; break; fi; done)
VENV = .venv$(if $(LOCKED),-locked)
BIN = $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: demo serve test cuda check format bench validate model library docs clean help

demo: $(VENV)/user.stamp ## a heap of blocks, from one picture and from a survey: how the tower stood; films and reports in demo/
	$(BIN)/anastylosis demo --force

serve: $(VENV)/user.stamp ## the page, in a browser
	$(BIN)/anastylosis serve

test: $(VENV)/dev.stamp ## every test, and the import contract
	$(BIN)/anastylosis doctor --warm
	$(BIN)/pytest -n 2 --dist worksteal

cuda: $(VENV)/dev.stamp $(VENV)/gpu.stamp ## the CUDA kernels through CUDA's compiler, and on a GPU if there is one
	$(BIN)/pytest -s tests/physics/test_cuda_compile.py tests/physics/test_cuda.py tests/rendering/test_cuda.py tests/dataset/test_together.py

check: $(VENV)/dev.stamp ## format, lint, types, imports, tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

format: $(VENV)/dev.stamp ## rewrite the code as ruff wants it, and the generated reference
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/python tools/write_cli_reference.py
	$(BIN)/python tools/write_dataset_reference.py
	$(BIN)/python tools/write_benchmark_table.py
	$(BIN)/python tools/write_claims_table.py
	$(BIN)/python tools/write_mujoco_table.py
	$(BIN)/python tools/write_findings.py
	$(BIN)/python tools/write_ablation_table.py
	$(BIN)/python tools/write_curve_table.py
	$(BIN)/python tools/write_limits_table.py
	$(BIN)/python tools/draw_architecture.py
	$(BIN)/python tools/write_api_pages.py
	$(BIN)/python tools/write_model_cards.py

validate: $(VENV)/dev.stamp ## the whole validation table, MuJoCo included
	$(BIN)/anastylosis validate

bench: $(VENV)/bench.stamp ## speed, beside the peers that can be installed here
	mkdir -p out
	$(BIN)/anastylosis bench --out out/bench.csv

# Half a day on two cores; each step goes on where it stopped. Then copy them to src/anastylosis/models/, those of the detector to models/detector/.
# To see every step at work, in about an hour: make model OUT=out/rehearsal EPISODES=100 SIZES=100 EPOCHS=1
OUT ?= out
EPISODES ?= 12000
TRAIN = $(BIN)/anastylosis train
ON = $(OUT)/learn $(if $(EPOCHS),--epochs $(EPOCHS))
SIZES ?= 1500
ALSO = --also $(OUT)/sizes

model: $(VENV)/dev.stamp ## the models that ship, from nothing: episodes, training, evaluation
	$(BIN)/anastylosis simulate $(OUT)/learn --preset learn --episodes $(EPISODES)
	$(TRAIN) picture $(ON) --preset full --episodes 4770 --out $(OUT)/picture_net.onnx
	$(TRAIN) assign $(ON) --out $(OUT)/assignment_net.onnx
	$(BIN)/anastylosis evaluate $(OUT)/assignment_net.onnx $(OUT)/learn --with $(OUT)/picture_net.onnx \
		--debris benchmarks/mujoco_debris.parquet --out $(OUT)/evaluation-surveys.md
	$(BIN)/anastylosis simulate $(OUT)/sizes --preset sizes --episodes $(SIZES)
	$(TRAIN) detector $(ON) $(ALSO) --net vote_net --out $(OUT)/detector/vote_net.onnx
	$(TRAIN) detector $(ON) $(ALSO) --net slot_classifier --out $(OUT)/detector/slot_classifier.onnx
	$(TRAIN) detector $(ON) $(ALSO) --net refiner --vote-net $(OUT)/detector/vote_net.onnx --out $(OUT)/detector/refiner.onnx
	$(TRAIN) detector $(ON) $(ALSO) --net rescorer --models $(OUT)/detector --out $(OUT)/detector/rescorer.onnx
	$(TRAIN) assign $(ON) --preset seen --start $(OUT)/assignment_net.onnx --models $(OUT)/detector --out $(OUT)/detector/assigner.onnx
	$(BIN)/anastylosis evaluate $(OUT)/detector $(OUT)/learn --debris benchmarks/mujoco_debris.parquet --out $(OUT)/evaluation-detection.md

# An hour of one core for the calibration; it goes on where it stopped.
library: $(VENV)/dev.stamp ## what reconstruct ships with, from the episodes of `make model`: falls to retrieve, calibration
	$(BIN)/python tools/write_library.py out/learn
	$(BIN)/python tools/fit_moves.py out/learn
	$(BIN)/python -m benchmarks.mujoco_debris out/learn --split val --episodes 64 --out out/mujoco_val.parquet
	$(BIN)/python tools/calibrate_reconstruction.py out/learn --debris out/mujoco_val.parquet

docs: $(VENV)/docs.stamp ## the documentation as a website in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean: ## everything that make made, .venv included
	rm -rf .venv .venv-locked site build dist out demo .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

ifdef LOCKED
# Every file by its hash, none built here but this package. PyTorch is the CPU wheel where pip finds it, else what the registry has.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
HASHED = $(PIP) --require-hashes --only-binary :all: --requirement

$(VENV)/user.stamp: requirements/user.lock pyproject.toml | $(BIN)/python
	$(HASHED) requirements/user.lock
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.lock requirements/torch-cpu.lock requirements/torch.lock pyproject.toml | $(BIN)/python
	$(HASHED) requirements/dev.lock
	$(HASHED) requirements/torch-cpu.lock 2>/dev/null || $(HASHED) requirements/torch.lock
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/%.stamp:
	@echo "requirements/ has no lock for $*; leave LOCKED out." >&2; exit 1
else
# One stamp an extra, so that each command installs what it needs and no more; a user has all that users need after the first.
.venv/user.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web,photo]'
	@touch $@

# pip writes byte code on one core, for a minute; here another does that, while the kernels are compiled.
.venv/dev.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	@$(BIN)/python -m compileall -q .venv/lib >/dev/null 2>&1 & $(BIN)/anastylosis doctor --warm >/dev/null; code=$$?; wait; exit $$code
	@touch $@

.venv/%.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@
endif

$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python 3.11 or newer with the venv module is needed; found: $$(python3 --version 2>&1 || echo none)."; \
		echo "Install one (on Debian and Ubuntu: apt install python3 python3-venv), or name it: make PYTHON=/path/to/python3.12"; \
		exit 1; fi >&2
	@$(PYTHON) -c '$(PROBE)' || { echo "$(PYTHON) is older than Python 3.11, or has no venv module." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
