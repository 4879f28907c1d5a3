#!/usr/bin/env python3
"""Work out figures 9 to 11 of the TSF paper a second time, from when tasks start and jobs end.

    go build -o /tmp/leontief . && python3 scripts/tsf_oracle.py --leontief /tmp/leontief

`leontief sweep tsf-raw` writes, for the first simulations of `leontief reproduce tsf`,
when every task starts and every job completes under every policy; the export as CSV is
read here. From it every entry of figures 9 to 11 of the ledger is made anew: quantile
ratios, shares of levels, of jobs and of tasks, speedups, mean delays, means over policies
and over simulations, in all three readings of the arrivals and run times. Times are
counted in whole microseconds. It shares no code with leontief; the standard library is
enough. Not a simulator: which task starts when is leontief's.

Exit status 1 if a number of the ledger differs by more than 1e-9 (relative to it or to
1), or if the ledger has an entry of these figures that is not made here.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

RIVALS = ["drf", "cdrf", "cmmf-cpu", "cmmf-mem"]
FAIR = ["tsf"] + RIVALS
BINS = {"≤ 10": (1, 10), "11–100": (11, 100), "101–500": (101, 500), "> 500": (501, 10**9), "11–500": (11, 500)}
LEVELS = [50, 60, 70, 80]
SECOND = 10**6


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def quantile(ordered, percent):
    """The smallest value that at least so many percent of the values do not exceed."""
    return ordered[max(1, -(-percent * len(ordered) // 100)) - 1]


def distance(a, b):
    """The largest difference of two distribution functions, of sorted values."""
    most, i, j = 0.0, 0, 0
    for x in sorted(set(a) | set(b)):
        while i < len(a) and a[i] <= x:
            i += 1
        while j < len(b) and b[j] <= x:
            j += 1
        most = max(most, abs(i / len(a) - j / len(b)))
    return most


class Simulation:
    """One simulation: jobs' tasks; by policy, jobs' completion times and tasks' waits, in µs."""

    def __init__(self):
        self.tasks, self.jct, self.waits = {}, {}, {}

    def add(self, row):
        job, policy, value = row["user"], row["policy"], float(row["mean"])
        if row["metric"] == "job_tasks":
            self.tasks[job] = round(value)
        elif row["metric"] == "completion_time":
            self.jct.setdefault(policy, {})[job] = round(value * SECOND)
        elif row["metric"] == "task_starts":
            self.waits.setdefault(policy, {}).setdefault(job, []).append((round(float(row["start_s"]) * SECOND), round(value)))

    def close(self):
        for jobs in self.waits.values():
            for job, starts in jobs.items():
                jobs[job] = [at for at, n in sorted(starts) for _ in range(n)]
                assert len(jobs[job]) == self.tasks[job], f"job {job}: {len(jobs[job])} of {self.tasks[job]} tasks start"
        self.ordered = {p: sorted(jobs.values()) for p, jobs in self.jct.items()}

    def delayed(self, policy):
        return mean(waits[0] > SECOND for waits in self.waits[policy].values())

    def ratio(self, policy, percent):
        return quantile(self.ordered["fifo"], percent) / quantile(self.ordered[policy], percent)

    def of_jobs(self, low, high, policy, value):
        """A value of the completion times under a policy and TSF, of the jobs of a size."""
        return [value(self.jct[policy][j], self.jct["tsf"][j]) for j, n in self.tasks.items() if low <= n <= high]

    def of_tasks(self, value):
        """A mean over all tasks of a value of the numbers of a job and of a task."""
        return sum(value(j, k) for j, n in self.tasks.items() for k in range(n)) / sum(self.tasks.values())

    def figure9(self):
        out = {}
        for p in FAIR:
            out[f"delayed/{p}#by-policy"] = self.delayed(p)
            out[f"ahead/{p}#by-policy"] = mean(self.ratio(p, level) > 1 for level in range(1, 101))
        for p in RIVALS:
            out[f"similar/{p}#by-policy"] = distance(self.ordered[p], self.ordered["tsf"])
        for level in LEVELS:
            out[f"up-to/{level / 100:g}#by-level"] = mean(self.ratio(p, level) for p in FAIR)
        out["delayed"] = mean(out[f"delayed/{p}#by-policy"] for p in FAIR)
        out["ahead"] = mean(out[f"ahead/{p}#by-policy"] for p in FAIR)
        out["ahead#job-by-job"] = mean(mean(self.jct[p][j] < self.jct["fifo"][j] for j in self.tasks) for p in FAIR)
        out["similar"] = max(out[f"similar/{p}#by-policy"] for p in RIVALS)
        out["up-to"] = max(out[f"up-to/{level / 100:g}#by-level"] for level in LEVELS)
        out["up-to#levels-5-to-80"] = mean(max(self.ratio(p, level) for level in range(5, 81, 5)) for p in FAIR)
        out["unanimous"] = min(self.ratio(p, level) for p in FAIR for level in LEVELS)
        out["fifo-delays"] = self.delayed("fifo") - max(self.delayed(p) for p in FAIR)
        return out

    def figure10(self):
        def sized(name, policy, value):
            return mean(self.of_jobs(*BINS[name], policy, value))

        def gain(other, tsf):
            return (other - tsf) / tsf

        def faster(other, tsf):
            return other > tsf

        out = {}
        for p in RIVALS:
            out[f"small/{p}#by-policy"] = sized("≤ 10", p, gain)
            out[f"certain/{p}#by-policy"] = sized("11–500", p, faster)
            for name in ("11–100", "101–500"):
                out[f"medium-and-big/{p}/{name}#by-policy"] = sized(name, p, gain)
        for name in ("11–100", "101–500"):
            out[f"medium-and-big/{name}#by-size"] = mean(out[f"medium-and-big/{p}/{name}#by-policy"] for p in RIVALS)
        out["small"] = mean(out[f"small/{p}#by-policy"] for p in RIVALS)
        out["certain"] = mean(out[f"certain/{p}#by-policy"] for p in RIVALS)
        out["medium-and-big"] = mean(sized("11–500", p, gain) for p in RIVALS)
        out["medium-and-big#of-alternative"] = mean(sized("11–500", p, lambda o, t: (o - t) / o) for p in RIVALS)
        out["medium-and-big#median"] = mean(quantile(sorted(self.of_jobs(*BINS["11–500"], p, gain)), 50) for p in RIVALS)
        out["salient"] = min(out[f"medium-and-big/{name}#by-size"] for name in ("11–100", "101–500")) - out["small"]
        out["huge"] = min(mean(sized("> 500", p, faster) for p in RIVALS), mean(sized("> 500", p, lambda o, t: o < t) for p in RIVALS))
        return out

    def figure11(self):
        w = self.waits
        less = {p: self.of_tasks(lambda j, k, p=p: w["tsf"][j][k] < w[p][j][k]) for p in RIVALS}
        delay = {p: self.of_tasks(lambda j, k, p=p: w[p][j][k]) for p in ["fifo"] + FAIR}
        out = {f"faster/{p}#by-policy": less[p] for p in RIVALS}
        out["faster"] = mean(less.values())
        out["faster#than-under-all"] = self.of_tasks(lambda j, k: all(w["tsf"][j][k] < w[p][j][k] for p in RIVALS))
        out["cdrf/faster"] = less["cdrf"]
        out["cdrf/slower"] = self.of_tasks(lambda j, k: w["tsf"][j][k] > w["cdrf"][j][k])
        out["fifo-longest"] = delay["fifo"] / max(delay[p] for p in FAIR)
        out["tsf-least"] = delay["tsf"] / min(delay[p] for p in RIVALS)
        out["cdrf-worst"] = delay["cdrf"] / max(delay[p] for p in FAIR if p != "cdrf")
        out["mem-before-cdrf"] = delay["cmmf-mem"] / delay["cdrf"]
        out["cpu-before-mem"] = delay["cmmf-cpu"] / delay["cmmf-mem"]
        out["drf-near-cpu"] = delay["drf"] / delay["cmmf-cpu"]
        return out


def marked(item, name, times):
    """The id of an entry: the reading stands behind what is of a policy, a size or a level."""
    mark = "" if times == "trace" else times
    if mark:
        name += ("-" if "#" in name else "#") + mark
    return f"{item}/{name}"


def read(leontief, folder, instance):
    """The simulations of an instance, by reading."""
    path = os.path.join(folder, f"raw{instance}.csv")
    run(leontief, "export", os.path.join(folder, "raw"), "--csv", "--where", f"instance={instance}", "--out", path)
    sims = {}
    with open(path, encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            sims.setdefault(row["times"], Simulation()).add(row)
    for sim in sims.values():
        sim.close()
    return sims


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--leontief", required=True, help="the program")
    parser.add_argument("--instances", type=int, default=2, help="simulations of each reading (at least 1, default 2)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        n = str(args.instances)
        run(args.leontief, "reproduce", "tsf", "--item", "fig9,fig10,fig11", "--instances", n, "--progress", "none", "--out", os.path.join(folder, "tsf"))
        run(args.leontief, "sweep", "tsf-raw", "--instances", n, "--progress", "none", "--out", os.path.join(folder, "raw"))
        numbers = {}
        for instance in range(args.instances):
            for times, sim in read(args.leontief, folder, instance).items():
                for item in ("fig9", "fig10", "fig11"):
                    for name, value in getattr(sim, item.replace("fig", "figure"))().items():
                        numbers.setdefault(marked(item, name, times), []).append(value)
        with open(os.path.join(folder, "tsf", "ledger.json"), encoding="utf-8") as f:
            entries = json.load(f)["entries"]
    bad, worst = 0, 0.0
    for e in entries:
        if e["id"] not in numbers:
            bad += 1
            print(f"{e['id']}: not made here")
            continue
        ours = mean(numbers[e["id"]])
        off = abs(ours - e["ours"]) / max(1, abs(e["ours"]))
        worst = max(worst, off)
        if off > 1e-9:
            bad += 1
            print(f"{e['id']}: leontief {e['ours']!r}, here {ours!r}")
    print(f"{len(entries)} entries of figures 9 to 11 over {args.instances} simulations of each reading: {bad} differ, largest difference {worst:.1e}")
    sys.exit(1 if bad or not entries else 0)


if __name__ == "__main__":
    main()
