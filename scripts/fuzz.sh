#!/bin/sh
# Runs every fuzz target of the repository and says how many inputs each ran, how
# long, and what was found; ends with status 1 if anything was. FUZZTIME is the
# time of a target (20s) or the number of its inputs (100000x). What fails is kept by
# Go in testdata/fuzz beside the target.
set -u
go=${GO:-go}
time=${FUZZTIME:-20s}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
total=0
targets=0
failed=0
began=$(date +%s)
printf '%-44s %12s %8s  %s\n' target inputs seconds found
for file in $(grep -rl --include='*_test.go' '^func Fuzz' . | sort); do
	dir=$(dirname "$file")
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		start=$(date +%s)
		found=nothing
		"$go" test -run '^$' -timeout 0 -fuzz "^$target\$" -fuzzminimizetime 100x -fuzztime "$time" "$dir" >"$log" 2>&1 || found=failed
		# Before Go 1.27 a target may end with these words, and without an input, when its
		# time is over (golang/go#75804).
		if [ "$found" = failed ] && grep -q '^ *context deadline exceeded$' "$log" && ! grep -q 'Failing input\|panic:' "$log"; then
			found=nothing
		fi
		inputs=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
		printf '%-44s %12s %8s  %s\n' "${dir#./} $target" "${inputs:=0}" "$(($(date +%s) - start))" "$found"
		total=$((total + inputs))
		targets=$((targets + 1))
		if [ "$found" = nothing ] && [ "$inputs" -eq 0 ]; then
			found=failed
			echo "no input ran"
		fi
		if [ "$found" = failed ]; then
			failed=$((failed + 1))
			tail -n 40 "$log"
		fi
	done
done
printf '%s inputs in %s seconds; %s targets failed\n' "$total" "$(($(date +%s) - began))" "$failed"
if [ "$targets" -eq 0 ]; then
	echo "fuzz: there is no fuzz target here" >&2
	exit 2
fi
[ "$failed" -eq 0 ]
