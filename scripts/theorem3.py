#!/usr/bin/env python3
"""TSF's Theorem 3, replayed in fractions, independently of leontief.

Weights come from dedicated pools: w = k/h, k the tasks of a user in its pool and h those on
all machines, both by what it reports. TSF is computed as the paper's Algorithm 1
(progressive filling: LP, then Freeze), with the simplex method in fractions. Python's
standard library only.

    python3 scripts/theorem3.py                    the witness of the ledger entry
    python3 scripts/theorem3.py W/tsf-SPD.json     one that `leontief audit` wrote: with
                                                   tsf-SPD.changed.json and tsf-SPD.pools.json

It prints the weights, the tasks when honest and when lying, and the true tasks of the liar:
the fewest over all allocations of the same totals. Exit status 1 if the lie does not pay,
or if a file's weights are not those of the pools.
"""

import json
import sys
from fractions import Fraction as F


def simplex(c, rows, bounds):
    """Maximise c·x, rows·x <= bounds, x >= 0, by a dictionary and Bland's rule; a negative
    bound needs the first phase. Returns the optimum and x."""
    n, m = len(c), len(rows)
    # Dictionary: basic b[i] = d[i][-1] - sum d[i][j] * nonbasic[j].
    d = [[F(v) for v in row] + [F(-1), F(b)] for row, b in zip(rows, bounds)]
    nonbasic, basic = list(range(n)) + [n + m], list(range(n, n + m))
    z = [F(0)] * n + [F(-1), F(0)]  # phase 1: maximise -x0

    def pivot(i, j):
        p = d[i][j]
        d[i] = [v / p for v in d[i]]
        d[i][j] = 1 / p
        for k in range(m):
            if k != i and d[k][j]:
                f = d[k][j]
                d[k] = [v - f * w for v, w in zip(d[k], d[i])]
                d[k][j] = -f * d[i][j]
        f = z[j]
        if f:
            for t in range(len(z) - 1):
                z[t] -= f * d[i][t]
            z[j] = -f * d[i][j]
            z[-1] += f * d[i][-1]
        basic[i], nonbasic[j] = nonbasic[j], basic[i]

    def run():
        while True:
            enter = [j for j in range(len(nonbasic)) if z[j] > 0]
            if not enter:
                return
            j = min(enter, key=lambda j: nonbasic[j])
            leave = [(d[i][-1] / d[i][j], basic[i], i) for i in range(m) if d[i][j] > 0]
            if not leave:
                raise ArithmeticError("unbounded")
            pivot(min(leave)[2], j)

    x0 = n + m
    worst = min(range(m), key=lambda i: d[i][-1])
    if d[worst][-1] < 0:
        pivot(worst, nonbasic.index(x0))
        run()
        if z[-1] != 0:
            raise ArithmeticError("infeasible")
    if x0 in basic:
        i = basic.index(x0)
        pivot(i, next(j for j in range(len(nonbasic)) if d[i][j] != 0))
    j = nonbasic.index(x0)  # x0 leaves for good
    del nonbasic[j]
    for row in d:
        del row[j]
    z[:] = [F(0)] * (len(nonbasic) + 1)
    for k, v in enumerate(c):
        if k in nonbasic:
            z[nonbasic.index(k)] += F(v)
        else:
            row = d[basic.index(k)]
            z[-1] += F(v) * row[-1]
            for t in range(len(nonbasic)):
                z[t] -= F(v) * row[t]
    run()
    x = [F(0)] * n
    for i, k in enumerate(basic):
        if k < n:
            x[k] = d[i][-1]
    return z[-1], x


class Machines:
    """Machines and what the users report: demand[i], may[i][m], weight[i]."""

    def __init__(self, capacity, demand, may, weight=None):
        self.capacity, self.demand, self.may, self.weight = capacity, demand, may, weight
        self.users, self.machines = range(len(demand)), range(len(capacity))

    def gamma(self, i, m):
        return min(self.capacity[m][r] / d for r, d in enumerate(self.demand[i]) if d > 0)

    def h(self, i):
        return sum(self.gamma(i, m) for m in self.machines)

    def weigh(self, pools):
        """Weights of Theorem 1: k/h."""
        self.weight = [sum(self.gamma(i, m) for m in self.machines if pools[m] == i and self.may[i][m]) / self.h(i)
                       for i in self.users]

    def region(self, extra=0):
        """Rows of the machine constraints (4), and x = 0 where a user may not run."""
        width = len(self.users) * len(self.machines)
        rows, bounds = [], []
        for m in self.machines:
            for r, c in enumerate(self.capacity[m]):
                row = [F(0)] * (width + extra)
                for i in self.users:
                    row[i * len(self.machines) + m] = self.demand[i][r]
                rows.append(row)
                bounds.append(c)
        for i in self.users:
            for m in self.machines:
                if not self.may[i][m]:
                    row = [F(0)] * (width + extra)
                    row[i * len(self.machines) + m] = F(1)
                    rows.append(row)
                    bounds.append(F(0))
        return rows, bounds

    def total(self, i, sign, extra=0):
        row = [F(0)] * (len(self.users) * len(self.machines) + extra)
        for m in self.machines:
            row[i * len(self.machines) + m] = F(sign)
        return row

    def lp(self, active, n):
        """The LP of Algorithm 1: the largest common task share of the active users, the
        others keeping n[i]. Returns it and the tasks of all."""
        rows, bounds = self.region(1)
        for i in self.users:
            if i in active:  # equal shares: total = s * h * w, as two rows
                for sign in (1, -1):
                    row = self.total(i, sign, 1)
                    row[-1] = -sign * self.h(i) * self.weight[i]
                    rows.append(row)
                    bounds.append(F(0))
            else:
                rows.append(self.total(i, -1, 1))
                bounds.append(-n[i])
        goal = [F(0)] * (len(rows[0]) - 1) + [F(1)]
        s, x = simplex(goal, rows, bounds)
        return s, [sum(x[i * len(self.machines) + m] for m in self.machines) for i in self.users]

    def tsf(self):
        """Algorithm 1."""
        active, frozen = set(self.users), [F(0)] * len(self.users)
        while active:
            s, n = self.lp(active, frozen)
            at = [frozen[i] if i not in active else n[i] for i in self.users]
            done = {j for j in active if self.lp({j}, at)[0] == s}
            if not done:
                raise ArithmeticError("nobody is saturated")
            for j in done:
                frozen[j] = at[j]
            active -= done
        return frozen

    def least(self, liar, totals, truth):
        """The fewest true tasks of the liar over the allocations of these totals."""
        rows, bounds = self.region()
        for i in self.users:
            rows.append(self.total(i, -1))
            bounds.append(-totals[i])
        goal = [F(0)] * len(rows[0])
        for m in self.machines:
            if truth.may[liar][m]:
                goal[liar * len(self.machines) + m] = -min(
                    self.demand[liar][r] / d for r, d in enumerate(truth.demand[liar]) if d > 0)
        return -simplex(goal, rows, bounds)[0]


def read(path):
    env = json.load(open(path), parse_float=F, parse_int=F)
    names = [s["name"] for s in env["servers"]]
    users = env["users"]
    machines = Machines([[c * s.get("count", 1) for c in s["capacity"]] for s in env["servers"]],
                        [u["demand"] for u in users], [[n in u.get("servers", names) for n in names] for u in users],
                        [F(u.get("weight", 1)) for u in users])
    return machines, [u["name"] for u in users]


def witness(path):
    stem = path[:-len(".json")]
    truth, names = read(path)
    lie, _ = read(stem + ".changed.json")
    confined, _ = read(stem + ".pools.json")
    pools = [next((i for i in truth.users if confined.may[i][m]), None) for m in truth.machines]
    for env in (truth, lie):
        said = env.weight
        env.weigh(pools)
        if any(a * env.weight[0] != b * said[0] for a, b in zip(said, env.weight)):
            raise ArithmeticError("the weights of the files are not those of the pools")
    liar = next(i for i in truth.users if (truth.demand[i], truth.may[i]) != (lie.demand[i], lie.may[i]))
    return truth, lie, names, liar, pools


def printed():
    """The witness of the ledger: 2 machines of kind M1, 10 of M2, in classes by owner."""
    counts, pools = [1, 1, 1, 1, 8], [1, 2, 0, 1, 2]
    m1, m2 = [True, True, False, False, False], [False, False, True, True, True]
    capacity, demand = [[F(n)] for n in counts], [[F(1)]] * 3
    truth, lie = Machines(capacity, demand, [m2, m2, m1]), Machines(capacity, demand, [m2, [True] * 5, m1])
    truth.weigh(pools)
    lie.weigh(pools)
    return truth, lie, ["u1", "u2", "u5"], 1, pools


def main():
    truth, lie, names, liar, pools = witness(sys.argv[1]) if len(sys.argv) > 1 else printed()
    honest, lying = truth.tsf(), lie.tsf()
    for what, env, tasks in (("honest", truth, honest), ("lying", lie, lying)):
        print(what + ":", ", ".join(f"{n} weight {w} tasks {x}" for n, w, x in zip(names, env.weight, tasks)))
    useless = [m + 1 for m in truth.machines if pools[m] is not None and not truth.may[pools[m]][m]]
    print("machine classes that their owner cannot use:", useless or "none")
    true = lie.least(liar, lying, truth)
    print(f"{names[liar]}: {honest[liar]} true tasks when honest, {true} when lying")
    return 0 if true > honest[liar] else 1


if __name__ == "__main__":
    sys.exit(main())
