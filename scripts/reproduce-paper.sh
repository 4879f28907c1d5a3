#!/bin/sh
# All five papers and their property tables at a scale, one report of them, and what
# each took:
#
#	sh scripts/reproduce-paper.sh SCALE FOLDER
#
# What is in FOLDER already is not run again (but for the audit), so the same command goes
# on where it was ended. The ledger of each paper is in FOLDER/PAPER.txt.
set -eu
scale=$1 out=$2
case $scale in
paper) environments=10000 ;;
quick) environments=1000 ;;
*)
	echo "the scale is quick or paper, not $scale" >&2
	exit 2
	;;
esac
mkdir -p "$out"

# run TEXT NAME COMMAND…: prints the last line of what a command prints, and keeps all.
run() {
	echo "== $1"
	name=$2
	shift 2
	./leontief "$@" --out "$out/$name" >"$out/$name.txt" || { status=$?; cat "$out/$name.txt"; exit $status; }
	tail -n 1 "$out/$name.txt"
}
i=0
for paper in tsf-er ps-dsf tsf mtp magiks; do
	i=$((i + 1))
	run "$i of 6: $paper" $paper reproduce $paper --scale "$scale"
done
run "6 of 6: tables of properties, $environments environments" audit audit --tables --environments $environments
./leontief report "$out" --out "$out/report.html" --title "Five papers, reproduced"

# number KEY FILE…: the sum of a number in files of JSON; - if there is none.
number() {
	key=$1
	shift
	cat "$@" /dev/null 2>/dev/null | awk -F '[:,]' -v key="\"$key\"" '$1 ~ key { sum += $2; n++ } END { if (n) printf "%.0f s", sum; else print "-" }'
}
# Results of another version of leontief stay in the folder: the newest are this one's.
echo
printf '%-10s %12s %12s\n' "" "workers" "this time"
for name in tsf-er ps-dsf tsf mtp magiks audit; do
	newest=$(ls -td "$out/$name"/scenarios/*/ 2>/dev/null | head -n 1)
	printf '%-10s %12s %12s\n' $name "$(number busy_seconds "$newest"*/timing.json)" "$(number wall_seconds "$out/$name/timing.json")"
done
echo "workers: all replays, the time of all workers together, whenever they were run; this time: from start to end"
