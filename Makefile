# Makefile - the front door. CMake and Ninja do the work in build/; every command here can be read and run by hand.
#
#   make            set up what is missing and build: build/bin/karat, build/lib/libkarat.so, build/python
#   make demo       a short tour
#   make test       make test-cuda, the C tests, then the Python tests
#   make test-all   adds exhaustive sweeps and the sanitizers
#   make test-cuda  where nvcc is: the CUDA backend compiled, loaded, its kernels run on the CPU
#   make test-libraries REFERENCE=PYTHON   public libraries beside PyTorch (tests/libraries/README.md); needs a network
#   make check      generated files, layers, lint, headers       make bench      timings beside measured ceilings
#   make asan       the C tests under Address- and UndefinedBehaviorSanitizer;  make tsan   under ThreadSanitizer
#   make asan-python   the Python tests of the same build, two threads at the same tensors among them
#   make amx        tests of attention and convolutions where C stands for AMX's instructions, on a processor with AVX-512
#   make gen        rewrite the generated files                  make install    PREFIX=/usr/local DESTDIR=
#   make clean      remove build/
#
# CC=clang make ... builds with another compiler; JOBS=n sets the parallelism. CUDA=ON builds the CUDA backend too, which needs
# nvcc; CUDA=OFF does not even test it; AUTO tests it where nvcc is.
BUILD  := build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
CUDA   ?= AUTO
CMAKE  := cmake -G Ninja -DKARAT_WERROR=ON
NINJA   = cmake --build $(1) --parallel $(JOBS)

# $(call configure,directory,options): again only when the compiler, the interpreter or the options change.
configure = @tools/configure.sh $(1) "$(CC)" $(CMAKE) $(2)

.PHONY: all setup build demo test test-all test-cuda test-libraries bench check amx build-asan asan asan-python tsan gen install \
	clean

all: build

setup:
	@tools/setup.sh

build: setup
	$(call configure,$(BUILD),-DKARAT_CUDA=$(CUDA))
	@$(call NINJA,$(BUILD))

demo: build
	@if [ -x $(BUILD)/bin/karat ]; then $(BUILD)/bin/karat demo; else echo "make demo: there is no build/bin/karat"; exit 1; fi

# All run whatever the others say; the summaries of the C and Python tests come last.
test: build
	@cuda=passed; JOBS=$(JOBS) tools/test_cuda.sh $(BUILD) || cuda=failed; \
		JOBS=$(JOBS) tools/run_tests.sh $(BUILD) && { [ $$cuda = passed ] || { echo "CUDA: FAILED, see above"; exit 1; }; }

test-cuda: build
	@JOBS=$(JOBS) tools/test_cuda.sh $(BUILD)

test-all: build
	@KARAT_TEST_ALL=1 JOBS=$(JOBS) tools/test_cuda.sh $(BUILD)
	@KARAT_TEST_ALL=1 JOBS=$(JOBS) tools/run_tests.sh $(BUILD)
	@$(MAKE) --no-print-directory amx
	@$(MAKE) --no-print-directory asan
	@$(MAKE) --no-print-directory asan-python
	@$(MAKE) --no-print-directory tsan

test-libraries: build
	@"$$(cat $(BUILD)/.python)" tests/libraries/run.py --environment $(BUILD)/libraries --install --karat $(BUILD)/bin/karat \
		$(if $(REFERENCE),--reference $(REFERENCE)) --document docs/libraries.md

amx: build
	@$(call NINJA,$(BUILD)) --target karat_amx
	@here="$(CURDIR)/$(BUILD)"; LD_LIBRARY_PATH="$$here/amx" PYTHONPATH="$$here/python" PYTHONPYCACHEPREFIX="$$here/pycache" \
		"$$(cat $(BUILD)/.python)" -m pytest -q -p no:cacheprovider tests/python/test_attention.py tests/python/test_convolution.py

build-asan: setup
	$(call configure,$(BUILD)/asan,-DKARAT_ASAN=ON -DKARAT_UBSAN=ON -DKARAT_BENCH=OFF)
	@$(call NINJA,$(BUILD)/asan)

asan: build-asan
	@JOBS=$(JOBS) tools/run_tests.sh $(BUILD)/asan c

asan-python: build-asan
	@JOBS=$(JOBS) tools/run_tests.sh $(BUILD)/asan python

tsan: setup
	$(call configure,$(BUILD)/tsan,-DKARAT_TSAN=ON -DKARAT_PYTHON=OFF -DKARAT_BENCH=OFF)
	@$(call NINJA,$(BUILD)/tsan)
	@JOBS=$(JOBS) tools/run_tests.sh $(BUILD)/tsan c

# A second library without lineage is what "lineage on against compiled out" is measured against.
bench: build
	$(call configure,$(BUILD)/nolineage,-DKARAT_LINEAGE=OFF -DKARAT_TESTS=OFF -DKARAT_PYTHON=OFF)
	@$(call NINJA,$(BUILD)/nolineage)
	@tools/run_bench.sh $(BUILD)

check: build
	@tools/check.sh $(BUILD)

gen: setup
	$(call configure,$(BUILD),-DKARAT_CUDA=$(CUDA))
	@$(call NINJA,$(BUILD)) --target gen
	@$(call NINJA,$(BUILD)) --target gen_reference

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD)
