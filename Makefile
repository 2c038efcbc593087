# Everything here works on a fresh clone with Python 3.11 or later, a C++20 compiler and access to PyPI.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled on first import; most installed ones are never imported.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
PYTEST := $(BIN)/python -m pytest
# Build tools (cmake, ninja) come from the environment too.
export PATH := $(CURDIR)/$(BIN):$(PATH)

files = $(shell find $(1) -type f -not -path '*/__pycache__/*')
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE $(call files,core bindings src)
BENCH_SOURCES := bench/pyproject.toml bench/CMakeLists.txt $(call files,core bindings bench/core bench/bindings bench/src)
CXX_FILES = $(filter %.cpp %.hpp,$(call files,core bindings tests perf bench))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo performance test test-python test-native test-asan test-tsan test-arm64 test-lowest test-spark \
  test-integrations test-browser bench-install test-bench test-deep docs pictures lint format fuzz perf-growth \
  perf-instructions soak sdist wheel-test stub clean
help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9%-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The environment. Each stamp is renewed when its dependencies change.

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

# Tools need the package's dependencies, not its latest build. %-tools are the packages of a dependency group.
$(VENV)/installed-once: | $(VENV)/installed
	@touch $@

$(VENV)/%-tools: pyproject.toml | $(VENV)/installed-once
	@echo "installing the packages of the group $*"
	@$(PIP) --group $*
	@touch $@

$(VENV)/bench/%-tools: bench/pyproject.toml | $(VENV)/installed-once
	@echo "installing the packages of the benchmark's group $*"
	@$(PIP) --group bench/pyproject.toml:$*
	@mkdir -p $(@D) && touch $@

install: $(VENV)/installed  ## Build phida into .venv

demo: install  ## Cluster two example streams and print the results
	@$(BIN)/python examples/demo.py

test: test-native test-python  ## All tests of the library

test-python: install $(VENV)/test-tools  ## Tests of the package
	$(PYTEST) -n 2

# $(1): folder, $(2): options of CMake, $(3): programs.
comma := ,
define build_native
	@echo "building $(3) in $(1)"
	@$(BIN)/cmake -S . -B $(1) -G Ninja $(2) > /dev/null
	@$(BIN)/cmake --build $(1) -j $(JOBS) --target $(3)
endef
TESTS := -DPHIDA_BUILD_TESTS=ON -DPHIDA_BUILD_BENCH=ON

test-native: $(VENV)/build-tools  ## Native unit tests, at the best instruction set and at the baseline
	$(call build_native,build/native,$(TESTS),phida_core_tests)
	build/native/tests/core/phida_core_tests
	PHIDA_SIMD=baseline build/native/tests/core/phida_core_tests

test-asan: $(VENV)/build-tools  ## All native tests under AddressSanitizer and UBSan
	$(call build_native,build/asan,$(TESTS) -DPHIDA_SANITIZE=address$(comma)undefined,phida_core_tests phida_bench_tests)
	build/asan/tests/core/phida_core_tests && build/asan/bench/phida_bench_tests

test-tsan: $(VENV)/build-tools  ## All native tests under ThreadSanitizer
	$(call build_native,build/tsan,$(TESTS) -DPHIDA_SANITIZE=thread,phida_core_tests phida_bench_tests)
	build/tsan/tests/core/phida_core_tests && build/tsan/bench/phida_bench_tests

test-arm64: $(VENV)/build-tools  ## Native unit tests for arm64, under emulation
	@command -v aarch64-linux-gnu-g++ > /dev/null && command -v qemu-aarch64-static > /dev/null \
	  || tools/debian_packages g++-aarch64-linux-gnu qemu-user-static
	$(call build_native,build/arm64,$(TESTS) -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/aarch64.cmake,phida_core_tests)
	qemu-aarch64-static -L /usr/aarch64-linux-gnu build/arm64/tests/core/phida_core_tests

test-lowest:  ## Tests with the lowest version of each dependency, in .venv-lowest
	tools/test_lowest $(LOWEST_TESTS)

# Tests are skipped with the reason if Java 17 or the broker Mosquitto is missing.
test-spark: install $(VENV)/test-tools $(VENV)/test-spark-tools  ## Tests of phida.spark and phida.dask, with killed processes
	@command -v java > /dev/null || [ -n "$$JAVA_HOME" ] || tools/debian_packages openjdk-17-jre-headless || true
	$(PYTEST) -k "spark or dask" tests/spark tests/distributed/test_dask.py tests/unit/test_package.py

test-integrations: install $(VENV)/test-tools $(VENV)/test-integrations-tools  ## Tests with skops, MLflow, BERTopic, Kafka, MQTT
	@$(PIP) --no-deps "bertopic>=0.17"
	@[ -x /usr/sbin/mosquitto ] || command -v mosquitto > /dev/null || tools/debian_packages mosquitto || true
	$(PYTEST) -n 2 tests/integrations tests/unit/test_package.py

$(VENV)/chromium: $(VENV)/browser-tools
	@command -v chromium > /dev/null || tools/debian_packages chromium fonts-dejavu-core
	@touch $@

test-browser: install $(VENV)/test-tools $(VENV)/chromium  ## Tests of the live page, in chromium
	PHIDA_BROWSER="$$(command -v chromium)" $(PYTEST) tests/browser

# The benchmark, a package of its own in bench/.

$(VENV)/bench-installed: $(BENCH_SOURCES) | $(VENV)/installed
	@echo "building the benchmark, one to three minutes, and installing it"
	@$(PIP) --no-build-isolation -C build-dir=$(CURDIR)/build/py-bench "./bench[keel,tda]"
	@touch $@

bench-install: install $(VENV)/bench-installed  ## Build the benchmark into .venv, with its command phida-bench

test-bench: bench-install $(VENV)/bench/test-tools  ## Types, imports and tests of the benchmark
	cd bench && $(CURDIR)/$(BIN)/mypy
	PYTHONPATH=bench/src $(BIN)/lint-imports --no-cache --config bench/pyproject.toml
	$(call build_native,build/native,$(TESTS),phida_bench_tests)
	build/native/bench/phida_bench_tests && PHIDA_SIMD=baseline build/native/bench/phida_bench_tests
	$(PYTEST) -n 2 bench/tests --ignore bench/tests/systems_deep

test-deep: bench-install $(VENV)/bench/test-tools $(VENV)/bench/test-deep-tools  ## Tests of the compared systems that need JAX
	$(PYTEST) -n 2 bench/tests/systems_deep bench/tests/bench/test_package.py

# The manual. Warnings and broken internal links are errors. The build uses no network.

docs: bench-install $(VENV)/docs-tools  ## The manual, in build/docs/html
	$(BIN)/python -m sphinx -b html -j $(JOBS) -W --keep-going -q -d build/docs/doctrees docs build/docs/html
	$(BIN)/python tools/check_links.py build/docs/html

pictures: docs $(VENV)/chromium  ## Pictures for the manual, and screenshots of its pages
	$(BIN)/python tools/how_it_works.py docs/how_it_works
	PHIDA_GUIDE_PICTURES=keep $(PYTEST) tests/unit/test_guide.py
	$(BIN)/python tools/screenshots.py "$$(command -v chromium)" docs/serve
	$(BIN)/python tools/docs_screenshots.py "$$(command -v chromium)" build/docs/html build/docs/looks

lint: install $(VENV)/test-tools $(VENV)/lint-tools  ## Formatters, type checker, import rules, spelling, workflows
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml

format: $(VENV)/lint-tools  ## Format all code in place
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	@$(BIN)/clang-format -i $(CXX_FILES)

fuzz: install $(VENV)/test-tools  ## Model files and readers, with many random inputs
	$(BIN)/python tests/fuzz/state_fuzzer.py --cases 50000
	PHIDA_FUZZ_EXAMPLES=5000 $(PYTEST) -n 2 tests/fuzz

# Speed, as ratios in one run, since machines are noisy. ARGS is passed on.

perf-%: install $(VENV)/perf-tools  ## Timings of perf/%.py: learning, plus, latency, river_rows, files, serve, spark
	@$(BIN)/python perf/$*.py $(ARGS)
perf-spark: $(VENV)/test-spark-tools
performance: perf-learning perf-plus perf-latency perf-files  ## Measure what docs/performance.md shows

build/native/phida_perf: $(VENV)/build-tools $(SOURCES) perf/native.cpp
	$(call build_native,build/native,$(TESTS) -DPHIDA_BUILD_PERF=ON,phida_perf)

perf-growth: build/native/phida_perf $(VENV)/perf-tools  ## Growth of each stage with its input, with a plot
	@mkdir -p perf/out
	build/native/phida_perf growth > perf/out/growth.csv
	@$(BIN)/python perf/growth.py perf/out/growth.csv perf/out/growth.png

perf-instructions: build/native/phida_perf  ## Instructions per row (needs valgrind), compared with the recorded figures
	@$(BIN)/python perf/instructions.py build/native/phida_perf

soak: install $(VENV)/perf-tools  ## Ten million rows through phida stream; then fifty kills
	$(BIN)/python perf/soak.py endless
	$(BIN)/python perf/soak.py killed

sdist: $(VENV)/release-tools  ## The sdist, in dist/
	$(BIN)/python -m build --sdist --outdir dist

wheel-test: $(VENV)/release-tools  ## Build sdist and wheel in dist/; run Python tests (WHEEL_TESTS) on the installed wheel
	tools/wheel_test $(BIN)/python -n 2 $(WHEEL_TESTS)

stub: bench-install  ## Generate the stubs of the native modules
	$(BIN)/python tools/make_stub.py phida._core src/phida/_core.pyi
	$(BIN)/python tools/make_stub.py phida_bench._systems bench/src/phida_bench/_systems.pyi

clean:  ## Remove everything that was built
	rm -rf $(VENV) .venv-lowest build dist demo perf/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
