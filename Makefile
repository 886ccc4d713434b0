# SPDX-License-Identifier: GPL-2.0-or-later
# Losslab. `make help` lists the targets.

PREFIX ?= /usr/local
CC = gcc
# link-time optimisation: the core of the NIC gains a tenth
AR = gcc-ar
LTO = -flto=auto
CLANG ?= clang

# make SAN=1: losslab itself under ASAN and UBSAN, in build/san. make COV=1: counting lines for gcov, in build/coverage.
S := build/san
B := $(if $(SAN),$(S),build$(if $(COV),/coverage))

LIBS := libbpf libmnl jansson libcrypto libdeflate libisal

WARN = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter
CPPFLAGS += -I. -D_GNU_SOURCE -DPREFIX='"$(PREFIX)"'
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARN) $(CFLAGS) $(shell pkg-config --cflags $(LIBS) 2>/dev/null)
LDLIBS = $(shell pkg-config --libs $(LIBS) 2>/dev/null)
SANITIZE = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
ifdef SAN
LTO =
ALL_CFLAGS += $(SANITIZE)
else ifdef COV
LTO =
ALL_CFLAGS += -O0 --coverage -fprofile-update=atomic
endif

LIB_SRC := $(wildcard agent/*/*.c topo/*.c lab/*.c) $(filter-out lab/cmd/main.c,$(wildcard lab/*/*.c)) $(wildcard agent/*.c)
BPF_SRC := $(wildcard bpf/*.bpf.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(B)/lab/engine/bpf_objects.o
# Unit programs link the library under ASAN and UBSAN, or the one that counts lines.
UNIT_FLAGS = $(if $(COV),,$(SANITIZE))
UNIT_LIB := $(if $(COV),$(B),$(S))/liblosslab.a
BPF_OBJ := $(BPF_SRC:%.c=$(B)/%.o)
SAN_OBJ := $(LIB_SRC:%.c=$(S)/%.o) $(B)/lab/engine/bpf_objects.o
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/test_*.c))
# By clang, for fuzzing. Without libFuzzer, nothing.
FUZZ_OBJ := $(patsubst %.c,build/fuzz/%.o,$(filter-out lab/cmd/%,$(LIB_SRC)))
FUZZ := $(patsubst %.c,build/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ := $(if $(wildcard $(shell $(CLANG) -print-runtime-dir 2>/dev/null)/libclang_rt.fuzzer-*.a),$(FUZZ))

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2))

.DELETE_ON_ERROR:
.PHONY: all
all: check-build
	@$(MAKE) -s --no-print-directory $(B)/losslab

# What is needed by name (lab/deps.sh has the list): check-* says what is missing, install-* installs it.
.PHONY: check-build install-run install-test
check-build:
	@sh lab/deps.sh check build
install-run:
	@sh lab/deps.sh install build
install-test:
	@sh lab/deps.sh install build test

$(B)/losslab: $(B)/lab/cmd/main.o $(B)/liblosslab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LTO) -o $@ $^ $(LDLIBS)

$(B)/liblosslab.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

ifndef SAN
$(S)/liblosslab.a: $(SAN_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(S)/%.o: %.c
	$(call say,CC+SAN,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(SANITIZE) $(CPPFLAGS) -MMD -MP -c -o $@ $<
endif

$(B)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LTO) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# BPF: the system's UAPI headers (asm/ lives in the multiarch folder on Debian); native byte order.
BPF_CFLAGS = -O2 -g -Wall -Werror -target bpf -mcpu=v3 -I. -idirafter /usr/include/$(shell $(CC) -print-multiarch)

$(B)/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/lab/engine/bpf_objects.o: lab/engine/bpf_objects.S $(BPF_OBJ)
	$(call say,AS,$<)
	$(Q)mkdir -p $(@D) && $(CC) -DBPF_SWITCH='"$(B)/bpf/switch.bpf.o"' -DBPF_HOST='"$(B)/bpf/host.bpf.o"' -c -o $@ $<

# One test program per tests/unit/test_x.c, against the library built with ASAN and UBSAN.
$(B)/tests/unit/%: tests/unit/%.c $(UNIT_LIB)
	$(call say,TEST,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(UNIT_FLAGS) $(CPPFLAGS) -MMD -MP -o $@ $< $(UNIT_LIB) $(LDLIBS) -lcmocka

# libFuzzer's programs: the same sources by clang, without link-time optimisation.
FUZZ_CFLAGS = -std=gnu11 -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all $(CPPFLAGS)

build/fuzz/%.o: %.c
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<

build/fuzz/liblosslab.a: $(FUZZ_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

build/tests/fuzz/%: build/fuzz/tests/fuzz/%.o build/fuzz/liblosslab.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CLANG) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)

$(B)/tests/bench_core: tests/bench_core.c $(B)/liblosslab.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LTO) $(CPPFLAGS) -MMD -MP -o $@ $< $(B)/liblosslab.a $(LDLIBS)

# What chaos.sh needs: foreign frames, noise in maps, system calls that fail.
CHAOS := $(B)/tests/chaos/frames $(B)/tests/chaos/scribble $(B)/tests/chaos/inject.so

$(B)/tests/chaos/inject.so: tests/chaos/inject.c
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -Wno-missing-prototypes -O2 -g -D_GNU_SOURCE -shared -fPIC -o $@ $< -ldl

$(B)/tests/chaos/%: tests/chaos/%.c
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(CPPFLAGS) -o $@ $< -lbpf

.PHONY: run test unit twin bats bpf fuzz chaos coverage test-vm lint docs fmt bench install help
run: install-run ## the same flows over RoCE with PFC, without, and IRN: one table
	@$(MAKE) -s --no-print-directory $(B)/losslab
	@sh scenarios/run.sh scenarios/lossless

test: install-test ## all tests: unit, twin, bpf, bats, short fuzz and chaos
	@$(MAKE) -s --no-print-directory -j2 $(B)/losslab $(UNIT) $(FUZZ) $(CHAOS)
	@B=$(B) bash tests/run.sh unit twin bpf fuzz bats chaos

# T=psn: this one only. SAN=1: twin and bats run a losslab under ASAN and UBSAN (unit tests always do).
unit twin bpf bats: install-test ## one set; T=NAME: one file of it; SAN=1: under ASAN and UBSAN
	@$(MAKE) -s --no-print-directory -j2 $(B)/losslab $(if $(filter unit bpf,$@),$(if $(T),$(B)/tests/unit/test_$(T),$(UNIT)))
	@B=$(B) T=$(T) bash tests/run.sh $@

SECONDS = 60
fuzz: install-test ## all libFuzzer targets, SECONDS=60 each; T=NAME: one
	@$(MAKE) -s --no-print-directory -j2 $(if $(T),build/tests/fuzz/fuzz_$(T),$(FUZZ))
	@B=$(B) T=$(T) bash tests/fuzz/run.sh for $(SECONDS)

chaos: install-test ## MINUTES=1, SEED=n: kills, stops, foreign frames, sabotage
	@$(MAKE) -s --no-print-directory -j2 $(B)/losslab $(CHAOS)
	@B=$(B) MINUTES=$(or $(MINUTES),1) SEED=$(SEED) bash tests/chaos/chaos.sh

coverage: install-test ## lines covered by unit, twin, bpf and bats, by folder (lcov)
	@$(MAKE) -s --no-print-directory -j2 COV=1 build/coverage/losslab
	@$(MAKE) -s --no-print-directory -j2 COV=1 coverage-unit
	@bash tests/coverage.sh

.PHONY: coverage-unit
coverage-unit: $(UNIT)

test-vm: install-test ## boot stock Debian kernels and run a short set there
	@$(MAKE) -s --no-print-directory $(B)/losslab $(B)/tests/unit/test_bpf_switch
	@B=$(B) bash tests/vm/test.sh

lint: install-test ## warnings, layers, shellcheck, cppcheck, formats
	@$(MAKE) -s --no-print-directory -j2 $(B)/losslab $(UNIT)
	@bash tests/lint.sh

docs: install-test ## renew the tables of lab/records/RECORDS.md
	@$(MAKE) -s --no-print-directory $(B)/tests/unit/test_columns
	@$(B)/tests/unit/test_columns --write

fmt: ## lay the sources out
	clang-format -i $$(git ls-files '*.c' '*.h')

bench: install-run ## hops per CPU second, the NIC's core, up and down, memory
	@$(MAKE) -s --no-print-directory $(B)/losslab $(B)/tests/bench_core
	@B=$(B) bash tests/bench.sh

SHARE = $(DESTDIR)$(PREFIX)/share
install: all $(B)/losslab.1 ## PREFIX=/usr/local, DESTDIR for packagers
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/losslab/topo $(SHARE)/man/man1 $(SHARE)/doc/losslab
	install -m 755 $(B)/losslab $(DESTDIR)$(PREFIX)/bin/losslab
	install -m 755 topo/*.sh $(SHARE)/losslab/topo
	install -m 644 topo/generator.inc $(SHARE)/losslab/topo
	cp -R scenarios $(SHARE)/losslab
	install -m 644 $(B)/losslab.1 $(SHARE)/man/man1/losslab.1
	install -m 644 README.md LICENSE docs/*.md $(DOCS) $(SHARE)/doc/losslab

# What the manual refers to beside docs/: the formats of files, each next to its code in the repository.
DOCS := $(shell find lab topo -name '*.md')

# The man page, from the tables that --help is made of.
$(B)/losslab.1: $(B)/losslab
	$(Q)$(B)/losslab --man >$@

help: ## this list
	@echo 'make            build losslab; SAN=1: under ASAN and UBSAN; LTO=: no LTO'
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r t h; do \
		for t in $$t; do printf 'make %-10s %s\n' "$$t" "$$h"; done; done

.PHONY: clean
clean: ## remove build
	rm -rf build

-include $(BPF_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(SAN_OBJ:.o=.d) $(UNIT:=.d) $(FUZZ_OBJ:.o=.d) $(FUZZ:build/%=build/fuzz/%.d) $(B)/lab/cmd/main.d $(B)/tests/bench_core.d
