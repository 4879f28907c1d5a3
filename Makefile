# `make` alone lists the targets. `make reproduce` and `make test` need Go and
# make, nothing else.

GO          ?= go
OUT         ?= out
FUZZTIME    ?= 20s
DUCKDB      ?= $(OUT)/duckdb
PYTHON      ?= /usr/bin/python3
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Everything is pure Go. Only the race detector needs a C compiler.
export CGO_ENABLED = 0
# Rounding is part of the results: on amd64, x·y+z is rounded twice.
export GOAMD64 = v1

# Debugging information takes a third of a compiler's time, and nothing here reads it: a
# debugger wants `go build`.
COMPILER := -dwarf=false
# Elsewhere than on amd64 this flag has products and sums rounded twice; compilers for arm64
# would round once.
ifneq ($(filter-out amd64,$(shell $(GO) env GOARCH 2>/dev/null)),)
COMPILER += -d=fmahash=qn
endif
export GOFLAGS := $(shell $(GO) env GOFLAGS) '-gcflags=all=$(COMPILER)'

# `leontief version` prints what Go's own version stamp says; outside a git
# clone there is nothing to stamp.
STAMP := $(shell git describe --always >/dev/null 2>&1 && echo true || echo false)

# A target that lacks a program says so, and what to install, before it does
# anything: $(call need,programs,what to do).
define need
@for program in $(1); do command -v "$$program" >/dev/null 2>&1 || { echo "make $@: $$program is missing. $(2)" >&2; exit 2; }; done
endef
NEED_GO = $(call need,$(firstword $(GO)),Install Go 1.26 or newer: https://go.dev/dl)

.DEFAULT_GOAL := help
.PHONY: help build reproduce reproduce-paper reproduce-all costs claims docs docs-check identity test test-long mutations survival slurm-test duckdb-test dist dist-test install-test python-test browser full-size race bench fmt lint cover fuzz fuzz-long damage oracles compare bench-solvers clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./leontief, stamped with the version of this clone
	$(NEED_GO)
	$(GO) build -buildvcs=$(STAMP) -trimpath -o leontief .

reproduce: build ## the TSF-ER paper: tables 3 to 5, figures 3 to 10, in about half a minute, into out/tsf-er
	./leontief reproduce tsf-er --out $(OUT)/tsf-er

reproduce-all: build ## all five papers at the quick scale and their property tables, into out, and out/report.html
	./leontief reproduce all --out $(OUT)

# SCALE=quick tries it in a few minutes, into out/quick.
SCALE ?= paper

reproduce-paper: build ## reproduce-all at the published sizes, into out/paper (the same command goes on where it was ended)
	./leontief reproduce all --scale $(SCALE) --out $(OUT)/$(SCALE)

costs: build ## experiments/cli/costs.txt: what estimates of the time left begin with, of finished runs of the two above
	$(GO) run ./scripts/costs experiments/cli/costs.txt $(OUT) $(OUT)/paper

claims: reproduce-all ## docs/claims and docs/claims.csv: every claim, ours beside it, and the verdict
	$(GO) run ./scripts/claims -out docs $(OUT)

docs: ## docs/reference: commands, policies, experiments, columns
	$(GO) run ./scripts/gendocs

identity: ## experiments/store/packages.txt: the code by which stored results are known
	$(NEED_GO)
	$(GO) test ./experiments/store -run IdentityIsOfThePackages -update

docs-check: ## fail if docs/reference is not up to date
	$(GO) run ./scripts/gendocs -check

# Without vet: `make lint` has all of it. Most tests hold a few MB, of which Go's collector
# would look at every byte again and again.
test: export GOGC ?= 400
test: ## all tests; those on the real traces run where the files are (LEONTIEF_TRACES)
	$(NEED_GO)
	$(GO) test -vet=off -timeout 40m ./...

# Packages of which a test asks for LEONTIEF_LONG, but for the two above them.
LONG := ./sim/metrics ./experiments/explain ./experiments/papers/audit ./policies/solve ./sim/whole ./scripts/fit ./traces/google2011 ./traces/synthetic

test-long: ## the long forms of tests that make test has in short: whole sweeps behind pages, all readings, real logs (minutes)
	$(NEED_GO)
	LEONTIEF_LONG=1 $(GO) test -vet=off -count 1 -timeout 40m -v -run 'WhichRule|ShownOutput|Additions|Comparison|Scripts$$/^reproduce$$|Package' ./scripts/pages ./experiments/cli ./scripts/python
	LEONTIEF_LONG=1 $(GO) test -vet=off -count 1 -timeout 40m $(LONG)

mutations: ## make one change of the program at a time that tests are to notice, and run them (minutes)
	$(NEED_GO)
	$(GO) run ./scripts/mutations

survival: ## kill, starve and crowd sweeps in 300 random rounds each (about ten minutes; root, for a full disk)
	$(NEED_GO)
	LEONTIEF_ROUNDS=300 sh scripts/unskipped.sh $(GO) test -timeout 0 -run 'Killed|TwoProcesses|Full' -v ./experiments/store

slurm-test: ## a sweep on a Slurm cluster of three nodes on this machine, one lost in the middle, and the import of its accounting (needs slurm-wlm, munge, slurmdbd, mariadb-server)
	$(NEED_GO)
	$(call need,munged slurmctld slurmd sbatch scontrol squeue sinfo scancel,On Debian or Ubuntu: apt-get install slurm-wlm munge slurmdbd mariadb-server)
	sh scripts/unskipped.sh $(GO) test -tags slurm -count 1 -timeout 20m -v ./scripts/slurm

duckdb-test: ## DuckDB reads every table that leontief writes (needs Node.js; DUCKDB=DIR names the folder of the package)
	$(NEED_GO)
	$(call need,node,Install Node.js: https://nodejs.org)
	@test -d "$(DUCKDB)/node_modules/@duckdb/node-api" || { echo "make $@: DuckDB is missing. npm install --prefix $(DUCKDB) @duckdb/node-api" >&2; exit 2; }
	LEONTIEF_NODE="$(abspath $(DUCKDB))" sh scripts/unskipped.sh $(GO) test -count 1 -v ./scripts/duckdb

browser: ## install Chromium, for the tests of the report (Debian, root)
	$(call need,apt-get,This target installs Chromium on Debian alone; elsewhere put a chromium into PATH)
	@test "$$(id -u)" = 0 || { echo "make $@: it installs a package: run it as root" >&2; exit 2; }
	apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium
	$(call need,chromium,apt-get has installed none: on Ubuntu chromium is a snap)

dist: ## archives and Python wheels for Linux, macOS and Windows, and SHA256SUMS, into out/dist (PYTHON= for no wheels)
	$(NEED_GO)
	$(GO) run ./scripts/dist -out $(OUT)/dist -python "$(PYTHON)"

dist-test: ## try what make dist has made: all checksums, versions and bytes; run what this machine can (qemu-user-static, wine)
	$(NEED_GO)
	@test -f "$(OUT)/dist/SHA256SUMS" || { echo "make $@: there is no $(OUT)/dist/SHA256SUMS. Run make dist" >&2; exit 2; }
	LEONTIEF_DIST="$(abspath $(OUT)/dist)" $(GO) test -count 1 -timeout 20m -v ./scripts/dist

install-test: ## go install of a tag of this clone, from a module proxy in a folder, into an empty GOPATH
	$(NEED_GO)
	$(call need,git,On Debian or Ubuntu: apt-get install git)
	LEONTIEF_INSTALL=1 sh scripts/unskipped.sh $(GO) test -count 1 -timeout 20m -run GoInstall -v ./scripts/dist

PYTHON_PACKAGES := numpy scipy pandas matplotlib cvxopt

python-test: build ## the tests of the Python package and its examples; root on Debian also installs NumPy, SciPy, pandas, Matplotlib, CVXOPT
	$(call need,$(PYTHON),On Debian or Ubuntu: apt-get install python3)
	@$(PYTHON) -c '$(PYTHON_PACKAGES:%=import %;)' 2>/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get install -y -qq --no-install-recommends $(PYTHON_PACKAGES:%=python3-%); } || echo "make $@: $(PYTHON) has not all of $(PYTHON_PACKAGES); tests that need what is missing are skipped. On Debian or Ubuntu: apt-get install $(PYTHON_PACKAGES:%=python3-%); or set PYTHON" >&2
	cd scripts/python && LEONTIEF="$(CURDIR)/leontief" PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m unittest

full-size: ## two months of PAI's size on 1,897 servers with whole tasks (minutes)
	$(NEED_GO)
	GOMAXPROCS=1 GOMEMLIMIT=48MiB sh scripts/unskipped.sh $(GO) test -tags long -timeout 0 -run FullSizeReplay -v ./sim/whole

race: need-cc ## all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -timeout 90m ./...

race-short: need-cc ## the tests of what runs concurrently, under the race detector (two minutes)
	CGO_ENABLED=1 sh scripts/race-short.sh $(GO)

.PHONY: need-cc need-oracles race-short
need-cc:
	$(NEED_GO)
	$(call need,$(firstword $(shell CGO_ENABLED=1 $(GO) env CC 2>/dev/null) gcc),The race detector needs a C compiler; on Debian or Ubuntu: apt-get install gcc libc6-dev)

need-oracles:
	$(call need,$(PYTHON),Run make oracles as root)
	@$(PYTHON) -c 'import numpy, scipy.optimize, cvxopt' 2>/dev/null || { echo "make: $(PYTHON) has no NumPy, SciPy or CVXOPT. Run make oracles as root, or set PYTHON" >&2; exit 2; }

bench: ## all Go benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

fmt: ## format the Go files
	gofmt -w .

lint: ## gofmt, go vet and staticcheck; fails on any finding
	@unformatted=$$(gofmt -l .) && if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

cover: ## test coverage by package, and out/cover.html
	@mkdir -p $(OUT)
	$(GO) test -coverpkg=./... -coverprofile=$(OUT)/cover.out ./...
	$(GO) tool cover -html=$(OUT)/cover.out -o $(OUT)/cover.html
	$(GO) tool cover -func=$(OUT)/cover.out | tail -n 1

fuzz: ## every fuzz target for a short while (FUZZTIME=20s), and how many inputs ran
	$(NEED_GO)
	@FUZZTIME=$(FUZZTIME) GO="$(GO)" sh scripts/fuzz.sh

fuzz-long: ## every fuzz target with 100,000 inputs (an hour), and what was found
	$(NEED_GO)
	@FUZZTIME=100000x GO="$(GO)" sh scripts/fuzz.sh

damage: ## read 100,000 damaged Parquet files (minutes), and what became of them
	$(NEED_GO)
	LEONTIEF_DAMAGED=100000 sh scripts/unskipped.sh $(GO) test -count 1 -timeout 60m -run DamagedFiles -v ./traces/parquet

oracles: ## install the independent solvers for the two targets below (Debian or Ubuntu, root)
	sh scripts/install-oracles.sh

compare: need-oracles build ## compare allocations, whole replays and pages of compare with HiGHS and CVXOPT, on random environments and made-up traces
	$(PYTHON) scripts/compare_oracle.py --leontief ./leontief
	$(PYTHON) scripts/replay_oracle.py --leontief ./leontief
	$(PYTHON) scripts/whole_oracle.py --leontief ./leontief
	$(PYTHON) scripts/page_oracle.py --leontief ./leontief

bench-solvers: need-oracles ## time the solvers beside GLPK, CLP, HiGHS, Ipopt and CVXOPT
	$(NEED_GO)
	$(call need,gcc,Run make oracles as root)
	$(PYTHON) scripts/bench_solvers.py

clean: ## remove what was built and the out folder
	rm -rf leontief $(OUT) scripts/__pycache__
