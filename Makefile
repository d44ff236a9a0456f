# A thin front for people and for CI.  Sources, options and tests are listed in meson.build,
# Emacs is built by hosts/emacs/build.sh; nothing is described here a second time.

PREFIX  ?= /usr/local
MINUTES ?= 10
# Which Emacs demo and check use: `patched' is built anew for each change, `dev' in place.
EMACS_VARIANT ?= patched

# The system's python and meson, not those of somebody's HOME.
export PATH := /usr/bin:/bin:$(PATH)

emacs = hosts/emacs/build.sh
hosts = EMLAT_EMACS="$$($(emacs) print $(EMACS_VARIANT))" \
        EMLAT_EMACS_STOCK="$$($(emacs) print stock)"

.PHONY: all help deps consumers build demo check check-san soak bench engine bench-self install clean \
        emacs emacs-stock emacs-dev emacs-unconfigured \
        print-emacs print-emacs-stock print-emacs-dev

all: deps build ## libemlat, the emlat program and its tests, in build/

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' Makefile | sort | column -t -s @

deps: ## install the Debian packages that are missing (says which first)
	@tools/deps.sh

build/build.ninja: | deps
	meson setup build

build: build/build.ninja
	ninja -C build

demo: deps build emacs ## record real work in a real Emacs, and show the report
	@$(hosts) demo/demo.sh

# Without them their tests are skipped, by name.
tests/consumers/node_modules: tests/consumers/package-lock.json | deps
	npm ci --prefix tests/consumers --ignore-scripts --no-audit --no-fund && touch $@

consumers: ## programs of others that read exports back in the tests (npm packages, pinned)
	-@$(MAKE) --no-print-directory tests/consumers/node_modules

check: deps consumers emacs-stock emacs emacs-unconfigured ## every test, with gcc and clang
	@$(hosts) tools/check.py build -- CC=clang build-clang : --no-suite emacs

# Any finding fails the test that made it.
check-san: deps ## the unit tests under the address, undefined and thread sanitizers
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	ASAN_OPTIONS=detect_stack_use_after_return=1 TSAN_OPTIONS=halt_on_error=1 \
	tools/check.py \
	  build-asan -Db_sanitize=address,undefined -Dbench=false : --suite unit -- \
	  build-tsan -Db_sanitize=thread -Dbench=false : --suite unit

soak: deps build emacs ## MINUTES=10 of mixed work in a real Emacs, and everything accounted for
	@$(hosts) EMLAT_PROGRAM=build/src/cli/emlat EMLAT_SOAK_MINUTES=$(MINUTES) \
	/usr/bin/python3 tests/emacs/soak.py

# A goal after `bench' names what is run; `engine' is tests/engine.
bench: deps build ## make bench engine: the three reports of the synthetic engine
	@case '$(filter-out bench,$(MAKECMDGOALS))' in \
	engine) EMLAT_BENCH_STARTED_NS=$$(date +%s%N) build/src/cli/emlat bench -- build/tests/engine/engine ;; \
	*) echo 'usage: make bench engine' >&2; exit 2 ;; esac

engine: ; @: # the goal above has run it

bench-self: deps build ## the speed of emlat itself
	meson test -C build --no-rebuild --benchmark --verbose

install: build ## install into PREFIX (default /usr/local)
	meson setup --reconfigure --prefix "$(abspath $(PREFIX))" --libdir lib build
	meson install -C build

emacs: deps ## the patched Emacs, in the cache
	@$(emacs) $(EMACS_VARIANT)

emacs-stock: deps ## the same Emacs as released
	@$(emacs) stock

emacs-unconfigured: deps ## the patched Emacs' hooked objects without --with-latency
	@$(emacs) unconfigured

emacs-dev: deps ## a patched Emacs of this checkout, made again only where it changed
	@$(emacs) dev

print-emacs: ## the path of the patched emacs program
	@$(emacs) print $(EMACS_VARIANT)

print-emacs-stock: ## the path of the unpatched one
	@$(emacs) print stock

print-emacs-dev: ## the path of this checkout's own
	@$(emacs) print dev

clean: ## remove the build directories (the Emacs builds in the cache stay)
	rm -rf build build-clang build-asan build-tsan
