#!/usr/bin/env python3
"""Time leontief's solvers beside GLPK, CLP, HiGHS, Ipopt and CVXOPT.

    /usr/bin/python3 scripts/bench_solvers.py > solvers.md

One run, programs in turn on the same instances (scripts/solverbench), medians
over seeds, milliseconds of processor time (all threads; so that a machine that
is shared favours nobody). Times are taken inside each process: "cold" is
building the program and solving it, "restarted" is one user leaving or coming
back. GLPK and CLP are taken with their primal and dual simplex, the faster of
the two medians counts. HiGHS is timed through SciPy (linprog, the matrix
ready), CVXOPT through its cp. leontief's time includes everything that
Policy.Allocate does. A program whose objective differs by more than 1e-5
relative is marked "wrong". Each program has --limits seconds per size and
instance for at least two solves (four restarted ones, after a cold one); one that
needs longer is not tried again at that size, and the table says "no answer in N s".
"-" is not run, or failed (see standard error). None of these programs is linked
into leontief.
"""
import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

# With several threads NumPy's and CVXOPT's linear algebra waits by spinning, which would count.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    import numpy as np
    import scipy.sparse as sp
    from scipy.optimize import linprog
except ImportError:
    sys.exit("bench_solvers: SciPy is missing here. Run scripts/install-oracles.sh and use /usr/bin/python3.")

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = {"glpk": ["-lglpk"], "clp": ["-lClp", "-lCoinUtils", "-lstdc++"], "ipopt": ["-lipopt"]}
SIMPLEX = ("primal", "dual")


def build(folder, partial):
    missing = []
    subprocess.run(["go", "build", "-o", os.path.join(folder, "solverbench"), "./scripts/solverbench"],
                   cwd=os.path.dirname(HERE), check=True)
    for name, libs in NATIVE.items():
        source = os.path.join(HERE, "solverbench", "native", name + ".c")
        done = subprocess.run(["gcc", "-O2", "-o", os.path.join(folder, name), source, *libs, "-lm"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            missing.append(name)
    if missing and not partial:
        sys.exit(f"bench_solvers: no {', '.join(missing)} here: run make oracles as root, or go on without them by --partial")
    if missing:
        print(f"note: without {', '.join(missing)}", file=sys.stderr)


class Bench:
    """The measurements of one size: name -> list of (ms, objective)."""

    def __init__(self, folder, users, servers, budget, limit):
        self.folder, self.users, self.servers, self.budget, self.limit = folder, users, servers, budget, limit
        self.results = {}
        self.late = set()

    def add(self, key, ms, objective):
        self.results.setdefault(key, []).append((ms, objective))

    def give_up(self, key):
        self.late.add(key)
        print(f"note: {key}: no answer in {self.limit:g} s", file=sys.stderr)

    def run(self, key, name, *args):
        """One process that prints milliseconds and objective."""
        path = os.path.join(self.folder, name)
        if key in self.late or not os.path.exists(path):
            return
        try:
            done = subprocess.run([path, *map(str, args)], capture_output=True, text=True, check=False, timeout=self.limit)
        except subprocess.TimeoutExpired:
            self.give_up(key)
            return
        if done.returncode != 0:
            print(f"note: {key}: {done.stderr.strip()[-200:]}", file=sys.stderr)
            return
        ms, objective = map(float, done.stdout.split())
        self.add(key, ms, objective)

    def leontief(self, key, policy, seed, *more):
        self.run(key, "solverbench", "time", "--users", self.users, "--servers", self.servers, "--seed", seed,
                 "--policy", policy, "--budget", f"{self.budget}ms", *more)

    def write(self, program, seed):
        path = os.path.join(self.folder, "program.txt")
        subprocess.run([os.path.join(self.folder, "solverbench"), "write", "--program", program, "--users",
                        str(self.users), "--servers", str(self.servers), "--seed", str(seed), "--out", path], check=True)
        return path

    def max_min(self, seed):
        self.leontief(("tsf-er cold", "leontief"), "tsf-er", seed)
        self.leontief(("tsf-er restarted", "leontief"), "tsf-er", seed, "--restart")
        path = self.write("tsf-er", seed)
        for name in ("glpk", "clp"):
            for method in SIMPLEX:
                cold, again = ("tsf-er cold", f"{name} {method}"), ("tsf-er restarted", f"{name} {method}")
                self.run(cold, name, path, "cold", self.budget, method)
                if cold in self.late:
                    self.late.add(again)  # which begins with a cold solve
                self.run(again, name, path, "restart", self.budget, method)
        self.highs("tsf-er cold", path)

    def cru(self, seed):
        self.leontief(("cru", "leontief"), "cru", seed)
        self.leontief(("cru restarted", "leontief"), "cru", seed, "--restart")
        path = self.write("cru", seed)
        for name in ("glpk", "clp"):
            for method in SIMPLEX:
                self.run(("cru", f"{name} {method}"), name, path, "cold", self.budget, method)
        self.highs("cru", path)

    def nash(self, seed, cvxopt):
        self.leontief(("mnw", "leontief"), "mnw", seed)
        self.leontief(("mnw restarted", "leontief"), "mnw", seed, "--restart")
        path = self.write("nash", seed)
        self.run(("mnw", "ipopt"), "ipopt", path, self.budget)
        if cvxopt:
            self.cvxopt(path)

    def highs(self, what, path):
        key = (what, "highs")
        if key in self.late:
            return
        c, lo, hi, A, _ = load(path)
        keep_hi, keep_lo = hi < 1e29, lo > -1e29
        ub = sp.vstack([A[keep_hi], -A[keep_lo]]).tocsr()
        rhs = np.append(hi[keep_hi], -lo[keep_lo])
        options = {"time_limit": self.limit / 2}
        before = time.process_time()
        ms, value = repeat(lambda: solved(linprog(-c, A_ub=ub, b_ub=rhs, method="highs", options=options)), self.budget)
        if value is not None:
            self.add(key, ms, value)
        elif time.process_time() - before >= self.limit / 2:
            self.give_up(key)

    def cvxopt(self, path):
        try:
            import cvxopt
        except ImportError:
            return
        _, _, hi, A, (users, servers) = load(path)
        n = users * servers
        T = np.kron(np.eye(users), np.ones(servers))
        start = 0.5 / (A @ np.ones(n)).max()
        coo = sp.vstack([A, -sp.identity(n)]).tocoo()
        h = cvxopt.matrix(np.append(hi, np.zeros(n)))

        def solve():
            G = cvxopt.spmatrix(coo.data.tolist(), coo.row.tolist(), coo.col.tolist(), coo.shape)

            def F(x=None, z=None):
                if x is None:
                    return 0, cvxopt.matrix(start, (n, 1))
                t = T @ np.array(x).ravel()
                if t.min() <= 0:
                    return None
                f, Df = -np.log(t).sum(), cvxopt.matrix(-((1 / t) @ T)[None, :])
                if z is None:
                    return f, Df
                return f, Df, cvxopt.matrix(z[0] * (T.T / t**2) @ T)

            sol = cvxopt.solvers.cp(F, G, h, options={"show_progress": False})
            return np.log(T @ np.array(sol["x"]).ravel()).sum()

        ms, value = repeat(solve, self.budget)
        self.add(("mnw", "cvxopt"), ms, value)


def load(path):
    """c, lo, hi, A and (users, servers) of a program file."""
    with open(path, encoding="ascii") as f:
        rows, cols, entries, users, servers = map(int, f.readline().split())
        data = np.array(f.read().split(), float)
    c, bounds = data[:cols], data[cols:cols + 2 * rows].reshape(rows, 2)
    e = data[cols + 2 * rows:].reshape(entries, 3)
    A = sp.csr_matrix((e[:, 2], (e[:, 0].astype(int), e[:, 1].astype(int))), shape=(rows, cols))
    return c, bounds[:, 0], bounds[:, 1], A, (users, servers)


def solved(res):
    return -res.fun if res.status == 0 else None


def repeat(f, budget):
    """The median milliseconds of f for about budget ms, and its last value."""
    times, start = [], time.process_time()
    while len(times) < 2 or (time.process_time() - start) * 1e3 < budget:
        before = time.process_time()
        value = f()
        times.append((time.process_time() - before) * 1e3)
        if value is None:
            break
    return statistics.median(times), value


def cell(bench, key, reference):
    """The median over seeds; "wrong" where an objective is off."""
    runs = bench.results.get(key)
    if not runs:
        return None, f"no answer in {bench.limit:g} s" if key in bench.late else "-"
    ms = statistics.median(r[0] for r in runs)
    if len(runs) != len(reference):
        return None, f"{ms:.3g} ({len(runs)} of {len(reference)})"
    off = [abs(r[1] - v) > 1e-5 * max(abs(v), 1e-9) for r, v in zip(runs, reference)]
    if any(off):
        return None, f"wrong ({sum(off)} of {len(off)})"
    return ms, f"{ms:.3g}"


def report(benches, seeds):
    heads = [f"({b.users}, {b.servers})" for b in benches]
    print("| program |", " | ".join(heads), "|")
    print("|---" * (len(benches) + 1) + "|")
    for what in ("tsf-er cold", "tsf-er restarted", "mnw", "mnw restarted", "cru", "cru restarted"):
        names = sorted({k[1] for b in benches for k in {*b.results, *b.late} if k[0] == what}, key=lambda n: (n != "leontief", n))
        best, ours = [math.inf] * len(benches), [None] * len(benches)
        for name in names:
            cells = []
            for i, b in enumerate(benches):
                ms, text = cell(b, (what, name), reference(b, what))
                cells.append(text)
                if ms is not None and name == "leontief":
                    ours[i] = ms
                elif ms is not None:
                    best[i] = min(best[i], ms)
            print(f"| {what}: {name} |", " | ".join(cells), "|")
        if len(names) > 1:
            ratio = [f"{b / o:.3g}×" if o and b < math.inf else "-" for b, o in zip(best, ours)]
            print(f"| **{what}: fastest other / leontief** |", " | ".join(ratio), "|")
    print(f"\nMedians over seeds 1…: {', '.join(f'{h} {s}' for h, s in zip(heads, seeds))}.")


def reference(bench, what):
    """The objectives of the first independent program that solved all seeds."""
    for name in ("glpk dual", "glpk primal", "clp dual", "clp primal", "highs", "ipopt", "cvxopt", "leontief"):
        runs = bench.results.get((what, name), [])
        if len(runs) == max((len(v) for k, v in bench.results.items() if k[0] == what), default=0):
            return [r[1] for r in runs]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="20x3,100x20,1000x20,1000x100")
    parser.add_argument("--seeds", default="10,10,3,1", help="number of seeds per size")
    parser.add_argument("--budget", type=int, default=200, help="milliseconds per program and instance, at least two solves")
    parser.add_argument("--limits", default="60,60,120,120", help="seconds per program and instance, for each size")
    parser.add_argument("--cru-users", type=int, default=100, help="largest number of users for cru")
    parser.add_argument("--cvxopt-columns", type=int, default=2000, help="largest program for CVXOPT")
    parser.add_argument("--partial", action="store_true", help="go on without the solvers that are not installed")
    args = parser.parse_args()
    sizes = [tuple(map(int, s.split("x"))) for s in args.sizes.split(",")]
    seeds = [int(s) for s in args.seeds.split(",")]
    limits = [float(s) for s in args.limits.split(",")]
    if not len(seeds) == len(limits) == len(sizes):
        parser.error("as many --seeds and --limits as --sizes")
    with tempfile.TemporaryDirectory() as folder:
        build(folder, args.partial)
        benches = []
        for (users, servers), count, limit in zip(sizes, seeds, limits):
            bench = Bench(folder, users, servers, args.budget, limit)
            for seed in range(1, count + 1):
                bench.max_min(seed)
                bench.nash(seed, users * servers <= args.cvxopt_columns)
                if users <= args.cru_users:
                    bench.cru(seed)
                print(f"({users}, {servers}): seed {seed} of {count}", file=sys.stderr)
            benches.append(bench)
        report(benches, seeds)


if __name__ == "__main__":
    main()
