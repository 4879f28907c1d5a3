#!/usr/bin/env python3
"""Compare `leontief allocate` with HiGHS and CVXOPT on random environments.

    go build -o /tmp/leontief . && /usr/bin/python3 scripts/compare_oracle.py --leontief /tmp/leontief

Environments come from scripts/envgen. What is compared depends on the size
(columns = users × server classes):

  egalitarian   up to --full columns: the totals, which are unique, against
                repeated LPs. Above: the smallest share against the first LP,
                and for --levels levels of the answer (the lowest, the highest,
                others between) an LP that raises the users of that level
                together while all users of equal or smaller share keep what
                they have: nothing may rise.
  mnw           up to --full columns: the objective, not below CVXOPT's. Always:
                max Σ w·x'/x over χ by HiGHS must not exceed Σ w (for a
                concave objective that is optimality).
  utilitarian, ru   the objective.
  cru           caps are taken out of the environment. The objective, up to 60
                users against the program with all n² rows, above against the
                one with only the rows that are tight in leontief's answer: it
                is a relaxation, so equality proves the optimum.
                Always: no envy, nobody below the sharing incentive.
  eq, per-machine-drf   the totals (where the specification leaves no choice:
                eq without weights, per-machine-drf without links and caps).

Always: the allocation is feasible, and by_server adds up to the totals.
Exit status 1 if anything disagrees by more than 1e-6 relative.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import oracle
from oracle_model import Env, Failure, Region, maximise, maximise_priced

TOL = 1e-6
GIVE = 1e-9
COMPARED = [p for p in oracle.POLICIES if p != "mtp"]


class Row:
    """Agreement of one policy: cases, checks by kind, worst difference."""

    def __init__(self):
        self.cases, self.failed, self.skipped, self.unsolved = 0, [], 0, 0
        self.worst, self.where = 0.0, ""

    def add(self, what, difference, case):
        if not difference <= TOL:
            self.failed.append(f"{case}: {what} differs by {difference:.3g}")
        if not difference <= self.worst:
            self.worst, self.where = difference, f"{what}, {case}"


def run(binary, path, policy):
    done = subprocess.run([binary, "allocate", path, "--policy", policy, "--format", "json"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}")
    return json.loads(done.stdout)


def relative(got, want, size=None):
    """|got - want| against want, or against size/1000 where want is smaller:
    constraints hold to 1e-9, so no total is known to better than 1e-9 of what
    its user could have alone (size)."""
    want, got = np.asarray(want, float), np.asarray(got, float)
    scale = np.maximum(np.abs(want), 1e-3 * (size if size is not None else 0))
    out = np.abs(got - want) / np.where(scale > 0, scale, 1)
    return float(out.max(initial=0))


def parse(env, answer):
    """Totals and x[j,s] of leontief's answer, in the order of env."""
    users = {u["name"]: u for u in answer["users"]}
    totals = np.array([users[name]["tasks"] for name in env.users])
    x = np.zeros((env.n, env.S))
    at = {name: s for s, name in enumerate(env.servers)}
    for j, name in enumerate(env.users):
        for server, v in users[name].get("by_server", {}).items():
            if server not in at:
                return totals, None  # a rule that pools the servers
            x[j, at[server]] = v
    return totals, x


def feasibility(env, totals, x):
    """The largest violation of a capacity, cap or eligibility, relative, and
    the difference between by_server and the totals."""
    worst = np.abs(x.sum(axis=1) - totals).max(initial=0) / max(totals.max(initial=0), 1e-300)
    used = np.einsum("js,jsr->sr", x, env.demand)
    worst = max(worst, _over(used, env.capacity))
    through = np.array([(x[:, env.reach[e]].sum(axis=1) * env.link_demand[:, e]).sum() for e in range(len(env.link))])
    worst = max(worst, _over(through, env.link), _over(totals, env.tasks))
    return max(worst, float(np.where(env.eligible, 0, x).max(initial=0)), float(-x.min(initial=0)))


def _over(used, capacity):
    over = np.where(np.isfinite(capacity), used - capacity, 0)
    return float((over / np.where(capacity > 0, capacity, 1)).max(initial=0))


def check_egalitarian(row, env, case, policy, totals, limits):
    region_env, norm = oracle.egalitarian_program(env, policy)
    region = Region(region_env)
    if region.N <= limits.full:
        want = oracle.maxmin(region_env, norm)
        row.add("totals", relative(totals, want, region.most), case)
        return
    if np.isinf(norm).any():
        row.skipped += 1
        return
    scale = env.weight * norm
    able = [j for j in range(env.n) if region.most[j] > 0 and scale[j] > 0]
    share = totals[able] / scale[able]
    g = oracle.level(region, able, [], totals, scale)
    row.add("smallest share", relative(share.min(initial=np.inf), g), case)
    for level in pick_levels(share, env.tasks[able], totals[able], limits.levels):
        row.add("level", rise(region, np.array(able), share, totals, scale, level), case)


def pick_levels(share, caps, totals, count):
    """Up to count distinct shares of users below their cap, spread evenly."""
    levels = []
    for s in np.sort(share[totals < caps * (1 - 1e-9)]):
        if not levels or s > levels[-1] * (1 + 1e-6):
            levels.append(s)
    if len(levels) <= count:
        return levels
    return [levels[round(i)] for i in np.linspace(0, len(levels) - 1, count)]


def rise(region, able, share, totals, scale, level):
    """How far the shares at level can rise together, relative."""
    low, here = share <= level * (1 + 1e-6), np.abs(share - level) <= level * 1e-6
    c = np.zeros(region.env.n)
    c[able[here]] = 1 / scale[able[here]]
    # The others keep all but GIVE of what they have, lest rounding make the
    # program infeasible; what the prices say that this is worth is taken off.
    A, b = oracle.hold(region, list(able[low]), totals * (1 - GIVE))
    value, _, prices = maximise_priced(region.totals.T @ c, A, b)
    kept = len(b) - len(region.b)
    given = GIVE / (1 - GIVE) * np.abs(prices[len(b) - kept:] * b[len(b) - kept:]).sum()
    return max(value - given - share[here].sum(), share[here].sum() - value) / share[here].sum()


def check_nash(row, env, case, totals, limits):
    region = Region(env)
    able = region.most > 0
    if not able.any():
        return
    if totals[able].min() <= 0:
        row.add("a user that could hold something holds", np.inf, case)
        return
    c = np.where(able, env.weight / np.where(totals > 0, totals, 1), 0)
    value, _ = maximise(region.totals.T @ c, region.A, region.b)
    row.add("first-order condition", max(value / env.weight[able].sum() - 1, 0), case)
    if region.N <= limits.full:
        want, _ = oracle.nash(env)
        ours = (env.weight[able] * np.log(totals[able])).sum()
        # One-sided: a feasible answer above CVXOPT's is only nearer to the optimum.
        row.add("objective per weight", max(want - ours, 0) / env.weight[able].sum(), case)


def check_linear(row, env, case, policy, totals):
    whole = oracle.eta(env) if policy == "ru" else np.ones(env.n)
    values = np.where(whole > 0, env.weight / np.where(whole > 0, whole, 1), 0)
    want, _ = oracle.linear(env, values)
    row.add("objective", relative(values @ totals, want), case)


def check_cru(row, env, case, totals, x):
    values, lower = oracle.cru_parts(env)
    row.add("sharing incentive", float(((lower - totals) / np.where(lower > 0, lower, 1)).max(initial=0)), case)
    tight, pairs = 0.0, []
    for j in range(env.n):
        with np.errstate(invalid="ignore"):
            value = np.where(x > 0, oracle.worth(env, j) * x, 0).sum(axis=1)
        value[j] = 0
        size = max(totals[j], 1e-9 * value.max(initial=0), 1e-300)
        tight = max(tight, float((value - totals[j]).max(initial=0)) / size)
        pairs += [(j, i) for i in np.nonzero(value > totals[j] * (1 - 1e-6))[0] if i != j]
    row.add("envy", tight, case)
    want, _ = oracle.linear(env, values, lower, oracle.all_pairs(env) if env.n <= 60 else pairs)
    row.add("objective", relative(values @ totals, want), case)


def applies(env, policy):
    """Whether the specification leaves no choice for this rule here."""
    weighted, capped = (env.weight != 1).any(), np.isfinite(env.tasks).any()
    own = (env.demand != env.base[:, None, :]).any()
    return {
        "eq": not weighted, "per-machine-drf": not capped and not len(env.link),
        "drf": not own and env.eligible.all(), "drfh": not own, "drf-er": not own,
        "drf-cpu": not own, "drf-mem": not own, "drf-eq": not own,
    }.get(policy, True)


def compare(row, binary, path, raw, policy, limits, scratch):
    case = os.path.basename(path)
    if policy == "cru" and any("tasks" in u for u in raw["users"]):
        raw = {**raw, "users": [{k: v for k, v in u.items() if k != "tasks"} for u in raw["users"]]}
        path = os.path.join(scratch, "uncapped.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(raw, f)
    env = Env(raw)
    try:
        if not applies(env, policy) or np.isinf(Region(env).scale).any():
            row.skipped += 1
            return
        totals, x = parse(env, run(binary, path, policy))
        row.cases += 1
        if x is not None:
            row.add("feasibility", feasibility(env, totals, x), case)
        check(row, env, case, policy, totals, x, limits)
    except RuntimeError as err:
        row.cases += 1
        row.failed.append(f"{case}: leontief: {err}")
    except (Failure, ValueError) as err:
        row.unsolved += 1
        print(f"note: {policy} on {case}: the oracle gives no answer: {err}", file=sys.stderr)


def check(row, env, case, policy, totals, x, limits):
    if policy in oracle.EGALITARIAN:
        check_egalitarian(row, env, case, policy, totals, limits)
    elif policy == "mnw":
        check_nash(row, env, case, totals, limits)
    elif policy == "cru":
        check_cru(row, env, case, totals, x)
    elif policy in ("utilitarian", "ru"):
        check_linear(row, env, case, policy, totals)
    else:
        _, want = oracle.allocate(env, policy)
        row.add("totals", relative(totals, want, Region(env).most), case)


def generate(folder, args):
    """Writes the environments of all three sizes; returns their paths."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sizes = [(args.small, 30, 6, False, 0), (args.medium, 200, 20, True, 5000), (args.large, 1000, 100, True, 9000)]
    for count, users, servers, exact, offset in sizes:
        if count:
            cmd = ["go", "run", "./scripts/envgen", "--out", folder, "--count", str(count), "--users", str(users),
                   "--servers", str(servers), "--seed", str(args.seed + offset), f"--exact={str(exact).lower()}"]
            subprocess.run(cmd, cwd=here, check=True)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leontief", required=True, help="the leontief binary")
    parser.add_argument("--policies", default=",".join(COMPARED), help="comma-separated names")
    parser.add_argument("--small", type=int, default=64, help="environments of up to 30 users × 6 server classes")
    parser.add_argument("--medium", type=int, default=4, help="environments of 200 users × 20 server classes")
    parser.add_argument("--large", type=int, default=1, help="environments of 1,000 users × 100 server classes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", type=int, default=400, help="columns up to which everything is recomputed")
    parser.add_argument("--levels", type=int, default=4, help="levels that are certified above --full columns")
    return parser.parse_args()


def main():
    args = arguments()
    rows = collections.OrderedDict((p, Row()) for p in args.policies.split(","))
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
        for path in generate(folder, args):
            with open(path, encoding="utf-8") as f:
                raw = json.load(f)
            for policy, row in rows.items():
                compare(row, args.leontief, path, raw, policy, args, scratch)
    print("| policy | cases | agree | not applicable | oracle without answer | worst difference | where |")
    print("|---|---|---|---|---|---|---|")
    for policy, row in rows.items():
        bad = len({f.split(":")[0] for f in row.failed})
        print(f"| {policy} | {row.cases} | {row.cases - bad} | {row.skipped} | {row.unsolved} | {row.worst:.1e} | {row.where} |")
    failed = [f"{policy}: {what}" for policy, row in rows.items() for what in row.failed]
    for line in failed[:50]:
        print("DISAGREES", line)
    sys.exit(1 if failed or not any(row.cases for row in rows.values()) else 0)


if __name__ == "__main__":
    main()
