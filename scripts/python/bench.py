"""Times rules on the small benchmark instances: 20 users, 3 servers, a link.

    python3 scripts/python/bench.py stream tsf-er mnw   # allocate --stream, allocate_many
    python3 scripts/python/bench.py solvers             # the same programs, built and solved each time by SciPy and CVXOPT
    python3 scripts/python/bench.py calls               # what a rule that is a program costs beside the same rule in leontief
    python3 scripts/python/bench.py alpha               # alpha_fair.py and alpha.py on random environments

Processor time is that of all processes and hardly depends on what else runs; the load is shown.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import runpy
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple
from unittest import mock

import leontief

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "examples", "rules")


def instances(n: int, users: int = 20) -> Iterator[leontief.Environment]:
    """Servers (1,1), (1.7,0.3), (0.3,1.7); demands log-uniform in [0.001, 0.5], that of the
    link divided by the total of the first resource."""
    r = random.Random(1)

    def demand() -> float:
        return math.exp(r.uniform(math.log(0.001), math.log(0.5)))

    for _ in range(n):
        yield leontief.Environment.of([[1, 1], [1.7, 0.3], [0.3, 1.7]], [[demand(), demand()] for _ in range(users)],
                                      link_capacities=[1], link_demands=[[demand() / 3] for _ in range(users)])


def processor() -> float:
    """The seconds of this process and those that it has waited for."""
    return sum(os.times()[:4])


def stream(policies: Sequence[str], n: int = 5000) -> None:
    with tempfile.TemporaryFile() as lines:
        for env in instances(n):
            lines.write(json.dumps(env.data).encode() + b"\n")
        for policy in policies or ["tsf-er", "mnw"]:
            for workers in sorted({1, os.cpu_count() or 1}):
                lines.seek(0)
                before, start = processor(), time.perf_counter()
                subprocess.run([leontief.binary(), "allocate", "--stream", "--policy", policy, "--workers", str(workers)],
                               stdin=lines, stdout=subprocess.DEVNULL, check=True)
                report("%s, allocate --stream, %d workers" % (policy, workers), n, before, start)
            before, start = processor(), time.perf_counter()
            for _ in leontief.allocate_many(instances(n), policy):
                pass
            report("%s, allocate_many" % policy, n, before, start)


def report(what: str, n: int, before: float, start: float) -> None:
    print("%-36s %8.0f a second, %7.3f ms of processor time each" % (what, n / (time.perf_counter() - start), 1e3 * (processor() - before) / n), flush=True)


def function(rule: str, *arguments: str) -> Callable[[leontief.Environment], Any]:
    """The function of a rule in docs/examples/rules."""
    with mock.patch.object(leontief, "main"), mock.patch.object(sys, "argv", [rule, *arguments]):
        names = runpy.run_path(os.path.join(RULES, rule))
    return next(value for value in names.values() if isinstance(value, leontief.Rule))


def rounds(solve: Callable[..., Tuple[Any, Any]]) -> Callable[[leontief.Environment], Any]:
    """tsf-er as one would write it down: the largest smallest share, then that of the users
    that are not held down by the prices, and so on. solve(c, rows, limits) minimises c·z over
    rows·z ≤ limits, z ≥ 0, and returns z and the prices of the rows."""

    def rule(env: leontief.Environment) -> Any:
        import numpy as np

        users, servers = len(env.users), len(env.servers)
        usage = env.np.usage * np.repeat(env.np.eta, servers) / env.np.limits[:, None]
        level: List[float] = [math.nan] * users
        while any(math.isnan(s) for s in level):
            own = np.repeat(-np.eye(users), servers, axis=1)  # share ≥ level, or ≥ t
            free = np.array([math.isnan(s) for s in level])
            rows = np.block([[usage, np.zeros((len(usage), 1))], [own, free[:, None]]])
            limits = np.append(np.ones(len(usage)), [0.0 if math.isnan(s) else -s * (1 - 1e-9) for s in level])
            z, prices = solve(np.append(np.zeros(users * servers), -1.0), rows, limits)
            held = free & (prices[len(usage):] > 1e-6)
            for j in np.flatnonzero(held if held.any() else free):
                level[j] = z[-1]
        return z[:-1].reshape(users, servers) * env.np.eta[:, None]

    return rule


def highs(c: Any, rows: Any, limits: Any) -> Tuple[Any, Any]:
    from scipy.optimize import linprog

    found = linprog(c, rows, limits)
    return found.x, -found.ineqlin.marginals


def cvxopt(c: Any, rows: Any, limits: Any) -> Tuple[Any, Any]:
    import numpy as np
    from cvxopt import matrix, solvers

    solvers.options["show_progress"] = False
    found = solvers.lp(matrix(c), matrix(np.vstack([rows, -np.eye(len(c))])), matrix(np.append(limits, np.zeros(len(c)))))
    return np.array(found["x"]).ravel(), np.array(found["z"]).ravel()[:len(limits)]


def solvers(n: int = 200) -> None:
    """Programs that are built and solved for one environment after the other, as with CVXPY."""
    twins: Dict[str, List[Tuple[str, Callable[[leontief.Environment], Any]]]] = {
        "tsf-er": [("SciPy (HiGHS), a program a round", rounds(highs)), ("CVXOPT, a program a round", rounds(cvxopt))],
        "mnw": [("SciPy (SLSQP), mnw_scipy.py", function("mnw_scipy.py")), ("CVXOPT, mnw_cvxopt.py", function("mnw_cvxopt.py"))],
    }
    for policy, rules in twins.items():
        envs = list(instances(n))
        native = list(leontief.allocate_many(envs, policy))
        for name, rule in rules:
            before, start = processor(), time.perf_counter()
            found = [rule(env) for env in envs]
            report(policy + ", " + name, n, before, start)
            off = max(abs(sum(row) / user["tasks"] - 1) for x, a in zip(found, native) for row, user in zip(x, a["users"]))
            print("%36s tasks within %.1g of leontief's" % ("", off))


def calls() -> None:
    """The processor time of allocations by tsf-er, less that by a program of the same rule, and
    what its function takes of it."""
    native = os.path.join(RULES, "native.py")
    with mock.patch.object(sys, "argv", [native, "tsf-er"]), mock.patch.object(sys, "stdin", []):
        alone = runpy.run_path(native)["alone"]
    rule = "mine=%s %s tsf-er" % (sys.executable, native)
    for users, n in ((20, 2000), (1000, 60)):
        took = {}
        with tempfile.TemporaryFile() as lines:
            for env in instances(n, users):
                lines.write(json.dumps(env.data).encode() + b"\n")
            for policy in ("tsf-er", "mine", "tsf-er", "mine", "tsf-er", "mine"):
                lines.seek(0)
                before = processor()
                subprocess.run([leontief.binary(), "allocate", "--stream", "--workers", "1", "--policy", policy, "--rule", rule],
                               stdin=lines, stdout=subprocess.DEVNULL, check=True)
                took[policy] = min(took.get(policy, math.inf), processor() - before)
        before = processor()
        for env in instances(n, users):
            pass
        made = processor() - before
        before = processor()
        for env in instances(n, users):
            for user in env.data["users"]:
                alone(user, env.data)
        own = processor() - before - made
        print("%4d users: %.3f ms of processor time by tsf-er, %.3f by the program, whose function takes %.3f: the call costs %.3f"
              % (users, *(1e3 / n * s for s in (took["tsf-er"], took["mine"], own, took["mine"] - took["tsf-er"] - own))))


def alpha(n: int = 200) -> None:
    """How long α-fairness takes, and how often an answer is not certified."""
    from tests.common import environments

    envs = environments(n, seed=7)
    for rule, exponent in itertools.product(["alpha_fair.py", "alpha.py"], ["0.3", "0.5", "0.8", "0.99", "2", "4", "8", "16"]):
        of, refused = function(rule, exponent), 0
        before, start = processor(), time.perf_counter()
        for env in envs:
            try:
                of(env)
            except (leontief.Unsupported, ArithmeticError):
                refused += 1
        report("%s, α = %s, %d refused" % (rule, exponent, refused), n, before, start)


def main() -> None:
    warnings.simplefilter("ignore")
    what = sys.argv[1] if len(sys.argv) > 1 else "stream"
    print("load %.1f %.1f %.1f, %d processors" % (*os.getloadavg(), os.cpu_count() or 1))
    if what == "solvers":
        solvers()
    elif what == "alpha":
        alpha()
    elif what == "calls":
        calls()
    elif what == "stream":
        stream(sys.argv[2:])
    else:
        sys.exit(__doc__)
    print("load %.1f %.1f %.1f" % os.getloadavg())


if __name__ == "__main__":
    main()
