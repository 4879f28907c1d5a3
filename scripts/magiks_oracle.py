#!/usr/bin/env python3
"""MAGIKS's dynamics a second time, from the paper's definitions: the ends of plays and
the numbers of moves of MAGIKS-RIM (to a random better server, to the best one, by a
random pair) and MAGIKS-BIM, beside leontief's.

    go build -o /tmp/leontief . && python3 scripts/magiks_oracle.py --leontief /tmp/leontief

Nothing is needed but Python's standard library, and no code is shared with leontief.
Loads are integers or fractions here, so that a tie is a tie. Three checks:

1. ends: what leontief allocate returns for random environments is an equilibrium in
   exact fractions, and every user runs psi/load tasks (equations 9 and 10), to 1e-12.
2. chances: for small games the chance of each equilibrium is computed exactly, from
   the moves that the rule allows and a uniform start. The ends of plays with the seeds
   1, 2, 3, ... are compared with it.
3. moves: mean moves per play from leontief sweep and from plays here, with whole
   demands and, with --alibaba FOLDER, with the pods of Alibaba's GPU trace of 2023.

Exit status 1 if an end is no equilibrium, or if a frequency or a mean is more than
four standard errors from ours.
"""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from functools import lru_cache

RULES = {"better": "magiks-rim", "best": "magiks-rim[to=best]", "pair": "magiks-rim[to=pair]", "bim": "magiks-bim"}
LIMIT = 4  # standard errors
GRID = 10**30


def normalised(demand, capacity):
    """The demand as parts of the capacity, the largest part being 1 (equation 8)."""
    parts = [Fraction(d) / Fraction(c) for d, c in zip(demand, capacity)]
    return [p / max(parts) for p in parts]


class Game:
    """needs[j] is the normalised demand of user j, in any unit that adds exactly."""

    def __init__(self, needs, servers):
        self.needs, self.servers = needs, servers

    def load(self, users):
        return max(map(sum, zip(*(self.needs[i] for i in users)))) if users else 0

    def costs(self, at):
        """The load that user j would see on server s: where it is, or if it came."""
        on = [[i for i, t in enumerate(at) if t == s] for s in range(self.servers)]
        sums = [[sum(column) for column in zip(*(self.needs[i] for i in users))] or [0] * len(self.needs[0]) for users in on]
        return [[max(sums[s]) if at[j] == s else max(a + b for a, b in zip(sums[s], need)) for s in range(self.servers)]
                for j, need in enumerate(self.needs)]


def moves_of(rule, costs, at):
    """The moves (user, server) that a rule may make, each with its weight as a whole
    number; all of one rule have the same total."""
    better = {j: [s for s, c in enumerate(row) if c < row[at[j]]] for j, row in enumerate(costs)}
    better = {j: servers for j, servers in better.items() if servers}
    if not better:
        return []
    if rule == "pair":
        return [((j, s), Fraction(1)) for j, servers in better.items() for s in servers]
    first = {j: min(servers, key=lambda s: (costs[j][s], s)) for j, servers in better.items()}
    if rule == "bim":
        gain = {j: 1 / Fraction(costs[j][s]) - 1 / Fraction(costs[j][at[j]]) for j, s in first.items()}
        j = min(better, key=lambda j: (-gain[j], j))
        return [((j, first[j]), Fraction(1))]
    if rule == "best":
        return [((j, s), Fraction(1)) for j, s in first.items()]
    return [((j, s), Fraction(1, len(servers))) for j, servers in better.items() for s in servers]


def chances(game, rule):
    """The exact chance of each end, from a uniform start."""
    @lru_cache(maxsize=None)
    def ends(at):
        moves = moves_of(rule, game.costs(at), at)
        if not moves:
            return {at: Fraction(1)}
        out, total = {}, sum(w for _, w in moves)
        for (j, s), weight in moves:
            for end, chance in ends(at[:j] + (s,) + at[j + 1:]).items():
                out[end] = out.get(end, 0) + chance * weight / total
        return out
    n, m, out = len(game.needs), game.servers, {}
    for code in range(m**n):
        at = tuple(code // m**j % m for j in range(n))
        for end, chance in ends(at).items():
            out[end] = out.get(end, 0) + chance / m**n
    return out


def play(game, rule, rng):
    """The number of moves of one play from a random start. Costs are kept up to date
    server by server."""
    n, m, needs = len(game.needs), game.servers, game.needs
    at = [rng.randrange(m) for _ in range(n)]
    width = range(len(needs[0]))
    sums = [[sum(needs[i][r] for i in range(n) if at[i] == s) for r in width] for s in range(m)]

    def column(s):
        total, here = sums[s], max(sums[s])
        return [here if at[j] == s else max(a + b for a, b in zip(total, need)) for j, need in enumerate(needs)]
    cost = [column(s) for s in range(m)]
    moves = 0
    while True:
        now = [cost[at[j]][j] for j in range(n)]
        if rule == "pair":
            pairs = [(j, s) for s in range(m) for j in range(n) if cost[s][j] < now[j]]
            if not pairs:
                return moves
            j, s = rng.choice(pairs)
        else:
            best = [min(c) for c in zip(*cost)]
            unhappy = [j for j in range(n) if best[j] < now[j]]
            if not unhappy:
                return moves
            if rule == "bim":
                # 1/best - 1/now in integers of one denominator would be large: a float
                # decides, ties apart, as it does in no place where a load is compared.
                j = max(unhappy, key=lambda j: (1 / best[j] - 1 / now[j], -j))
            else:
                j = rng.choice(unhappy)
            choices = [s for s in range(m) if cost[s][j] < now[j]]
            s = rng.choice(choices) if rule == "better" else min(choices, key=lambda s: (cost[s][j], s))
        old = at[j]
        at[j] = s
        for r in width:
            sums[old][r] -= needs[j][r]
            sums[s][r] += needs[j][r]
        cost[old], cost[s] = column(old), column(s)
        moves += 1


def environment(rng, n, m, l, h):
    capacity = [rng.randint(1, h) for _ in range(l)]
    return {"resources": [f"r{r}" for r in range(l)], "servers": [{"name": f"s{s}", "capacity": capacity} for s in range(m)],
            "users": [{"name": f"u{j}", "demand": [rng.randint(1, h) for _ in range(l)]} for j in range(n)]}


def game_of(env):
    capacity = env["servers"][0]["capacity"]
    return Game([normalised(u["demand"], capacity) for u in env["users"]], len(env["servers"]))


def allocate(leontief, env, policies):
    done = subprocess.run([leontief, "allocate", "-", "--policy", ",".join(policies), "--format", "json"],
                          input=json.dumps(env), capture_output=True, text=True, check=True)
    out = json.loads(done.stdout)
    return out if isinstance(out, list) else [out]


def association(env, answer):
    """The server of each user, and its tasks."""
    names = [s["name"] for s in env["servers"]]
    at, tasks = [], []
    for user in answer["users"]:
        used = [s for s, x in user["by_server"].items() if x > 0]
        if len(used) != 1:
            raise SystemExit(f"{answer['policy']}: {user['name']} is on {used}")
        at.append(names.index(used[0]))
        tasks.append(user["tasks"])
    return tuple(at), tasks


def check_ends(leontief, rng, count):
    worst, gains, bad = 0.0, Fraction(1), 0
    for k in range(count):
        n, m = rng.randint(3, 30), rng.randint(2, 6)
        env = environment(rng, n, m, rng.randint(1, 4), rng.choice([2, 3, 10, 50000]))
        game, capacity = game_of(env), env["servers"][0]["capacity"]
        for answer in allocate(leontief, env, [f"{r[:-1]},seed={k}]" if r.endswith("]") else f"{r}[seed={k}]" for r in RULES.values()]):
            at, tasks = association(env, answer)
            costs = game.costs(at)
            for j, row in enumerate(costs):
                psi = min(Fraction(c) / d for c, d in zip(capacity, env["users"][j]["demand"]))
                worst = max(worst, abs(tasks[j] / float(psi / row[at[j]]) - 1))
                gains = max(gains, row[at[j]] / Fraction(min(row)))
            bad += any(min(row) * (1 + Fraction(1, 10**9)) < row[at[j]] for j, row in enumerate(costs))
    print(f"ends: {count * len(RULES)} plays, {bad} that are no equilibrium; largest gain of a move {float(gains - 1):.1e}, tasks differ by {worst:.1e}")
    return bad == 0 and worst < 1e-12


def differing(rng, games, of):
    """The games of so many drawn in whose ends the rules differ most, with the chances
    of their equilibria up to the names of the servers, by rule."""
    drawn = []
    for _ in range(of):
        env, kinds = environment(rng, 6, 3, 3, 12), {}
        for rule in RULES:
            for end, chance in chances(game_of(env), rule).items():
                key = rule, canonical(end)
                kinds[key] = kinds.get(key, 0) + chance
        spread = max(abs(float(c - kinds.get(("better", kind), 0))) for (_, kind), c in kinds.items())
        drawn.append((spread, len(drawn), env, kinds))
    return sorted(drawn, key=lambda g: g[:2])[-games:]


def check_chances(leontief, rng, games, seeds):
    worst, cells, chosen = 0.0, 0, differing(rng, games, 5 * games)
    for _, _, env, kinds in chosen:
        for rule, name in RULES.items():
            texts, found = [f"{name[:-1]},seed={k}]" if name.endswith("]") else f"{name}[seed={k}]" for k in range(1, seeds + 1)], {}
            for answer in allocate(leontief, env, texts):
                kind = canonical(association(env, answer)[0])
                found[kind] = found.get(kind, 0) + 1
                if (rule, kind) not in kinds:
                    raise SystemExit(f"{name}: ends at {kind}, which it cannot reach")
            for (of, kind), chance in kinds.items():
                p = float(chance)
                if of == rule and 0 < p < 1:
                    cells += 1
                    worst = max(worst, abs(found.get(kind, 0) - seeds * p) / math.sqrt(seeds * p * (1 - p) + 1))
    print(f"chances: {games} games in which the rules differ by {chosen[0][0]:.2f} to {chosen[-1][0]:.2f}, {seeds} seeds: {cells} frequencies, the farthest {worst:.2f} standard errors from its exact chance")
    return worst < LIMIT


def canonical(at):
    names = {}
    return tuple(names.setdefault(s, len(names)) for s in at)


def mean_and_error(values):
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def whole(rng, n, l, h):
    """Normalised whole demands as parts of GRID, exact where h is at most 60."""
    unit = math.lcm(*range(1, h + 1)) if h <= 60 else GRID
    needs = []
    for _ in range(n):
        d = [rng.randint(1, h) for _ in range(l)]
        needs.append([x * unit // max(d) for x in d])
    return needs


def pods(folder):
    """Demands and capacities (cpu, mem, gpu) of the pods and nodes with GPUs."""
    demands, nodes, seen = [], [], set()
    with open(os.path.join(folder, "openb_pod_list_default.csv")) as f:
        for row in csv.DictReader(f):
            if row["name"] in seen:
                continue
            seen.add(row["name"])
            times = [row["creation_time"], row["scheduled_time"], row["deletion_time"]]
            d = [float(row["cpu_milli"] or 0) / 1000, float(row["memory_mib"] or 0) / 1024, float(row["num_gpu"] or 0) * float(row["gpu_milli"] or 0) / 1000]
            if all(times) and float(times[2]) > float(times[1]) and min(d) > 0:
                demands.append(d)
    with open(os.path.join(folder, "openb_node_list_all_node.csv")) as f:
        for row in csv.DictReader(f):
            if float(row["gpu"]) > 0:
                nodes.append([float(row["cpu_milli"]) / 1000, float(row["memory_mib"]) / 1024, float(row["gpu"])])
    return demands, nodes


def of_pods(demands, nodes):
    def draw(rng, n):
        capacity = rng.choice(nodes) + [rng.choice([50, 100, 150, 200, 250])]
        needs = []
        for _ in range(n):
            d = rng.choice(demands)
            parts = [x / c for x, c in zip(d + [d[0] * 2.6e9 / rng.gammavariate(4, 200) / 3.5 / 1e6], capacity)]
            needs.append([int(p / max(parts) * 2**60) for p in parts])
        return needs
    return draw


def sweep(leontief, values, blocks):
    """Block means of leontief by rule."""
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "spec.yaml")
        with open(spec, "w") as f:
            f.write("name: oracle\nblocks:\n  - name: moves\n    experiment: magiks\n    instances: %d\n    set:\n      readings: yes\n" % blocks)
            f.writelines(f"      {k}: {v}\n" for k, v in values.items())
        out = os.path.join(folder, "out")
        subprocess.run([leontief, "sweep", spec, "--out", out, "--progress", "none"], check=True, capture_output=True)
        table = subprocess.run([leontief, "export", out, "--table", "moves", "--csv"], check=True, capture_output=True, text=True).stdout
    rows = {r["policy"]: r for r in csv.DictReader(table.splitlines()) if r["metric"] == "moves"}
    half = {p: (float(r["high"]) - float(r["low"])) / 2 / 1.96 for p, r in rows.items()}
    return {p: (float(r["mean"]), half[p]) for p, r in rows.items()}


def check_moves(leontief, rng, name, values, draw, count):
    theirs, good, means = sweep(leontief, dict(values, realisations=100), 40), True, {}
    for rule, policy in RULES.items():
        n, m = values["n"], values["m"]
        mean, error = mean_and_error([play(Game(draw(rng, n), m), rule, rng) for _ in range(count)])
        there, half = theirs[policy]
        z = (mean - there) / math.hypot(error, half)
        good, means[rule] = good and abs(z) < LIMIT, (mean, there)
        print(f"moves, {name}, {policy}: {mean:.2f} ± {error:.2f} here, {there:.2f} ± {half:.2f} leontief, {z:+.1f} standard errors")
    ratios = ", ".join(f"{r} {means[r][0] / means['bim'][0]:.2f} here, {means[r][1] / means['bim'][1]:.2f} leontief" for r in ("better", "best", "pair"))
    print(f"    over BIM's: {ratios}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leontief", required=True, help="the program")
    parser.add_argument("--alibaba", help="folder of the lists of Alibaba's GPU trace of 2023")
    parser.add_argument("--plays", type=int, default=300, help="plays of a rule in the comparison of moves")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    good = check_ends(args.leontief, rng, 60)
    good = check_chances(args.leontief, rng, 4, 400) and good
    settings = [("whole demands, n=150, m=10", {"n": 150, "m": 10, "l": 4, "h": 50000}), ("10 levels, n=150, m=10", {"n": 150, "m": 10, "l": 4, "h": 10}),
                ("2 levels, n=60, m=2", {"n": 60, "m": 2, "l": 3, "h": 2})]
    for name, values in settings:
        good = check_moves(args.leontief, rng, name, values, lambda rng, n, v=values: whole(rng, n, v["l"], v["h"]), args.plays) and good
    if args.alibaba:
        draw = of_pods(*pods(args.alibaba))
        for n, m in ((150, 10), (150, 20), (50, 10)):
            values = {"workload": "gpu2023", "alibaba": os.path.abspath(args.alibaba), "n": n, "m": m}
            good = check_moves(args.leontief, rng, f"pods of 2023, n={n}, m={m}", values, draw, args.plays) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
