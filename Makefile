# Everything here works on a fresh clone with Python 3.11 or later, a C++20 compiler and access to PyPI.
# `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled on first import; most installed ones are never imported.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# Build tools (cmake, ninja) come from the environment, too.
export PATH := $(CURDIR)/$(BIN):$(PATH)

SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
  $(shell find core bindings src -type f -not -path '*/__pycache__/*')

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help
help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The environment, step by step. Each stamp is renewed when its dependencies change.

$(VENV)/made: tools/bootstrap
	@tools/bootstrap $(VENV) $(PYTHON)
	@touch $@

$(VENV)/build-tools: $(VENV)/made pyproject.toml
	@echo "installing the build tools"
	@$(PIP) --group build
	@touch $@

$(VENV)/installed: $(VENV)/build-tools $(SOURCES)
	@echo "building phida, one to three minutes, and installing it"
	@$(PIP) --no-build-isolation -C build-dir=build/py ".[cli]"
	@touch $@

$(VENV)/test-tools: $(VENV)/installed-once pyproject.toml
	@echo "installing the test tools"
	@$(PIP) --group test
	@touch $@

$(VENV)/lint-tools: $(VENV)/installed-once pyproject.toml
	@echo "installing the linters"
	@$(PIP) --group lint
	@touch $@

# The tools need the package's dependencies, not its latest build.
$(VENV)/installed-once: | $(VENV)/installed
	@touch $@

.PHONY: install
install: $(VENV)/installed  ## Build phida into .venv

.PHONY: demo
demo: $(VENV)/installed  ## Cluster a stream of handwritten digits, class by class
	@$(BIN)/python examples/demo.py

.PHONY: test
test: test-native test-python  ## All tests

.PHONY: test-python
test-python: $(VENV)/installed $(VENV)/test-tools  ## Tests of the package
	$(BIN)/python -m pytest -n 2

.PHONY: coverage
coverage: $(VENV)/installed $(VENV)/test-tools  ## The same with line coverage; slower
	$(BIN)/python -m pytest -n 2 --cov=phida --cov-report=term

# The lowest versions that pyproject.toml allows, with the lowest Python, in an environment of their own. It lacks
# river, which needs a newer NumPy than phida, Spark and JAX, which have their own targets, and packages used only by
# the benchmark.
LOWEST := .venv-lowest
LOWEST_PYTHON ?= python3.11
LOWEST_OF := dependencies extra:pandas extra:plot extra:cli extra:serve extra:dask group:test-lowest group:build

$(LOWEST)/tools: tools/bootstrap tools/lowest_versions.py pyproject.toml
	@tools/bootstrap $(LOWEST) $(LOWEST_PYTHON)
	@$(LOWEST)/bin/python tools/lowest_versions.py $(LOWEST_OF) > $(LOWEST)/versions.txt
	@echo "installing the lowest versions"
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r $(LOWEST)/versions.txt
	@touch $@

$(LOWEST)/installed: $(LOWEST)/tools $(SOURCES)
	@echo "building phida with them"
	@PATH="$(CURDIR)/$(LOWEST)/bin:$$PATH" $(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --no-build-isolation --no-deps --force-reinstall -C build-dir=build/lowest .
	@touch $@

# Old releases use deprecated features of their own dependencies. Files of older formats were made from rows whose last
# bits depend on NumPy (logspace), so their tests need the newest NumPy.
.PHONY: test-lowest
test-lowest: $(LOWEST)/installed  ## Tests with the lowest version of each dependency
	$(LOWEST)/bin/python -m pytest -n 2 -W ignore::DeprecationWarning -k "not for_ever" $(LOWEST_TESTS)

LOWEST_TESTS ?= tests/contract tests/state tests/serve/test_hostile.py tests/serve/test_access.py tests/serve/test_answers.py \
  tests/streams/test_readers.py tests/streams/test_follow.py tests/plots tests/distributed/test_dask.py

# The benchmark, a package of its own in bench/.

BENCH_SOURCES := bench/pyproject.toml bench/CMakeLists.txt core/CMakeLists.txt \
  $(shell find bench/src bench/core bench/bindings core -type f -not -path '*/__pycache__/*')

$(VENV)/bench-installed: $(BENCH_SOURCES) | $(VENV)/installed
	@echo "building the benchmark, one to three minutes, and installing it"
	@$(PIP) --no-build-isolation -C build-dir=$(CURDIR)/build/py-bench "./bench[keel,tda]"
	@touch $@

.PHONY: bench-install
bench-install: $(VENV)/installed $(VENV)/bench-installed  ## Build the benchmark into .venv, with its command phida-bench

$(VENV)/bench-tools: bench/pyproject.toml | $(VENV)/installed-once
	@echo "installing the benchmark's test tools"
	@$(PIP) --group bench/pyproject.toml:test
	@touch $@

.PHONY: test-bench
test-bench: bench-install $(VENV)/bench-tools  ## Types, imports and tests of the benchmark
	cd bench && $(CURDIR)/$(BIN)/mypy
	PYTHONPATH=src:bench/src $(BIN)/lint-imports --no-cache --config bench/pyproject.toml
	$(call build_native_tests,build/native,-DPHIDA_BUILD_BENCH=ON)
	build/native/$(BENCH_NATIVE_TESTS)
	PHIDA_SIMD=baseline build/native/$(BENCH_NATIVE_TESTS)
	$(BIN)/python -m pytest -n 2 bench/tests --ignore bench/tests/systems_deep

$(VENV)/deep-tools: bench/pyproject.toml | $(VENV)/installed-once
	@echo "installing JAX"
	@$(PIP) --group bench/pyproject.toml:test-deep
	@touch $@

.PHONY: test-deep
test-deep: bench-install $(VENV)/bench-tools $(VENV)/deep-tools  ## Tests of the compared systems that need JAX
	$(BIN)/python -m pytest -n 2 bench/tests/systems_deep bench/tests/bench/test_package.py

$(VENV)/spark-tools: $(VENV)/installed-once pyproject.toml
	@echo "installing Spark"
	@$(PIP) --group test-spark
	@touch $@

.PHONY: test-spark
test-spark: $(VENV)/installed $(VENV)/test-tools $(VENV)/spark-tools java  ## Tests of phida.spark and phida.dask, with killed processes
	$(BIN)/python -m pytest -k "spark or dask" tests/spark tests/distributed/test_dask.py tests/unit/test_package.py

# Spark needs Java 17; without it the tests are skipped with the reason.
.PHONY: java
java:
	@command -v java > /dev/null || [ -n "$$JAVA_HOME" ] || tools/debian_packages openjdk-17-jre-headless || true

$(VENV)/integration-tools: $(VENV)/installed-once pyproject.toml
	@echo "installing the packages of others that phida works with"
	@$(PIP) --group test-integrations
	@$(PIP) --no-deps "bertopic>=0.17"
	@touch $@

.PHONY: test-integrations
test-integrations: $(VENV)/installed $(VENV)/test-tools $(VENV)/integration-tools mosquitto  ## Tests with skops, MLflow, BERTopic, Kafka, MQTT
	$(BIN)/python -m pytest -n 2 tests/integrations tests/unit/test_package.py

# The broker for the tests of MQTT; without it they are skipped with the reason.
.PHONY: mosquitto
mosquitto:
	@[ -x /usr/sbin/mosquitto ] || command -v mosquitto > /dev/null || tools/debian_packages mosquitto || true

$(VENV)/browser-tools: $(VENV)/installed-once pyproject.toml
	@echo "installing Playwright"
	@$(PIP) --group browser
	@touch $@

.PHONY: test-browser
test-browser: $(VENV)/installed $(VENV)/test-tools $(VENV)/browser-tools chromium  ## Tests of the live page, in chromium
	PHIDA_BROWSER="$$(command -v chromium)" $(BIN)/python -m pytest tests/browser

.PHONY: chromium
chromium:
	@command -v chromium > /dev/null || tools/debian_packages chromium fonts-dejavu-core

.PHONY: screenshots
screenshots: $(VENV)/installed $(VENV)/test-tools $(VENV)/browser-tools chromium  ## Pictures of the live page, in docs/serve
	$(BIN)/python tools/screenshots.py "$$(command -v chromium)" docs/serve

$(VENV)/release-tools: $(VENV)/build-tools pyproject.toml
	@echo "installing what releases are made with"
	@$(PIP) --group release
	@touch $@

.PHONY: sdist
sdist: $(VENV)/release-tools  ## The sdist, in dist/
	$(BIN)/python -m build --sdist --outdir dist

# WHEEL_TESTS may name a part of the tests.
.PHONY: wheel-test
wheel-test: $(VENV)/release-tools  ## Build sdist and wheel in dist/; run all Python tests on the installed wheel
	tools/wheel_test $(BIN)/python -n 2 $(WHEEL_TESTS)

.PHONY: changelog
changelog: $(VENV)/release-tools  ## Print the notes of the next release
	@$(BIN)/towncrier build --draft --version "$$($(BIN)/python -m setuptools_scm)"

.PHONY: fuzz
fuzz: $(VENV)/installed $(VENV)/test-tools  ## Model files and readers, with many random inputs
	$(BIN)/python tests/fuzz/state_fuzzer.py --cases 50000
	PHIDA_FUZZ_EXAMPLES=5000 $(BIN)/python -m pytest -n 2 tests/fuzz

.PHONY: soak
soak: $(VENV)/installed $(VENV)/perf-tools  ## Ten million rows through phida stream; then fifty kills
	$(BIN)/python perf/soak.py endless
	$(BIN)/python perf/soak.py killed

# The native unit tests, in folders of their own under build/.

JOBS ?= 2
comma := ,
define build_native_tests
	@echo "building the native tests in $(1)"
	@$(BIN)/cmake -S . -B $(1) -G Ninja -DPHIDA_BUILD_TESTS=ON $(2) > /dev/null
	@$(BIN)/cmake --build $(1) -j $(JOBS)
endef
NATIVE_TESTS := tests/core/phida_core_tests
BENCH_NATIVE_TESTS := bench/phida_bench_tests

.PHONY: test-native
test-native: $(VENV)/build-tools  ## Native unit tests, at the best instruction set and at the baseline
	$(call build_native_tests,build/native)
	build/native/$(NATIVE_TESTS)
	PHIDA_SIMD=baseline build/native/$(NATIVE_TESTS)

.PHONY: test-asan
test-asan: $(VENV)/build-tools  ## Native unit tests under AddressSanitizer and UBSan
	$(call build_native_tests,build/asan,-DPHIDA_BUILD_BENCH=ON -DPHIDA_SANITIZE=address$(comma)undefined)
	build/asan/$(NATIVE_TESTS)
	build/asan/$(BENCH_NATIVE_TESTS)

.PHONY: test-tsan
test-tsan: $(VENV)/build-tools  ## Native unit tests under ThreadSanitizer
	$(call build_native_tests,build/tsan,-DPHIDA_BUILD_BENCH=ON -DPHIDA_SANITIZE=thread)
	build/tsan/$(NATIVE_TESTS)
	build/tsan/$(BENCH_NATIVE_TESTS)

.PHONY: test-arm64
test-arm64: $(VENV)/build-tools arm64-tools  ## Native unit tests for arm64, under emulation
	$(call build_native_tests,build/arm64,-DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/aarch64.cmake)
	qemu-aarch64-static -L /usr/aarch64-linux-gnu build/arm64/$(NATIVE_TESTS)

.PHONY: arm64-tools
arm64-tools:
	@command -v aarch64-linux-gnu-g++ > /dev/null && command -v qemu-aarch64-static > /dev/null \
	  || tools/debian_packages g++-aarch64-linux-gnu qemu-user-static

$(VENV)/docs-tools: $(VENV)/installed-once pyproject.toml
	@echo "installing Sphinx"
	@$(PIP) --group docs
	@touch $@

# Warnings and broken internal links are errors. The build uses no network.
.PHONY: docs
docs: bench-install $(VENV)/docs-tools  ## The manual, in build/docs/html
	$(BIN)/python -m sphinx -b html -j $(JOBS) -W --keep-going -q -d build/docs/doctrees docs build/docs/html
	$(BIN)/python tools/check_links.py build/docs/html

# Pictures for inspection: light and dark, wide and at the width of a phone.
.PHONY: pictures
pictures: docs $(VENV)/browser-tools chromium  ## Pictures for the manual, and screenshots of its pages
	$(BIN)/python tools/how_it_works.py docs/how_it_works
	$(BIN)/python tools/docs_screenshots.py "$$(command -v chromium)" build/docs/html build/docs/looks

.PHONY: lint
lint: $(VENV)/installed $(VENV)/test-tools $(VENV)/lint-tools  ## Formatters, type checker, import rules, spelling, workflows
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@echo "$(BIN)/clang-format --dry-run -Werror"
	@$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml

CXX_FILES = $(shell find core bindings tests perf bench -name '*.cpp' -o -name '*.hpp')

.PHONY: format
format: $(VENV)/lint-tools  ## Format all code in place
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	@echo "$(BIN)/clang-format -i"
	@$(BIN)/clang-format -i $(CXX_FILES)

# Speed, as ratios in one run, since machines are noisy.

$(VENV)/perf-tools: $(VENV)/installed-once pyproject.toml
	@echo "installing what it is compared with"
	@$(PIP) --group perf
	@touch $@

.PHONY: perf
perf: $(VENV)/installed $(VENV)/perf-tools  ## Learning and prediction, compared with matching alone and other methods
	@$(BIN)/python perf/learning.py

.PHONY: perf-plus
perf-plus: $(VENV)/installed $(VENV)/perf-tools  ## PHIDA+ by processor time: learning, maps, growth; writes its tables into docs/performance.md
	@$(BIN)/python perf/plus.py

.PHONY: perf-latency
perf-latency: $(VENV)/installed $(VENV)/perf-tools  ## One row at a time, import time, memory, threads
	@$(BIN)/python perf/latency.py

.PHONY: perf-river
perf-river: $(VENV)/installed $(VENV)/perf-tools  ## Rows as dicts and frames, for river
	@$(BIN)/python perf/river_rows.py

.PHONY: perf-files
perf-files: $(VENV)/installed $(VENV)/test-tools  ## Rows per second from file to label, by processor time; start-up
	@$(BIN)/python perf/files.py --large

.PHONY: perf-serve
perf-serve: $(VENV)/installed $(VENV)/perf-tools  ## Rows per second of the live page, alone and with ten viewers
	@$(BIN)/python perf/serve.py

.PHONY: perf-spark
perf-spark: $(VENV)/installed $(VENV)/perf-tools $(VENV)/spark-tools java  ## Overhead of Spark and threads, compared with jobs that learn nothing
	@$(BIN)/python perf/spark.py paper
	@$(BIN)/python perf/spark.py threads 4000000 16
	@$(BIN)/python perf/spark.py learning "local[2]" 400000 16
	@$(BIN)/python perf/spark.py learning "local-cluster[2,1,2048]" 400000 16

build/perf/phida_perf: $(VENV)/build-tools $(SOURCES) perf/native.cpp
	@$(BIN)/cmake -S . -B build/perf -G Ninja -DPHIDA_BUILD_PERF=ON > /dev/null
	@$(BIN)/cmake --build build/perf -j $(JOBS)

.PHONY: perf-growth
perf-growth: build/perf/phida_perf $(VENV)/perf-tools  ## Growth of each stage with its input, with a plot
	@mkdir -p perf/out
	build/perf/phida_perf growth > perf/out/growth.csv
	@$(BIN)/python perf/growth.py perf/out/growth.csv perf/out/growth.png

.PHONY: perf-instructions
perf-instructions: build/perf/phida_perf  ## Instructions per row (needs valgrind), compared with the recorded figures
	@$(BIN)/python perf/instructions.py build/perf/phida_perf

.PHONY: stub
stub: bench-install  ## Generate the stubs of the native modules
	$(BIN)/python tools/make_stub.py phida._core src/phida/_core.pyi
	$(BIN)/python tools/make_stub.py phida_bench._systems bench/src/phida_bench/_systems.pyi

.PHONY: clean
clean:  ## Remove everything that was built
	rm -rf $(VENV) build dist demo perf/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
