#!/usr/bin/env python3
"""Replay made-up traces twice: by leontief, and by a slow twin on HiGHS and CVXOPT.

    go build -o /tmp/leontief . && /usr/bin/python3 scripts/replay_oracle.py --leontief /tmp/leontief

What is compared is the whole way that a user goes: a CSV of jobs and a mapping are
imported, replayed in the fluid model, and the completions exported as CSV. The twin
reads the same CSV, keeps no state but the work that each job has left, and at every
arrival and completion solves the rule's programs anew with scripts/oracle.py. It
shares no code with leontief.

Compared are every completion time (what it differs beyond two ticks of leontief's
clock, of a microsecond each, relative to the time that the job took), the mean
JCT factor, and the means over the time with users of the smallest restricted task
ratio and of the time in which it is below 1. Rules whose totals are not unique (cru,
utilitarian, ru) are left out. Exit status 1 if anything disagrees by more than 1e-6,
under mnw, where CVXOPT is the less exact of the two, by more than 1e-3.
"""
import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

import oracle
from oracle_model import Env, Failure

POLICIES = ["tsf-er", "tsf", "drfh", "drf-er", "cmmf-cpu", "cmmf-mem", "egalitarian", "eq", "per-machine-drf", "mnw"]
MAPPING = """source: replay_oracle
label: made up (synthetic)
columns:
  id: {column: job}
  submit: {column: submit, unit: s}
  duration: {column: duration, unit: s}
  tasks: {column: tasks}
  cpu: {column: cpu, unit: cores}
  mem: {column: mem, unit: GB}
"""
MICRO = 1e6
CLOCK = 2e-6  # s: leontief's clock counts microseconds
BELOW = 1e-6  # a task ratio below 1 by more than this counts as a violation


def make(rng, folder, jobs):
    """Writes jobs.csv, mapping.yaml and cluster.json."""
    rows, now = [], 0.0
    for i in range(jobs):
        now += rng.choice([0, rng.expovariate(1 / 300)])  # some arrive together
        rows.append({"job": f"j{i}", "submit": round(now, 6), "duration": round(rng.lognormvariate(6, 1), 6),
                     "tasks": rng.choice([1, 1, 2, 5, 20]), "cpu": rng.choice([0.1, 0.5, 1, 2]),
                     "mem": rng.choice([0.25, 1, 4, 16])})
    with open(os.path.join(folder, "jobs.csv"), "w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    with open(os.path.join(folder, "mapping.yaml"), "w", encoding="utf-8") as f:
        f.write(MAPPING)
    servers = [{"name": f"s{k}", "capacity": [rng.choice([2, 8, 16]), rng.choice([8, 32, 64])], "count": rng.choice([1, 1, 3])}
               for k in range(rng.randint(1, 4))]
    cluster = {"resources": ["cpu", "mem"], "servers": servers}
    with open(os.path.join(folder, "cluster.json"), "w", encoding="utf-8") as f:
        json.dump(cluster, f)
    return rows, cluster


def call(binary, folder, *args):
    done = subprocess.run([binary, *args], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"leontief {' '.join(args)}: {done.stderr.strip()}")
    return list(csv.DictReader(done.stdout.splitlines()))


def leontief(binary, folder, policies):
    """(completion in s by policy and job, mean of each metric by policy)."""
    call(binary, folder, "traces", "import", "--map", "mapping.yaml", "jobs.csv", "--out", "jobs.parquet")
    call(binary, folder, "simulate", "--trace", "jobs.parquet", "--cluster", "cluster.json", "--policies", ",".join(policies),
         "--progress", "none", "--out", "run", "--force")
    ends, means = {p: {} for p in policies}, {p: {} for p in policies}
    for row in call(binary, folder, "export", "run", "--table", "completions", "--csv"):
        if row["refused"] == "false":
            ends[row["policy"]][row["job_id"]] = int(row["completion_us"]) / MICRO
    for row in call(binary, folder, "export", "run", "--table", "results", "--csv"):
        means[row["policy"]][row["metric"]] = float(row["mean"])
    return ends, means


def environment(cluster, rows):
    return Env({**cluster, "users": [{"name": r["job"], "demand": [r["cpu"], r["mem"]]} for r in rows]})


def hosted(cluster, row):
    """Whether a task fits on some server; other jobs are refused."""
    return any(row["cpu"] <= s["capacity"][0] and row["mem"] <= s["capacity"][1] for s in cluster["servers"])


def twin(rows, cluster, policy):
    """The same by the definitions: at every event everything is solved anew."""
    whole = dict(zip((r["job"] for r in rows), oracle.eta(environment(cluster, rows))))
    origin = min(r["submit"] for r in rows)  # times of a trace begin with its first job
    waiting = [(r["submit"] - origin, r) for r in rows if hosted(cluster, r)]
    left, ends, now = {}, {}, 0.0
    ratios, violated, busy = 0.0, 0.0, 0.0
    while waiting or left:
        if left:
            here = [r for r in rows if r["job"] in left]
            env = environment(cluster, here)
            _, x = oracle.allocate(env, policy)
            smallest = min(1.0, (x / oracle.equal_share(env)).min())
            finish = [left[r["job"]] / max(t, 1e-300) for r, t in zip(here, x)]
        until = min([now + min(finish)] if left else [waiting[0][0]])
        if waiting:
            until = min(until, waiting[0][0])
        if left:
            span = until - now
            ratios, busy = ratios + smallest * span, busy + span
            violated += span if smallest < 1 - BELOW else 0
            for r, t, f in zip(here, x, finish):
                left[r["job"]] -= t * span
                if now + f <= until + 1e-7:
                    ends[r["job"]] = until
                    del left[r["job"]]
        now = until
        while waiting and waiting[0][0] <= now:
            _, r = waiting.pop(0)
            left[r["job"]] = r["tasks"] * r["duration"]
    factors = [r["tasks"] * r["duration"] / whole[r["job"]] / (ends[r["job"]] - (r["submit"] - origin)) for r in rows if r["job"] in ends]
    return ends, {"jct_factor": np.mean(factors), "min_restricted_task_ratio": ratios / busy, "si_violation_time_ratio": violated / busy}


def compare(rows, ours, theirs):
    """The largest difference of a completion, and of a mean."""
    (ends, means), (want, numbers) = ours, theirs
    if set(ends) != set(want):
        return float("inf"), float("inf")
    origin = min(r["submit"] for r in rows)
    took = {r["job"]: want[r["job"]] - (r["submit"] - origin) for r in rows if r["job"] in want}
    late = max(max(abs(ends[j] - want[j]) - CLOCK, 0) / took[j] for j in want)
    return late, max(abs(means[m] - v) for m, v in numbers.items())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leontief", required=True, help="the leontief binary")
    parser.add_argument("--traces", type=int, default=6, help="made-up traces")
    parser.add_argument("--jobs", type=int, default=25, help="jobs in each")
    parser.add_argument("--policies", default=",".join(POLICIES), help="comma-separated names")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    args = arguments()
    policies, binary = args.policies.split(","), os.path.abspath(args.leontief)
    worst, unsolved = {p: [0.0, 0.0] for p in policies}, dict.fromkeys(policies, 0)
    for k in range(args.traces):
        with tempfile.TemporaryDirectory() as folder:
            rows, cluster = make(random.Random(args.seed * 1000 + k), folder, args.jobs)
            ends, means = leontief(binary, folder, policies)
            for p in policies:
                try:
                    found = compare(rows, (ends[p], means[p]), twin(rows, cluster, p))
                except Failure as err:
                    unsolved[p] += 1
                    print(f"note: {p}, trace {k}: the twin gives no answer: {err}", file=sys.stderr)
                    continue
                worst[p] = [max(a, b) for a, b in zip(worst[p], found)]
    print(f"{args.traces} traces of {args.jobs} jobs\n")
    print("| policy | traces compared | largest difference of a completion | of a mean |\n|---|---|---|---|")
    for p, (late, mean) in worst.items():
        print(f"| {p} | {args.traces - unsolved[p]} | {late:.1e} | {mean:.1e} |")
    bad = [p for p, found in worst.items() if unsolved[p] == args.traces or not max(found) <= (1e-3 if p == "mnw" else 1e-6)]
    if bad:
        sys.exit("DISAGREES: " + ", ".join(bad))


if __name__ == "__main__":
    main()
