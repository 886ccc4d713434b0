# SPDX-License-Identifier: GPL-2.0
# Losslab. `make help` lists the targets.

PREFIX ?= /usr/local
CC = gcc
# link-time optimisation: the core of the NIC gains a tenth
AR = gcc-ar
LTO = -flto=auto
CLANG ?= clang
B := build

LIBS := libbpf libmnl jansson libcrypto libdeflate libisal

WARN = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter
CPPFLAGS += -I. -D_GNU_SOURCE -DPREFIX='"$(PREFIX)"'
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARN) $(CFLAGS) $(shell pkg-config --cflags $(LIBS) 2>/dev/null)
LDLIBS = $(shell pkg-config --libs $(LIBS) 2>/dev/null)
SAN = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all

LIB_SRC := $(wildcard agent/*/*.c topo/*.c lab/*.c) $(filter-out lab/cmd/main.c,$(wildcard lab/*/*.c)) $(wildcard agent/*.c)
BPF_SRC := $(wildcard bpf/*.bpf.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(B)/lab/engine/bpf_objects.o
SAN_OBJ := $(LIB_SRC:%.c=$(B)/san/%.o) $(B)/lab/engine/bpf_objects.o
BPF_OBJ := $(BPF_SRC:%.c=$(B)/%.o)
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/test_*.c))

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

$(B)/san/liblosslab.a: $(SAN_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LTO) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(B)/san/%.o: %.c
	$(call say,CC+SAN,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(SAN) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# BPF: the system's UAPI headers (asm/ lives in the multiarch folder on Debian); native byte order.
BPF_CFLAGS = -O2 -g -Wall -Werror -target bpf -mcpu=v3 -I. -idirafter /usr/include/$(shell $(CC) -print-multiarch)

$(B)/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/lab/engine/bpf_objects.o: lab/engine/bpf_objects.S $(BPF_OBJ)
	$(call say,AS,$<)
	$(Q)mkdir -p $(@D) && $(CC) -DBPF_SWITCH='"$(B)/bpf/switch.bpf.o"' -DBPF_HOST='"$(B)/bpf/host.bpf.o"' -c -o $@ $<

# One test program per tests/unit/test_x.c, against the library built with ASAN and UBSAN.
$(B)/tests/unit/%: tests/unit/%.c $(B)/san/liblosslab.a
	$(call say,TEST,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(SAN) $(CPPFLAGS) -MMD -MP -o $@ $< $(B)/san/liblosslab.a $(LDLIBS) -lcmocka

$(B)/tests/bench_core: tests/bench_core.c $(B)/liblosslab.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LTO) $(CPPFLAGS) -MMD -MP -o $@ $< $(B)/liblosslab.a $(LDLIBS)

.PHONY: run test unit twin bats bpf test-vm lint docs fmt bench install help
run: install-run ## the same flows over RoCE with PFC, RoCE without, IRN without: one table
	@$(MAKE) -s --no-print-directory $(B)/losslab
	@sh scenarios/run.sh scenarios/lossless

test: install-test ## all tests: unit, twin, bpf, bats
	@$(MAKE) -s --no-print-directory -j2 $(B)/losslab $(UNIT)
	@B=$(B) bash tests/run.sh unit twin bpf bats

unit twin bpf bats: install-test
	@$(MAKE) -s --no-print-directory -j2 $(B)/losslab $(if $(filter unit bpf,$@),$(UNIT))
	@B=$(B) bash tests/run.sh $@

test-vm: install-test ## boot a stock Debian kernel and run a short set there
	@$(MAKE) -s --no-print-directory $(B)/losslab $(B)/tests/unit/test_bpf_switch
	@B=$(B) bash tests/vm.sh

lint: install-test ## warnings, shellcheck, cppcheck, formats, file lengths
	@$(MAKE) -s --no-print-directory -j2 $(B)/losslab $(UNIT)
	@bash tests/lint.sh

docs: install-test ## renew the tables of lab/records/RECORDS.md
	@$(MAKE) -s --no-print-directory $(B)/tests/unit/test_columns
	@$(B)/tests/unit/test_columns --write

fmt: ## lay the sources out
	clang-format -i $$(git ls-files '*.c' '*.h')

bench: install-run ## speed: link crossings per CPU second, the NIC's core, bring-up and tear-down, windows, memory
	@$(MAKE) -s --no-print-directory $(B)/losslab $(B)/tests/bench_core
	@B=$(B) bash tests/bench.sh

install: all ## PREFIX=/usr/local, DESTDIR for packagers
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/losslab/topo
	install -m 755 $(B)/losslab $(DESTDIR)$(PREFIX)/bin/losslab
	install -m 755 topo/*.sh $(DESTDIR)$(PREFIX)/share/losslab/topo
	install -m 644 topo/generator.inc $(DESTDIR)$(PREFIX)/share/losslab/topo
	cp -R scenarios $(DESTDIR)$(PREFIX)/share/losslab

help: ## this list
	@echo "make            build $(B)/losslab"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1 \2/p' Makefile | while read -r t h; do printf 'make %-10s %s\n' "$$t" "$$h"; done

.PHONY: clean
clean: ## remove $(B)
	rm -rf $(B)

-include $(BPF_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(SAN_OBJ:.o=.d) $(UNIT:=.d) $(B)/lab/cmd/main.d $(B)/tests/bench_core.d
