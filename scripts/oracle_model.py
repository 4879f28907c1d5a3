"""The environment of leontief's JSON format as arrays, and its feasible region.

Written from the specification alone; shares no code with leontief. Symbols:
n users j, S server classes s, R resources r, E links e.
"""
import json
import math
import sys

try:
    import numpy as np
    import scipy.sparse as sp
    from scipy.optimize import linprog
except ImportError:
    sys.exit("oracle: SciPy is missing here. Run scripts/install-oracles.sh and use /usr/bin/python3.")

INF = math.inf


class Env:
    """capacity (S,R), count (S), link (E), reach (E,S), demand (n,S,R), base
    (n,R), link_demand (n,E), weight, tasks (n), eligible (n,S)."""

    def __init__(self, raw):
        self.raw = raw
        self.resources = raw["resources"]
        self.servers = [s["name"] for s in raw["servers"]]
        self.users = [u["name"] for u in raw["users"]]
        at = {name: s for s, name in enumerate(self.servers)}
        S, R, n = len(self.servers), len(self.resources), len(self.users)
        links = raw.get("links", [])
        self.count = np.array([s.get("count", 1) for s in raw["servers"]], float)
        self.capacity = np.array([s["capacity"] for s in raw["servers"]], float).reshape(S, R) * self.count[:, None]
        self.link = np.array([e["capacity"] for e in links], float)
        self.reach = np.array([_mask(e.get("servers"), at, S) for e in links], bool).reshape(len(links), S)
        self.base = np.array([u["demand"] for u in raw["users"]], float).reshape(n, R)
        self.demand = np.repeat(self.base[:, None, :], S, axis=1)
        for j, u in enumerate(raw["users"]):
            for name, d in u.get("demand_on", {}).items():
                self.demand[j, at[name]] = d
        zero = [0.0] * len(links)
        self.link_demand = np.array([u.get("link_demand", zero) for u in raw["users"]], float).reshape(n, len(links))
        self.weight = np.array([u.get("weight", 1) for u in raw["users"]], float)
        self.tasks = np.array([u.get("tasks", INF) for u in raw["users"]], float)
        self.eligible = np.array([_mask(u.get("servers"), at, S) for u in raw["users"]], bool).reshape(n, S)

    @property
    def n(self):
        return len(self.users)

    @property
    def S(self):
        return len(self.servers)

    def copy(self, **changes):
        other = object.__new__(Env)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other

    def only(self, users):
        """The environment with only these users (indices)."""
        return self.copy(users=[self.users[j] for j in users], base=self.base[users], demand=self.demand[users],
                         link_demand=self.link_demand[users], weight=self.weight[users],
                         tasks=self.tasks[users], eligible=self.eligible[users])

    def gamma(self):
        """γ[j,s] = min over r with d > 0 of c/d; eligibility and links aside."""
        return _least(self.capacity[None, :, :], self.demand, 2)

    def link_bound(self):
        """min over the links that reach s of c[e]/d[j,e]; (n,S)."""
        out = np.full((self.n, self.S), INF)
        for e, c in enumerate(self.link):
            d = self.link_demand[:, e]
            bound = np.where(d > 0, c / np.where(d > 0, d, 1), INF)
            out = np.where(self.reach[e][None, :], np.minimum(out, bound[:, None]), out)
        return out


def _mask(names, at, S):
    if names is None:
        return [True] * S
    mask = [False] * S
    for name in names:
        mask[at[name]] = True
    return mask


def _least(c, d, axis):
    return np.where(d > 0, c / np.where(d > 0, d, 1), INF).min(axis=axis, initial=INF)


def read(path):
    with open(path, encoding="utf-8") as f:
        return Env(json.load(f))


class Region:
    """χ of an Env in scaled columns: x[j,s] = scale·y, 0 <= y <= 1."""

    def __init__(self, env):
        self.env = env
        alone = np.where(env.eligible, np.minimum(env.gamma(), env.link_bound()), 0)
        alone = np.minimum(alone, env.tasks[:, None])
        if np.isinf(alone).any():
            raise ValueError("a user needs nothing of a server that it may use: unbounded")
        self.j, self.s = np.nonzero(alone)
        self.scale = alone[self.j, self.s]
        self.N = len(self.j)
        self.totals = sp.csr_matrix((self.scale, (self.j, np.arange(self.N))), shape=(env.n, self.N))
        self.most = alone.max(axis=1, initial=0)
        self.A, self.b = self._rows()

    def _rows(self):
        env, k = self.env, np.arange(self.N)
        rows, rhs = [], []
        for s in range(env.S):
            for r in range(len(env.resources)):
                if env.capacity[s, r] > 0:
                    here = self.s == s
                    v = env.demand[self.j[here], s, r] * self.scale[here] / env.capacity[s, r]
                    rows.append(sp.csr_matrix((v, (np.zeros(v.size, int), k[here])), shape=(1, self.N)))
                    rhs.append(1.0)
        for e, c in enumerate(env.link):
            if c > 0:
                v = np.where(env.reach[e][self.s], env.link_demand[self.j, e], 0) * self.scale / c
                rows.append(sp.csr_matrix(v[None, :]))
                rhs.append(1.0)
        for j in np.nonzero(np.isfinite(env.tasks) & (self.most > 0))[0]:
            rows.append(self.totals[j] / env.tasks[j])
            rhs.append(1.0)
        A = sp.vstack(rows).tocsr() if rows else sp.csr_matrix((0, self.N))
        A.eliminate_zeros()
        return A, np.array(rhs)


class Failure(Exception):
    """An LP that HiGHS did not solve."""


def maximise(c, A, b, bounds=(0, None), options=None):
    """max c·y, A·y <= b by HiGHS with tight tolerances; returns (value, y)."""
    value, y, _ = maximise_priced(c, A, b, bounds, options)
    return value, y


def maximise_priced(c, A, b, bounds=(0, None), options=None):
    """As maximise; returns (value, y, prices of the rows)."""
    opts = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    opts.update(options or {})
    size = np.abs(c).max() or 1.0
    res = linprog(-np.asarray(c) / size, A_ub=A, b_ub=b, bounds=bounds, method="highs", options=opts)
    if res.status != 0:
        raise Failure(res.message)
    return -res.fun * size, res.x, -res.ineqlin.marginals * size
