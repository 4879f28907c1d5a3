#!/bin/sh
# Runs the tests of what runs concurrently under the race detector: the pool of
# workers and the store, experiments at several numbers of workers, two processes on
# one folder, interrupts, what the commands share, and the pools of the solvers.
#
#   CGO_ENABLED=1 sh scripts/race-short.sh go
set -eu
go=$1
race() {
	packages=$1
	shift
	# shellcheck disable=SC2086 # several packages, on purpose
	"$go" test -race -count 1 -timeout 10m "$@" $packages
}
race "./experiments/run" -run 'Gather|Worker'
race "./experiments/store" -run 'Worker|Store|Sweep|Merge|Lock|Interrupt|TwoProcesses'
race "./experiments/papers/psdsf ./experiments/papers/magiks ./experiments/papers/audit" -run 'Worker'
race "./experiments/cli" -run 'Interrupt|Panic|Scripts/(simulate|sweep|audit|fault|psdsf)$'
race "./plots/printable ./traces/output"
race "./traces/parquet" -run 'Goroutine|Read|Write' -short
