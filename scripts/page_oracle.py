#!/usr/bin/env python3
"""Compute the numbers of a page of `leontief compare` again, from its tables alone.

    go build -o /tmp/leontief . && /usr/bin/python3 scripts/page_oracle.py --leontief /tmp/leontief

Jobs are made up; `leontief compare` replays them in both task models, with jobs and with
tenants as users, with and without slots. From the exported completions and placements,
and with no code of leontief's, NumPy computes who had what in every allocation and at
every moment; the means, paired differences and changes with both ends of their intervals,
from the same random numbers (ChaCha8, as in whole_oracle.py); envy, equal shares and
waiting tasks that fit, over the whole replay. SciPy's HiGHS solves utilitarian and cru at
the moments, CVXOPT mnw, whose multipliers are the prices. What is left out is printed:
cru with whole tasks where a task cap binds, since its solution need not be unique then.
Sums and ends are computed with 64 bits of mantissa where the machine has such numbers.
Multipliers that an inner point leaves off by 1e-3 are sharpened to an optimum whose
conditions are checked; where they are not unique, which the singular values of the tight
rows tell, they are left out. Exit status 1 if anything differs by more than 1e-9.
The jobs under the baseline with one more node of a class are those of `leontief simulate`
on a cluster file that has it. What is not looked at here: Pareto optimality of divisible
tasks, which the tests in Go compute again.
"""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices are small
import cvxopt
import numpy as np
from scipy import optimize, stats

from whole_oracle import Stream

INF = float("inf")
LONG = np.longdouble  # of 64 bits where the machine has them, for sums and ends
CLUSTER = {"resources": ["cpu", "mem"], "units": {"cpu": "cores", "mem": "GB"},
           "servers": [{"name": "s1", "capacity": [4, 8], "count": 2}, {"name": "s2", "capacity": [8, 8]}]}
CAPACITY = np.array([[4, 8], [8, 8]], float)
COUNT = np.array([2, 1], float)
ROWS = ["s1/cpu", "s1/mem", "s2/cpu", "s2/mem"]
MAPPING = """source: page_oracle
label: made up (synthetic)
columns:
  id: {column: id}
  submit: {column: submit, unit: s}
  duration: {column: duration, unit: s}
  tasks: {column: tasks}
  cpu: {column: cpu, unit: cores}
  mem: {column: mem, unit: GB}
  user: {column: user}
"""
CASES = {
    "whole": "--policies fifo,drfh,cmmf-mem",
    "tenants": "--policies fifo,drfh,tsf --users tenant --baseline drfh",
    "slots": "--policies fifo,utilitarian,cru --slot 5m",
    "fluid": "--policies eq,drfh,cru,utilitarian --model fluid",
    "shared": "--policies eq,mnw,per-machine-drf --model fluid --users tenant",
}
BLOCK = 1200.0
RESAMPLES, LEAST, FARTHEST, SKEW = 1999, 8, 3, 9
TOLERANCE = 1e-9  # relative above 1; of an optimum and of all that follows from it too


class Tally:
    """The worst difference, by kind."""

    def __init__(self):
        self.n, self.worst, self.where, self.left_out, self.failed = collections.Counter(), {}, {}, collections.Counter(), 0

    def compare(self, kind, where, got, want):
        d = abs(got - want) / max(1, abs(want))
        self.n[kind] += 1
        if not d <= self.worst.get(kind, -1):
            self.worst[kind], self.where[kind] = d, f"{where}: {got!r}, want {want!r}"
        if not d <= TOLERANCE:
            self.failed += 1
            if self.failed < 20:
                print(f"DIFFERS {kind} {where}: {got!r}, want {want!r}")

    def show(self):
        for kind in sorted(self.n):
            print(f"{kind:10} {self.n[kind]:7} numbers, worst difference {self.worst[kind]:.2g} ({self.where[kind]})")
        for why, n in sorted(self.left_out.items()):
            print(f"left out   {n:7} {why}")


# --- intervals -----------------------------------------------------------------------

class Blocks:
    def __init__(self, n, seed):
        self.n = n
        if n >= LEAST:
            s = Stream("compare", seed, "blocks")
            self.draws = np.array([s.below(n) for _ in range(RESAMPLES * n)]).reshape(RESAMPLES, n)

    def interval(self, a, m, log):
        """θ and the ends of its interval; None for no interval."""
        n = self.n
        a, m = np.asarray(a, LONG), np.asarray(m, LONG)
        theta, e = self.error(a, m)
        value = np.log(theta) if log else theta
        if (m > 0).sum() < LEAST or not np.isfinite(value):
            return theta, None
        if e == 0:
            return theta, (theta, theta)
        # jackknife with Hall's transformation
        loo = (a.sum() - a) / (m.sum() - m)
        if log:
            loo = np.log(loo)
        pseudo = n * value - (n - 1) * loo
        if not np.isfinite(pseudo).all():
            return theta, None
        d = pseudo - pseudo.mean()
        s = np.sqrt((d * d).sum() / (n - 1))
        gamma = (d ** 3).mean() / (d ** 2).mean() ** 1.5 * (1 + SKEW / np.sqrt(LONG(n)))
        x = LONG(stats.t.ppf(0.975, n - 1)) / np.sqrt(LONG(n)) * (1 - LONG(1) / (2 * n * n))
        hall = lambda x: x if abs(gamma) < 1e-6 else 3 / gamma * (np.cbrt(1 + gamma * (x - gamma / (6 * n))) - 1)
        low, high = value - s * max(x, hall(x)), value + s * max(x, -hall(-x))
        # bootstrap-t
        with np.errstate(all="ignore"):
            drawn, errors = self.error(a[self.draws], m[self.draws])
            slope = 1 / drawn if log else 1
            q = ((np.log(drawn) if log else drawn) - value) / (errors * slope)
            q = q[(errors > 0) & np.isfinite(q)]
        if len(q) >= RESAMPLES // 2:
            scale = e / theta if log else e
            low = min(low, max(value - quantile(q, 0.975) * scale, value - FARTHEST * (value - low)))
            high = max(high, min(value - quantile(q, 0.025) * scale, value + FARTHEST * (high - value)))
        r = a - theta * m
        r = ((r[1:] * r[:-1]).sum() / (r * r).sum() + LONG(1) / n) * (1 + 2 / np.sqrt(LONG(n)) + LONG(4) / n)
        r = min(max(r, 0), 0.9)
        wider = np.sqrt((1 + r) / (1 - r))
        low, high = value - wider * (value - low), value + wider * (high - value)
        return theta, (np.exp(low), np.exp(high)) if log else (low, high)

    def error(self, a, m):
        n = self.n
        sa, sm = a.sum(-1), m.sum(-1)
        theta = sa / sm
        spread = np.sqrt(((a - theta[..., None] * m) ** 2).sum(-1))
        spread = np.where(spread <= 1e-12 * abs(a).max(-1), 0, spread)  # proportional up to rounding
        return theta, np.sqrt(LONG(n) / (n - 1)) * spread / sm


def quantile(q, p):
    """As metrics.Quantile: between the order statistics around p·(n−1)."""
    return np.quantile(q, p)


# --- the page ------------------------------------------------------------------------

class Page:
    def __init__(self, leontief, folder, name, flags, tally):
        self.tally, self.name, self.out = tally, name, os.path.join(folder, name)
        self.leontief = leontief
        words = flags.split()
        call(leontief, folder, "compare", "--trace", "jobs.parquet", "--cluster", "cluster.json", "--block", "20m",
             "--moments", "40", "--out", name, "--progress", "none", *words)
        self.whole, self.tenants = "fluid" not in words, "tenant" in words
        self.jobs, self.placed = collections.defaultdict(dict), collections.defaultdict(list)
        for row in self.table("completions"):
            self.jobs[row["policy"]][row["job_id"]] = row
        for row in self.table("placements"):
            self.placed[row["policy"]].append(row)
        self.tables = {t: self.table(t, "--raw") for t in ("rules", "gains", "moments", "violations", "nodes")}
        self.base = self.tables["rules"][0]["baseline"]
        for k, server in enumerate(CLUSTER["servers"]):
            self.jobs["one more " + server["name"]] = self.with_one_more(folder, k, words)
        submits = [int(j["submit_us"]) for j in self.jobs[self.base].values()]
        self.first = min(submits) // int(BLOCK * 1e6)
        self.n = max(submits) // int(BLOCK * 1e6) - self.first + 1
        self.blocks = Blocks(self.n, 1)
        self.moments = collections.defaultdict(lambda: collections.defaultdict(dict))
        for row in self.tables["moments"]:
            self.moments[row["policy"]][float(row["time_s"])][row["metric"]] = float(row["value"])

    def with_one_more(self, folder, k, words):
        """The jobs under the baseline with one more node of a class, by a replay of its own."""
        servers = [{**s, "count": s.get("count", 1) + (i == k)} for i, s in enumerate(CLUSTER["servers"])]
        with open(os.path.join(folder, "more.json"), "w", encoding="utf-8") as f:
            json.dump({**CLUSTER, "servers": servers}, f)
        flags = [w for i, w in enumerate(words) if w in ("--slot", "--users", "--model") or words[i - 1] in ("--slot", "--users", "--model")]
        out = f"{self.out}-more-{k}"
        call(self.leontief, folder, "simulate", "--trace", "jobs.parquet", "--cluster", "more.json", "--policies", self.base, "--out", out,
             "--progress", "none", *([] if "--model" in flags else ["--model", "whole"]), *flags)
        return {row["job_id"]: row for row in self.table("completions", of=out)}

    def table(self, name, *flags, of=None):
        done = call(self.leontief, ".", "export", of or self.out, "--table", name, "--csv", *flags)
        return list(csv.DictReader(done.splitlines()))

    def block(self, us):
        return int(us) // int(BLOCK * 1e6) - self.first

    def sums(self, rule, value, choose=lambda j: True):
        a, m = np.zeros(self.n, LONG), np.zeros(self.n, LONG)
        for j in self.jobs[rule].values():
            if choose(j):
                b = self.block(j["submit_us"])
                a[b] += value(j)
                m[b] += 1
        return a, m

    def over_moments(self, rule, value):
        a, m = np.zeros(self.n, LONG), np.zeros(self.n, LONG)
        for at, row in self.moments[rule].items():
            b = self.block(round(at * 1e6))
            x, y = value(row)
            a[b] += x
            m[b] += y
        return a, m

    def check(self):
        known = {(r["policy"], r["metric"], r["user"]): float(r["value"]) for t in ("rules", "gains", "nodes") for r in self.tables[t]}
        for (rule, metric, user), got in known.items():
            plain, _, of = metric.partition(":")
            if plain.endswith(("_low", "_high")):
                continue
            self.number(known, rule, plain, of, user, got)
        for rule in self.moments:
            for at in self.moments[rule]:
                self.moment(rule, at)
        for rule in self.moments:
            self.sweep(rule)

    def number(self, known, rule, plain, of, user, got):
        """A number of rules.parquet or gains.parquet, with the ends of its interval."""
        where = f"{self.name} {rule} {plain}:{of} {user}"
        stem, less = (plain[:-11], True) if plain.endswith("_difference") else (plain, False)
        log = False
        if stem in JOB:
            a, m = self.sums(rule, JOB[stem])
            if less:
                a = a - self.sums(self.base, JOB[stem])[0]
        elif stem.startswith("moments_") and stem != "moments_used_up":
            if rule not in self.moments:
                return self.left("rules whose outcome is another's")
            metric = stem + (":" + of if of else "")
            there = self.moments[self.base]
            both = lambda r: self.over(r, metric, self.moments[rule] if less else self.moments[r], there if less else self.moments[r])
            a, m = both(rule)
            if less:
                a = a - both(self.base)[0]
        elif plain == "completion_change":
            log = True
            choose = (lambda j: j["tenant"] == user) if of == "tenant" else (lambda j: size(j) == user)
            a, _ = self.sums(rule, JOB["mean_completion_time"], choose)
            m, _ = self.sums(self.base, JOB["mean_completion_time"], choose)
        elif plain == "one_node_completion_change":
            log = True
            a, _ = self.sums("one more " + user, JOB["mean_completion_time"])
            m, _ = self.sums(self.base, JOB["mean_completion_time"])
        elif plain == "one_node_waiting_difference":
            less = True
            a, m = self.sums("one more " + user, JOB["mean_waiting_time"])
            a = a - self.sums(self.base, JOB["mean_waiting_time"])[0]
        elif plain == "price_of_fairness":
            if rule not in self.moments:
                return self.left("rules whose outcome is another's")
            has, best = ("moments_tasks", "moments_most_tasks") if of == "utilitarian" else ("moments_shares", "moments_most_shares")
            a, m = self.over_moments(rule, lambda r: (r[best] - r[has], r[best]) if r.get(best, 0) > 0 else (0, 0))
        elif plain == "work_throughput":
            return self.tally.compare("value", where, got, self.work(rule))
        elif plain == "replay_price_of_fairness":
            return self.tally.compare("value", where, got, 1 - self.work(rule) / self.work(of))
        elif plain == "price_share":
            prices = [r["price_share:" + of] for r in self.moments[self.base].values() if "price_share:" + of in r]
            return self.tally.compare("value", where, got, np.mean(prices))
        elif plain == "moments_used_up":
            full = [self.state(self.base, round(at * 1e6)).used().ravel()[ROWS.index(of)] > 1 - 1e-9 for at in self.moments[self.base]]
            return self.tally.compare("value", where, got, np.mean(full))
        else:
            raise SystemExit(f"nothing is known of {where}")
        theta, ends = self.blocks.interval(a, m, log)
        shift = 1 if log else 0
        self.tally.compare("node" if plain.startswith("one_node") else "value", where, got, theta - shift)
        for k, end in enumerate(("_low", "_high")):
            said = known.get((rule, plain + end + (":" + of if of else ""), user))
            if less or log or plain == "price_of_fairness":
                if (said is None) != (ends is None):
                    self.tally.compare("end", where + end, INF, 0)
                elif ends is not None:
                    self.tally.compare("end", where + end, said, ends[k] - shift)

    def over(self, rule, metric, *there):
        a, m = np.zeros(self.n, LONG), np.zeros(self.n, LONG)
        for at, row in self.moments[rule].items():
            if all(at in t for t in there):
                b = self.block(round(at * 1e6))
                a[b] += row[metric]
                m[b] += 1
        return a, m

    def left(self, why):
        self.tally.left_out[why] += 1

    def work(self, rule):
        jobs = self.jobs[rule].values()
        work = sum(int(j["tasks"]) * int(j["duration_us"]) / 1e6 for j in jobs)
        return work / (max(int(j["completion_us"]) for j in jobs) - min(int(j["submit_us"]) for j in jobs)) * 1e6

    def state(self, rule, us):
        return State(self, rule, us)

    def moment(self, rule, at):
        got, s, where = self.moments[rule][at], self.state(rule, round(at * 1e6)), f"{self.name} {rule} at {at}"
        for metric, want in s.measures().items():
            self.tally.compare("seen", f"{where} {metric}", got[metric], want)
        self.tally.compare("optimum", where + " utilitarian", got["moments_most_tasks"], s.most_tasks())
        if "moments_most_shares" in got:
            best, bound = s.most_shares()
            if bound:
                self.tally.left_out["moments at which cru with whole tasks meets a task cap"] += 1
            else:
                self.tally.compare("optimum", where + " cru", got["moments_most_shares"], best)
        prices = [got.get("price_share:" + row) for row in ROWS]
        if None not in prices:
            want, least = s.prices()
            if least < 1e-6:
                self.left("moments at which prices are not unique")
            for row, p, q in zip(ROWS, prices, want) if least >= 1e-6 else ():
                self.tally.compare("price", f"{where} {row} ({least:.1g})", p, q)

    def sweep(self, rule):
        """Every allocation of a replay, for violations."""
        events = {int(j[k]) for j in self.jobs[rule].values() for k in ("submit_us", "completion_us")}
        events |= {int(p[k]) for p in self.placed[rule] for k in ("start_us", "end_us")} if self.whole else set()
        events = sorted(events)
        count, bad, total, worst = collections.Counter(), collections.Counter(), 0, {"EF": 1, "SI": 1}
        fits_since, longest, n = None, 0, 0
        for start, end in zip(events, events[1:]):
            s = self.state(rule, start)
            if not s.users:
                fits_since = None
                continue
            n, total = n + 1, total + end - start
            for p, sat in (("EF", s.envy()), ("SI", s.sharing())):
                worst[p] = min(worst[p], sat)
                if sat < 1 - 1e-6:
                    count[p] += 1
                    bad[p] += end - start
            if not self.whole:
                continue
            if not s.fits():
                fits_since = None
                continue
            fits_since = start if fits_since is None else fits_since
            longest = max(longest, end - fits_since)
            count["PO"] += 1
            bad["PO"] += end - start
        said = {r["metric"]: float(r["value"]) for r in self.tables["violations"] if r["policy"] == rule}
        where = f"{self.name} {rule}"
        for p in ("EF", "SI", "PO") if self.whole else ("EF", "SI"):
            self.tally.compare("sweep", f"{where} {p} time", said["time_violated:" + p], bad[p] / total)
            if said["allocations:" + p] == n:
                self.tally.compare("sweep", f"{where} {p} count", said["allocations_violated:" + p], count[p])
            else:
                self.left("counts of replays in which an instant changes nothing that the tables show")
        for p, metric in (("EF", "moments_min_ef_sat"), ("SI", "moments_min_si_sat")):
            self.tally.compare("sweep", f"{where} {p} worst", said.get(metric, 1), worst[p] if count[p] else 1)
        if self.whole:
            self.tally.compare("sweep", f"{where} PO longest", said.get("time_unfilled", 0), longest / 1e6)


def size(j):
    work = int(j["tasks"]) * int(j["duration_us"]) / 1e6
    for most, name in ((1e2, "<1e2"), (1e3, "1e2-1e3"), (1e4, "1e3-1e4"), (1e5, "1e4-1e5"), (1e6, "1e5-1e6")):
        if work < most:
            return name
    return ">=1e6"


JOB = {
    "mean_waiting_time": lambda j: (int(j["first_start_us"]) - int(j["submit_us"])) / 1e6,
    "mean_completion_time": lambda j: (int(j["completion_us"]) - int(j["submit_us"])) / 1e6,
    "mean_bounded_slowdown": lambda j: max(1, (int(j["completion_us"]) - int(j["submit_us"])) / max(float(j["standalone_us"]), 1e7)),
    "jct_factor": lambda j: float(j["standalone_us"]) / (int(j["completion_us"]) - int(j["submit_us"])),
}


class State:
    """Who is there after the events of an instant, and what they hold."""

    def __init__(self, page, rule, us):
        jobs = {i: j for i, j in page.jobs[rule].items() if int(j["submit_us"]) <= us < int(j["completion_us"])}
        self.whole, self.users = page.whole, list(jobs)
        n = len(jobs)
        self.demand = np.array([[float(j["cpu"]), float(j["mem"])] for j in jobs.values()]).reshape(n, 2)
        self.weight = np.array([float(j["weight"]) for j in jobs.values()])
        if page.tenants:
            active = collections.Counter(j["tenant"] for j in jobs.values())
            self.weight = self.weight / np.array([active[j["tenant"]] for j in jobs.values()])
        self.x, self.free = np.zeros((n, 2)), {("s1", 0): CAPACITY[0].copy(), ("s1", 1): CAPACITY[0].copy(), ("s2", 0): CAPACITY[1].copy()}
        self.cap = np.array([float(j["tasks"]) for j in jobs.values()]) if self.whole else np.full(n, INF)
        place = {i: k for k, i in enumerate(jobs)}
        for p in page.placed[rule]:
            k = place.get(p["job_id"])
            if k is None or int(p["start_us"]) > us:
                continue
            if int(p["end_us"]) > us:
                self.x[k, 0 if p["class"] == "s1" else 1] += float(p["tasks"])
                if self.whole:
                    self.free[p["class"], int(p["server"])] -= self.demand[k]
            elif self.whole and p["ended"] == "completed":
                self.cap[k] -= 1
        self.tasks = self.x.sum(1)
        self.eta = (COUNT * (CAPACITY[None] / self.demand[:, None]).min(2)).sum(1) if n else np.zeros(0)

    def used(self):
        return (self.x[:, :, None] * self.demand[:, None]).sum(0) / (COUNT[:, None] * CAPACITY)

    def envy(self):
        rate = (self.demand[None, :] / self.demand[:, None]).min(2)  # tasks of j in one of i
        other = np.minimum(rate * self.tasks[None] * self.weight[:, None] / self.weight[None], self.cap[:, None])
        np.fill_diagonal(other, 0)
        with np.errstate(all="ignore"):
            sat = np.where(other > self.tasks[:, None], self.tasks[:, None] / other, 1)
        return sat.min()

    def sharing(self):
        equal = np.minimum(self.weight / self.weight.sum() * self.eta, self.cap)
        return min(1, (self.tasks / equal).min())

    def fits(self):
        waits = self.tasks < self.cap
        return any((self.demand[waits] <= free + 1e-9).all(1).any() for free in self.free.values())

    def measures(self):
        r = self.tasks / (self.weight * self.eta)
        total = COUNT @ CAPACITY
        return {"moments_min_ef_sat": self.envy(), "moments_min_si_sat": self.sharing(),
                "moments_jain_index": r.sum() ** 2 / (len(r) * (r * r).sum()) if r.any() else 1,
                "moments_tasks": (self.weight * self.tasks).sum(), "moments_shares": (self.weight * self.tasks / self.eta).sum(),
                **{"moments_utilization:" + name: (self.tasks @ self.demand[:, k]) / total[k] for k, name in enumerate(("cpu", "mem"))}}

    def rows(self, capped):
        """A·x <= b of the region, x by user and class."""
        n = len(self.users)
        a = np.zeros((4, n, 2))
        for s in range(2):
            a[2 * s:2 * s + 2, :, s] = self.demand.T
        a, b = a.reshape(4, 2 * n), (COUNT[:, None] * CAPACITY).ravel()
        if capped and np.isfinite(self.cap).all():
            a, b = np.vstack([a, np.kron(np.eye(n), [1, 1])]), np.append(b, self.cap)
        return a, b

    def best(self, value, a, b):
        done = optimize.linprog(-np.repeat(value, 2), A_ub=a, b_ub=b, method="highs")
        assert done.status == 0, done.message
        return -done.fun, done.x.reshape(-1, 2).sum(1)

    def most_tasks(self):
        return self.best(self.weight, *self.rows(True))[0]

    def most_shares(self):
        """The optimum of cru, and whether a task cap cuts it."""
        a, b = self.rows(False)
        n, more, bounds = len(self.users), [], []
        rate = (self.demand[None, :] / self.demand[:, None]).min(2)
        for j in range(n):
            for i in range(n):
                if i != j:
                    row = np.zeros(n)
                    row[i], row[j] = rate[j, i] * self.weight[j] / self.weight[i], -1
                    more.append(row)
                    bounds.append(0)
            row = np.zeros(n)
            row[j] = -1
            more.append(row)
            bounds.append(-self.weight[j] / self.weight.sum() * self.eta[j])
        a, b = np.vstack([a, np.repeat(np.array(more), 2, axis=1)]), np.append(b, bounds)
        value, x = self.best(self.weight / self.eta, a, b)
        # A cap matters as soon as any optimum exceeds it: then even the most of a user may.
        return value, self.whole and bool((self.cap < self.eta).any())

    def prices(self):
        """The multipliers of max Σ w·log x, each with its capacity, in parts of their sum."""
        a, b = self.rows(True)
        n = len(self.users)
        a, b = np.vstack([a, -np.eye(2 * n)]), np.append(b, np.zeros(2 * n))
        fold = np.kron(np.eye(n), [1, 1])
        w = self.weight

        def f(x=None, z=None):
            if x is None:
                small = (0.4 * np.minimum(self.eta / n, self.cap)).repeat(2) / 2
                return 0, cvxopt.matrix(small)
            y = fold @ np.array(x).ravel()
            if y.min() <= 0:
                return None
            value, slope = -(w * np.log(y)).sum(), cvxopt.matrix((-(w / y) @ fold)[None])
            return (value, slope) if z is None else (value, slope, cvxopt.matrix(z[0] * fold.T @ np.diag(w / y ** 2) @ fold))

        done = cvxopt.solvers.cp(f, G=cvxopt.matrix(a), h=cvxopt.matrix(b), options={"show_progress": False, "abstol": 1e-10, "reltol": 1e-10, "feastol": 1e-10, "maxiters": 200})
        x, z = np.array(done["x"]).ravel(), np.array(done["zl"]).ravel()
        rows = len(b) - 2 * n
        return sharpen(a[:rows] / b[:rows, None], w, x, z[:rows] * b[:rows], z[rows:])


def sharpen(a, w, x, paid, floor):
    """Newton's method on the conditions of Karush, Kuhn and Tucker of max Σ w·log(x1 + x2),
    a·x <= 1, x >= 0, from an inner point's x, multipliers paid and those of x >= 0, which say
    what is tight. All conditions are then checked: the optimum is certified to 1e-9 whatever
    was guessed. Returns the first four multipliers in parts of their sum, and the least
    singular value of the rows that are tight, 0 where multipliers are not unique."""
    w2, has = w.repeat(2), lambda x: x.reshape(-1, 2).sum(1).repeat(2)
    for lean in (1, 1e-2, 1e2, 1e-4, 1e4):
        tight, some = paid / w.sum() > lean * (1 - a @ x), x / has(x) > lean * floor * has(x) / w2
        m, y, p = a[np.ix_(tight, some)], np.where(some, x, 0), paid[tight]
        for _ in range(50):
            wrong = np.append((w2 / has(y))[some] - m.T @ p, 1 - m @ y[some])
            curve = -np.diag((w2 / has(y) ** 2)[some]) @ np.kron(np.eye(len(w)), np.ones((2, 2)))[np.ix_(some, some)]
            step = -np.linalg.lstsq(np.block([[curve, -m.T], [-m, np.zeros((len(m), len(m)))]]), wrong, rcond=1e-12)[0]
            y[some] += step[:some.sum()]
            p = p + step[some.sum():]
            if not (has(y) > 0).all() or abs(wrong).max() < 1e-13:
                break
        full = np.zeros(len(paid))
        full[tight] = p
        if (has(y) > 0).all():
            lacks = [1 - a @ y, y / has(y), full / w.sum(), a.T @ full * has(y) / w2 - 1]
            if min(v.min() for v in lacks) > -1e-9 and abs(wrong).max() < 1e-9:
                # every multiplier keeps to the rows without slack and to equality where x > 0
                m = a[np.ix_(lacks[0] < 1e-9, y / has(y) > 1e-9)] * (has(y) / w2)[y / has(y) > 1e-9]
                least = np.linalg.svd(m, compute_uv=False).min() if len(m) <= m.shape[1] else 0
                return full[:4] / full[:4].sum(), least
    raise SystemExit("no point near that of CVXOPT keeps the conditions of an optimum")


def call(leontief, folder, *args):
    done = subprocess.run([leontief, *args], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"leontief {' '.join(args)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def made_up(folder, rng, jobs):
    with open(os.path.join(folder, "jobs.csv"), "w", encoding="utf-8") as f:
        print("id,submit,duration,tasks,cpu,mem,user", file=f)
        for i in range(jobs):
            print(f"j{i},{rng.integers(14400)},{20 + rng.integers(400)},{1 + rng.integers(20)},{1 + rng.integers(4)},{1 + rng.integers(6)},{'abc'[rng.integers(3)]}", file=f)
    for name, text in (("map.yaml", MAPPING), ("cluster.json", json.dumps(CLUSTER))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leontief", default="./leontief")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=120)
    parser.add_argument("--cases", default=",".join(CASES))
    args = parser.parse_args()
    tally, leontief = Tally(), os.path.abspath(args.leontief)
    with tempfile.TemporaryDirectory() as folder:
        made_up(folder, np.random.default_rng(args.seed), args.jobs)
        call(leontief, folder, "traces", "import", "--map", "map.yaml", "jobs.csv", "--out", "jobs.parquet")
        for name in args.cases.split(","):
            Page(leontief, folder, name, CASES[name], tally).check()
    tally.show()
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
