#!/usr/bin/env bash
# Runs a sweep as a Slurm job array and merges its parts.
#
#   scripts/slurm/submit.sh [options] SPEC.yaml WORK [-- flags of leontief sweep]
#
#   -m MINUTES   how long an array task should take, by the estimate of
#                leontief sweep --dry-run (default 30)
#   -n TASKS     so many array tasks, instead
#   -c CPUS      cores of a task (default 1)
#   -s OPTION    an option for sbatch, as -s --partition=long; may be repeated
#
# WORK must be a folder that all nodes see. The result is in WORK/results when
# the last of the two jobs has ended well; their ids are printed. What is there
# of an earlier submission of the same plan is not run again: if a job failed,
# submit again. The program is $LEONTIEF (default: leontief); it is copied to
# WORK, so that a new build does not get between the tasks.
set -euo pipefail

usage() {
	sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
	exit 2
}

minutes=30 tasks= cpus=1 extra=()
while getopts m:n:c:s:h option; do
	case $option in
	m) minutes=$OPTARG ;;
	n) tasks=$OPTARG ;;
	c) cpus=$OPTARG ;;
	s) extra+=("$OPTARG") ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || usage
spec=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
shift 2
[ "${1:-}" != -- ] || shift
flags=("$@")

# A program that may be in use is replaced and not written over.
cp "$(command -v "${LEONTIEF:-leontief}")" "$work/.leontief.new"
mv "$work/.leontief.new" "$work/leontief"
program=$work/leontief

# The plan, and how many tasks it is worth.
outlook=$("$program" sweep "$spec" --dry-run --format json --workers "$cpus" --out "$work/results" "${flags[@]}")
field() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" <<<"$outlook"; }
plan=$(field plan) scenarios=$(field scenarios)
most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
if [ -z "$tasks" ]; then
	tasks=$(awk -v s="$(field seconds)" -v m="$minutes" -v c="$cpus" 'BEGIN { n = s / (60 * m * c); print int(n) + (n > int(n)) }')
fi
tasks=$((tasks < 1 ? 1 : tasks))
tasks=$((tasks > scenarios ? scenarios : tasks))
tasks=$((tasks > most - 1 ? most - 1 : tasks))
parts=$work/parts-${plan:0:12}
mkdir -p "$parts" "$work/log"

# One part. A task that is requeued, because its node went away or its time is
# over, goes on in the same folder; if its predecessor still runs somewhere, it
# waits for it.
task=$parts/task.sh
{
	echo '#!/usr/bin/env bash'
	printf 'run=('
	printf ' %q' "$program" sweep "$spec" --plan "$plan" --progress plain --wait 24h "${flags[@]}"
	echo ' )'
	printf 'parts=%q tasks=%q\n' "$parts" "$tasks"
	cat <<'BODY'
"${run[@]}" --shard "$SLURM_ARRAY_TASK_ID/$tasks" --out "$parts/$SLURM_ARRAY_TASK_ID" --workers "${SLURM_CPUS_PER_TASK:-1}" &
trap 'kill -INT $!' INT # the scenarios under way are finished
wait $!
status=$?
while kill -0 $! 2>/dev/null; do
	wait $!
	status=$?
done
if [ $status = 130 ]; then
	scontrol requeue "$SLURM_JOB_ID"
fi
exit $status
BODY
} >"$task"

merge=$parts/merge.sh
{
	echo '#!/usr/bin/env bash'
	printf 'exec %q merge %q/[0-9]* --progress plain --wait 24h --out %q\n' "$program" "$parts" "$work/results"
} >"$merge"

array=$(sbatch --parsable --array="1-$tasks" --cpus-per-task="$cpus" --requeue --open-mode=append --signal=B:INT@120 \
	--job-name=leontief --output="$work/log/part-%a.txt" "${extra[@]}" "$task")
# The merge looks for itself whether everything is there.
merging=$(sbatch --parsable --dependency="afterany:$array" --requeue --open-mode=append \
	--job-name=leontief-merge --output="$work/log/merge.txt" "${extra[@]}" "$merge")
echo "plan $plan: $scenarios scenarios in $tasks tasks"
echo "array $array, merge $merging; the result will be in $work/results"
