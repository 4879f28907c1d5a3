#!/usr/bin/env python3
"""Replay made-up jobs with whole tasks twice: by leontief, and by a slow twin.

    go build -o /tmp/leontief . && python3 scripts/whole_oracle.py --leontief /tmp/leontief

The twin is for rules that are rounded (section 6.1 of the TSF-ER paper), with every
fill, cap and floor. It needs the standard library alone and shares no code with
leontief: amounts are fractions, mnw is solved through its prices, one after the other,
cru by a simplex method in fractions, step by step as policies.AllocateBounded documents
it. The servers are identical, since then the interior split is the even one, and unique.
Where the totals of cru are not unique (as its welfare is one resource's use among users
that need most of the same) the replay is left out and counted.
The random fills are drawn from the stream of simulate (ChaCha8 with the SHA-256 of its
name), so that every completion must agree to the microsecond. Exit status 1 if one does
not.
"""
import argparse
import csv
import hashlib
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction as F

MAPPING = """source: whole_oracle
label: made up (synthetic)
columns:
  id: {column: job}
  submit: {column: submit, unit: s}
  duration: {column: duration, unit: s}
  tasks: {column: tasks}
  cpu: {column: cpu, unit: cores}
  mem: {column: mem, unit: GB}
"""
MICRO = 1_000_000
SUSPEND = MICRO // 4
SNAP, LITERAL = 1e-6, F(1, 10**9)


# --- random numbers: Go's math/rand/v2 ChaCha8 and Rand.IntN ------------------------

class Stream:
    def __init__(self, *parts):
        name = b"".join(b"s" + struct.pack(">Q", len(p.encode())) + p.encode() if isinstance(p, str) else b"i" + struct.pack(">q", p)
                        for p in parts)
        self.key, self.counter, self.values = hashlib.sha256(name).digest(), 0, []

    def block(self):
        """Four ChaCha8 blocks, interleaved word by word, as 32 numbers of 64 bits."""
        mask = 0xFFFFFFFF
        head = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574] + list(struct.unpack("<8I", self.key))
        columns = []
        for k in range(4):
            b = head + [self.counter + k, 0, 0, 0]
            for _ in range(4):
                for a in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                          (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
                    w, x, y, z = a
                    for into, by, turn, left in ((w, x, z, 16), (y, z, x, 12), (w, x, z, 8), (y, z, x, 7)):
                        b[into] = (b[into] + b[by]) & mask
                        t = b[turn] ^ b[into]
                        b[turn] = (t << left | t >> 32 - left) & mask
            columns.append([(v + head[i]) & mask if 4 <= i < 12 else v for i, v in enumerate(b)])
        flat = [columns[k][i] for i in range(16) for k in range(4)]
        return [flat[2 * i] | flat[2 * i + 1] << 32 for i in range(32)]

    def uint64(self):
        if not self.values:
            values = self.block()
            self.counter += 4
            if self.counter == 16:  # the last 32 bytes are the next key
                self.key, self.counter = struct.pack("<4Q", *values[28:]), 0
                values = values[:28]
            self.values = values[::-1]
        return self.values.pop()

    def below(self, n):
        if n & (n - 1) == 0:
            return self.uint64() & (n - 1)
        while True:
            product = self.uint64() * n
            if product & 2**64 - 1 >= -2**64 % n:
                return product >> 64


# --- divisions ------------------------------------------------------------------------

def rows_of(users, capacity):
    """The capacity rows of the pooled servers: (demand of each user, capacity)."""
    return [([u["need"][r] for u in users], c) for r, c in enumerate(capacity)]


def mnw(users, capacity, caps):
    """max Σ log x: x[j] = min(cap, 1/Σ p·d), every price by bisection, in turn."""
    rows = [([float(d) for d in need], float(c)) for need, c in rows_of(users, capacity)]
    caps = [float(n) for n in caps]
    prices = [len(users) / c for _, c in rows]

    def totals():
        cost = [sum(p * need[j] for p, (need, _) in zip(prices, rows)) for j in range(len(users))]
        return [min(n, 1 / max(q, 1e-300)) for q, n in zip(cost, caps)]

    def excess(r, price):
        prices[r] = price
        need, c = rows[r]
        return sum(d * x for d, x in zip(need, totals())) - c

    for _ in range(20_000):
        before = list(prices)
        for r in range(len(rows)):
            low, high = 0.0, max(prices[r], 1e-9)
            if excess(r, 0.0) <= 0:
                continue  # with the price 0
            while excess(r, high) > 0:
                low, high = high, 2 * high
            for _ in range(200):
                middle = (low + high) / 2
                if not low < middle < high:
                    break
                low, high = (middle, high) if excess(r, middle) > 0 else (low, middle)
            prices[r] = high
        if max(abs(a - b) / max(a, 1e-12) for a, b in zip(prices, before)) < 1e-14:
            break
    return totals()


def simplex(c, rows, bounds):
    """max c·x with x >= 0 and rows·x <= bounds, in fractions, by Bland's rule. Negative
    bounds: with a phase of its own, in which all x0 of -x0 is taken out."""
    n, m = len(c), len(rows)
    table = [list(row) + [F(int(i == k)) for k in range(m)] + [F(-1), b] for i, (row, b) in enumerate(zip(rows, bounds))]
    basis = [n + i for i in range(m)]
    last = n + m

    def pivot(i, j, goal):
        by = table[i][j]
        table[i] = [v / by for v in table[i]]
        for k, row in enumerate(table):
            if k != i and row[j] != 0:
                table[k] = [v - row[j] * w for v, w in zip(row, table[i])]
        if goal[j] != 0:
            goal[:] = [v - goal[j] * w for v, w in zip(goal, table[i])]
        basis[i] = j

    def climb(goal, closed):
        while True:
            j = next((k for k in range(last + 1) if k != closed and goal[k] > 0), None)
            if j is None:
                return
            ratio, _, i = min((row[-1] / row[j], basis[i], i) for i, row in enumerate(table) if row[j] > 0)
            pivot(i, j, goal)

    if min(bounds) < 0:
        goal = [F(0)] * last + [F(-1), F(0)]
        pivot(min(range(m), key=lambda i: table[i][-1]), last, goal)
        climb(goal, None)
        if goal[-1] != 0:
            raise ValueError("infeasible")
        if last in basis:
            i = basis.index(last)
            pivot(i, next(j for j in range(last) if table[i][j] != 0), goal)
    goal = list(c) + [F(0)] * (m + 2)
    for i, j in enumerate(basis):
        if goal[j] != 0:
            goal[:] = [v - goal[j] * w for v, w in zip(goal, table[i])]
    climb(goal, last)
    x = [F(0)] * (last + 1)
    for i, j in enumerate(basis):
        x[j] = table[i][-1]
    return x[:n]


class NotUnique(Exception):
    """Several totals have the largest welfare."""


def only(values, rows, bounds):
    """The one optimum: it is that of any welfare next to this one, too."""
    x = simplex(values, rows, bounds)
    for sign in (1, -1):
        if simplex([v * (1 + F(sign * (k * k + 1), 10**12)) for k, v in enumerate(values)], rows, bounds) != x:
            raise NotUnique
    return x


def cru(users, capacity, caps):
    """max Σ x/η with caps: eq. (1), (2) and definitions 3 and 6 of the paper, from below."""
    n = len(users)
    eta = [min(c / d for d, c in zip(u["need"], capacity) if d > 0) for u in users]
    lower = [min(e / n, cap) for e, cap in zip(eta, caps)]
    sated = [low == cap for low, cap in zip(lower, caps)]
    while True:
        rows, bounds = [], []
        for need, c in rows_of(users, capacity):
            rows.append(list(need))
            bounds.append(c)
        for j in range(n):
            unit = [F(int(i == j)) for i in range(n)]
            if caps[j] != math.inf:
                rows.append(unit)
                bounds.append(caps[j])
            rows.append([-v for v in unit])
            bounds.append(-lower[j])
            for i in range(n):
                if i != j and not sated[j]:
                    worth = min(a / b for a, b in zip(users[i]["need"], users[j]["need"]) if b > 0)
                    rows.append([worth if k == i else -unit[k] for k in range(n)])
                    bounds.append(F(0))
        x = only([1 / e for e in eta], rows, bounds)
        more = [j for j in range(n) if not sated[j] and x[j] == caps[j]]
        if not more:
            return x
        for j in more:
            sated[j], lower[j] = True, x[j]


# --- the replay -----------------------------------------------------------------------

class Replay:
    """Whole tasks on identical servers, from event to event."""

    def __init__(self, jobs, server, count, link, rule, slot, options, stream):
        self.jobs, self.count, self.rule, self.slot, self.stream = jobs, count, rule, slot, stream
        self.fill_on, self.caps, self.floor = options
        self.capacity = [c * count for c in server] + [link]
        self.free = [list(server) for _ in range(count)]
        self.link = link
        self.here, self.running, self.ends, self.now = [], [], {}, 0
        self.changed, self.slot_at, self.sequence, self.stalls = False, None, itertools.count(), 0

    def fits(self, u, s):
        return all(d <= f for d, f in zip(u["need"], self.free[s])) and u["need"][-1] <= self.link

    def hold(self, u, s, sign):
        for r in range(len(self.free[s])):
            self.free[s][r] -= sign * u["need"][r]
        self.link -= sign * u["need"][-1]

    def start(self, u, s):
        """Starts the next task: suspended ones first."""
        u["was_fresh"] = not u["parked"]
        rest = u["parked"].pop(0) if u["parked"] else u["duration"]
        u["fresh"] -= u["was_fresh"]
        self.hold(u, s, 1)
        self.running.append((self.now + rest, next(self.sequence), u, s))

    def waits(self, u):
        return u["fresh"] + len(u["parked"]) > 0

    def fill(self):
        pairs = [(u, s) for u in self.here if self.waits(u) for s in range(self.count) if self.fits(u, s)]
        while pairs:
            i = self.stream.below(len(pairs))
            u, s = pairs[i]
            if self.waits(u) and self.fits(u, s):
                self.start(u, s)
            else:
                pairs[i] = pairs[-1]
                pairs.pop()

    def divide(self):
        bound = {"none": lambda u: math.inf, "submitted": lambda u: F(u["tasks"]), "left": lambda u: F(u["left"])}[self.caps]
        caps = [bound(u) for u in self.here]
        for u, x in zip(self.here, self.rule(self.here, self.capacity, caps)):
            share = x / self.count
            n = math.floor(F(share) * (1 - LITERAL)) if self.floor == "literal" else math.floor(float(share) + SNAP)
            for s in range(self.count):
                for _ in range(n):
                    if self.waits(u) and self.fits(u, s):
                        self.start(u, s)

    def reallocate(self, stalled):
        for _, _, u, s in sorted(self.running, key=lambda t: t[:2]):
            self.hold(u, s, -1)
        for end, _, u, _ in sorted(self.running, key=lambda t: t[:2]):
            u["parked"].append(end - self.now + SUSPEND)
        self.running = []
        self.divide()
        if self.fill_on == "slot" or stalled:
            self.fill()

    def run(self):
        """Completions, arrivals, one allocation: instant by instant."""
        ahead = list(self.jobs)
        while ahead or self.here:
            times = [t[0] for t in self.running] + [j["submit"] for j in ahead[:1]] + ([self.slot_at] if self.slot_at is not None else [])
            stalled = not self.running and not ahead and self.slot_at is None
            if stalled:
                self.slot_at, self.stalls = (self.now // self.slot + 1) * self.slot, self.stalls + 1
                times = [self.slot_at]
            self.now = min(times)
            users, tasks = self.complete(), self.last_ended > 0
            while ahead and ahead[0]["submit"] == self.now:
                self.here.append(ahead.pop(0))
                users = True
            self.instant(users, tasks, stalled)
        return self.ends

    def complete(self):
        """Ends what ends now; reports whether a user leaves."""
        ended = sorted((t for t in self.running if t[0] == self.now), key=lambda t: t[1])
        self.running = [t for t in self.running if t[0] != self.now]
        self.last_ended = len(ended)
        for _, _, u, s in ended:
            self.hold(u, s, -1)
            u["left"] -= 1
            if u["left"] == 0:
                self.ends[u["job"]] = self.now
        before = len(self.here)
        self.here = [u for u in self.here if u["left"]]
        return len(self.here) < before

    def instant(self, users, tasks, stalled):
        if (users or tasks) and self.slot_at is None:
            self.slot_at = -(-self.now // self.slot) * self.slot
        if self.slot_at == self.now:
            self.slot_at = None
            if self.here:
                self.reallocate(stalled)
        elif users or tasks and self.fill_on != "users":
            self.fill()


# --- the comparison -------------------------------------------------------------------

def make(rng, folder, jobs):
    """Writes jobs.csv, mapping.yaml and cluster.json; returns rows, server, count, link."""
    rows, now = [], 0.0
    for i in range(jobs):
        now += rng.choice([0, rng.expovariate(1 / 20)]) if i else 0  # some arrive together
        rows.append({"job": f"j{i}", "submit": round(now, 6), "duration": round(rng.lognormvariate(4, 1), 6),
                     "tasks": rng.choice([1, 1, 2, 3, 5, 9]), "cpu": round(math.exp(rng.uniform(-3, 0)), 3),
                     "mem": round(math.exp(rng.uniform(-3, 0)), 3)})
    server, count = [rng.choice([1, 2]), rng.choice([1, 2])], rng.choice([1, 1, 2, 3])
    cluster = {"resources": ["cpu", "mem"], "servers": [{"name": "s", "capacity": server, "count": count}]}
    for name, text in (("jobs.csv", None), ("mapping.yaml", MAPPING), ("cluster.json", json.dumps(cluster))):
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as f:
            if text is None:
                writer = csv.DictWriter(f, rows[0].keys())
                writer.writeheader()
                writer.writerows(rows)
            else:
                f.write(text)
    return rows, server, count


def call(binary, folder, *args):
    done = subprocess.run([binary, *args], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"leontief {' '.join(args)}: {done.stderr.strip()}")
    return list(csv.DictReader(done.stdout.splitlines()))


def ours(binary, folder, slot, options):
    fill, caps, floor = options
    call(binary, folder, "simulate", "--trace", "jobs.parquet", "--cluster", "cluster.json", "--policies", "mnw,cru", "--model", "whole",
         "--slot", f"{slot}s", "--fill", fill, "--caps", caps, "--floor", floor, "--progress", "none", "--out", "run", "--force")
    ends = {"mnw": {}, "cru": {}}
    for row in call(binary, folder, "export", "run", "--table", "completions", "--csv"):
        ends[row["policy"]][row["job_id"]] = int(row["completion_us"])
    return ends


def twin(rows, server, count, policy, slot, options):
    origin = min(r["submit"] for r in rows)
    jobs = [{**r, "submit": round((r["submit"] - origin) * MICRO), "duration": round(r["duration"] * MICRO),
             "need": [F(str(r["cpu"])), F(str(r["mem"])), F(0)], "left": r["tasks"], "fresh": r["tasks"], "parked": []} for r in rows]
    stream = Stream("simulate", 1, "made up (synthetic)", 0, 0, "fill")
    return Replay(jobs, [F(c) for c in server], count, F(1), {"mnw": mnw, "cru": cru}[policy], slot * MICRO, options, stream).run()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leontief", required=True, help="the leontief binary")
    parser.add_argument("--traces", type=int, default=4, help="made-up traces")
    parser.add_argument("--jobs", type=int, default=7, help="jobs in each")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    binary = os.path.abspath(args.leontief)
    compared, differ, total, left_out = {}, [], 0, 0
    for k in range(args.traces):
        rng = random.Random(args.seed * 1000 + k)
        with tempfile.TemporaryDirectory() as folder:
            rows, server, count = make(rng, folder, args.jobs)
            call(binary, folder, "traces", "import", "--map", "mapping.yaml", "jobs.csv", "--out", "jobs.parquet")
            slot = rng.choice([16, 64])
            for options in itertools.product(("users", "tasks", "slot"), ("none", "submitted", "left"), ("exact", "literal")):
                got = ours(binary, folder, slot, options)
                for policy in ("mnw", "cru"):
                    try:
                        want = twin(rows, server, count, policy, slot, options)
                    except NotUnique:
                        left_out += 1
                        continue
                    total += len(want)
                    compared.setdefault(options[1:], []).append(sum(want.values()))
                    if want != got[policy]:
                        differ.append((k, policy, *options))
    print(f"{args.traces} traces of {args.jobs} jobs, mnw and cru, 18 combinations of fill, caps and floor: {total} completions compared, "
          f"{len(differ)} replays differ, {left_out} left out (totals of cru not unique)")
    print("\n| caps | floor | sum of all completions (h) |\n|---|---|---|")
    for (caps, floor), sums in compared.items():
        print(f"| {caps} | {floor} | {sum(sums) / MICRO / 3600:.3f} |")
    if differ:
        sys.exit(f"DISAGREES: {differ}")


if __name__ == "__main__":
    main()
