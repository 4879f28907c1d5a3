#!/bin/sh
# Runs the command that is given, a "go test -v", and shows its output; ends with
# status 2 if a test was skipped or none ran, since nothing was tested then.
#
#   sh scripts/unskipped.sh go test -v -run Killed ./experiments/store
set -u
log=$(mktemp) || exit 2
trap 'rm -f "$log" "$log.status"' EXIT
{
	"$@" 2>&1
	echo $? >"$log.status"
} | tee "$log"
read -r status <"$log.status"
[ "$status" -eq 0 ] || exit "$status"
if grep -q '^ *--- SKIP' "$log"; then
	echo "unskipped: the tests marked SKIP above did not run here, for the reason that each gives" >&2
	exit 2
fi
if ! grep -q '^ *--- PASS' "$log"; then
	echo "unskipped: no test ran" >&2
	exit 2
fi
