# A thin front of CMake: `make help` lists the targets.
#
# BUILD=build/mine keeps a second release build beside the first,
# JOBS=1 limits the processes, PREFIX=/usr says where `make install` puts it.

BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
N ?= 20

# CMake starts a make of its own, which must not inherit our job server.
cmake = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake

.PHONY: all configure build demo test check bench sarcs sarcs-validation validate jain \
	fastlanes cgm synth fuzz \
	mutants docs install \
	deb format clean help

all: build

configure:
	@scripts/own-build $(BUILD)
	@scripts/setup build
	@test -f $(BUILD)/Makefile || $(cmake) --preset release -B $(BUILD)

build: configure
	@$(cmake) --build $(BUILD) --parallel $(JOBS)

# The command line, and the libraries that `heddle cc` and `heddle exec` need: a
# first look need not wait for the tests.
demo: configure
	@$(cmake) --build $(BUILD) --parallel $(JOBS) --target heddle cudart
	@BUILD=$(BUILD) demo/run.sh

# Tests with the label `slow` (minutes, not seconds) are for `make check`. One that
# hangs fails.
test: build
	@ctest --test-dir $(BUILD) --output-on-failure --no-label-summary \
		--parallel $(JOBS) --label-exclude slow --timeout 300

check:
	@scripts/setup check
	@JOBS=$(JOBS) scripts/check

bench: build
	@BUILD=$(BUILD) bench/run

# What a study needs, without the tests.
study = $(cmake) --build $(BUILD) --parallel $(JOBS) --target

# SArcs' design space exploration: docs/sarcs.md.
sarcs: configure
	@$(study) heddle cudart
	@sweeps/sarcs $(BUILD)

# Its Figure 1, on an H200 instead of a C2050.
sarcs-validation: configure
	@$(study) heddle cudart
	@validation/sarcs/compare -b $(BUILD) -j $(JOBS)

# Programs that were measured on a GPU, beside it: docs/validation.md.
validate: configure
	@$(study) heddle cudart
	@scripts/validate -b $(BUILD) -j $(JOBS)

# Jain et al.'s evaluation of a simulator, by class of program: docs/jain.md.
jain: configure
	@$(study) study_jain
	@validation/jain/run -b $(BUILD) -j $(JOBS)

# The evaluation of FastLanes: docs/fastlanes-study.md.
fastlanes: build
	@scripts/setup rtl
	@validation/fastlanes/run -b $(BUILD)

# The results of M2S-CGM, on simulated systems: docs/cgm-study.md.
cgm: configure
	@$(study) study_cgm
	@validation/system/run -b $(BUILD) -j $(JOBS)

# What its circuit takes of an FPGA: docs/fastlanes-cost.md.
synth: configure
	@scripts/setup rtl
	@$(cmake) --build $(BUILD) --parallel $(JOBS) --target rtl_pkg
	@scripts/synth -b $(BUILD) -j $(JOBS)

fuzz:
	@scripts/setup fuzz
	@JOBS=$(JOBS) scripts/fuzz $(FUZZ_SECONDS)

# TESTS=quick leaves out the longer ones. SEED=1 repeats a round. COPIES=4 tries
# four at a time.
mutants:
	@scripts/setup build
	@scripts/mutants -n $(N) -j $(JOBS) $(addprefix -s ,$(SEED)) \
		$(addprefix -p ,$(COPIES)) \
		$(if $(filter quick,$(TESTS)),-q) $(SRC)

docs: build
	@$(cmake) --build $(BUILD) --target docs

install: build
	@DESTDIR=$(DESTDIR) $(cmake) --install $(BUILD) --prefix $(PREFIX)

# For every machine of this architecture, installed under /usr.
deb:
	@scripts/setup deb
	@$(cmake) --preset release -B $(BUILD)/deb -DCMAKE_INSTALL_PREFIX=/usr \
		-DHEDDLE_PORTABLE=ON -DHEDDLE_TESTS=OFF \
		-DHEDDLE_ZSH_DIR=share/zsh/vendor-completions
	@$(cmake) --build $(BUILD)/deb --parallel $(JOBS)
	@cd $(BUILD)/deb && rm -f *.deb && $(cmake:cmake=cpack) -G DEB
	@ls $(BUILD)/deb/*.deb

format:
	@scripts/setup check
	@scripts/check-format --fix

clean:
	@rm -rf build

help:
	@echo 'make            build build/heddle and build/libheddle.so'
	@echo 'make demo       compile a CUDA program and run it'
	@echo 'make test       build and run the tests, all but the slow ones'
	@echo 'make check      everything a change must pass before it is merged'
	@echo 'make bench      measure the speed, write build/bench.json'
	@echo 'make sarcs      repeat the sweeps of docs/sarcs.md, some minutes'
	@echo 'make sarcs-validation  compare the kernels of SArcs with an H200, 10 minutes'
	@echo 'make validate   compare programs with what an H200 measured, 10 minutes'
	@echo 'make jain       repeat the evaluation of docs/jain.md, 15 minutes'
	@echo 'make fastlanes  repeat the evaluation of docs/fastlanes-study.md, some minutes'
	@echo 'make cgm        repeat the results of docs/cgm-study.md, 15 minutes'
	@echo 'make synth      what the circuit of FastLanes takes of an FPGA, some minutes'
	@echo 'make docs       write the pages of docs/ that are made from tables'
	@echo 'make fuzz       fuzz each target for FUZZ_SECONDS=60'
	@echo 'make mutants    change N=20 tokens of SRC="src/sm ...", see if tests notice'
	@echo 'make install    install under PREFIX=/usr/local (and DESTDIR)'
	@echo 'make deb        write a package for Debian, build/deb/heddle_*.deb'
	@echo 'make format     format the sources'
	@echo 'make clean      remove build/'
