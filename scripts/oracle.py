#!/usr/bin/env python3
"""Allocate one environment with HiGHS and CVXOPT, for comparison with leontief.

    /usr/bin/python3 scripts/oracle.py ENV.json --policy tsf-er

Prints JSON: the policy, its objective (egalitarian rules: the smallest share
of the users that can hold anything; mnw: Σ w·log x over them; linear rules:
their objective) and the tasks of every user. Slow on purpose: every program
is written out in full from the specification.
"""
import argparse
import json
import sys

import numpy as np
import scipy.sparse as sp

from oracle_model import INF, Failure, Region, maximise, read

RAISE = 1e-7  # relative rise of a share that counts as one


# --- normalisers: N[j], in tasks ------------------------------------------------

def eta(env, eligible=False):
    """The optimum of each one-user program, without caps."""
    free = env.copy(tasks=np.full(env.n, INF), eligible=env.eligible if eligible else np.ones_like(env.eligible))
    if (free.reach.sum(axis=0) <= 1).all():
        return _eta_disjoint(free)
    out = np.zeros(env.n)
    for j in range(env.n):
        region = Region(free.only([j]))
        if region.N:
            out[j], _ = maximise(region.scale, region.A, region.b)
    return out


def _eta_disjoint(env):
    gamma = np.where(env.eligible, env.gamma(), 0)
    behind = env.reach.any(axis=0)
    out = gamma[:, ~behind].sum(axis=1)
    for e, c in enumerate(env.link):
        d = env.link_demand[:, e]
        bound = np.where(d > 0, c / np.where(d > 0, d, 1), INF)
        out = out + np.minimum(bound, gamma[:, env.reach[e]].sum(axis=1))
    return out


def dominant(env, links):
    """1/max d/(total capacity) over the resources, and the links if asked."""
    total, d = env.capacity.sum(axis=0), env.base
    if links:
        total, d = np.concatenate([total, env.link]), np.concatenate([d, env.link_demand], axis=1)
    return np.where(d > 0, total / np.where(d > 0, d, 1), INF).min(axis=1, initial=INF)


def single(env, name):
    """Σ_s c[s,r]/d[j,r] for one resource."""
    r = resource(env, name)
    d = env.demand[:, :, r]
    per = np.where(d > 0, env.capacity[None, :, r] / np.where(d > 0, d, 1), INF)
    return per.sum(axis=1)


def resource(env, name):
    return env.resources.index(name)


# --- regions --------------------------------------------------------------------

def split(env, by):
    """Each link divided among its servers beforehand, in proportion α."""
    share = env.count if by == "eq" else env.capacity[:, resource(env, by)]
    link, reach, demand = [], [], []
    for e, c in enumerate(env.link):
        total = share[env.reach[e]].sum()
        for s in np.nonzero(env.reach[e])[0]:
            link.append(c * share[s] / total if total > 0 else 0.0)
            reach.append(np.arange(env.S) == s)
            demand.append(env.link_demand[:, e])
    return env.copy(link=np.array(link), reach=np.array(reach, bool).reshape(len(link), env.S),
                    link_demand=np.array(demand).reshape(len(link), env.n).T)


def split_sum(env):
    """Σ_s min(γ[j,s], α[s]·c[e]/d[j,e]) in a split region."""
    return np.minimum(env.gamma(), env.link_bound()).sum(axis=1)


def pooled(env):
    return env.copy(servers=["pool"], count=np.ones(1), capacity=env.capacity.sum(axis=0, keepdims=True),
                    demand=env.base[:, None, :], reach=np.ones((len(env.link), 1), bool),
                    eligible=env.eligible.any(axis=1, keepdims=True))


# --- rules ----------------------------------------------------------------------

def maxmin(env, norm):
    """Lexicographic max-min of x/(w·norm); users of infinite norm first, by x/w."""
    region = Region(env)
    tasks, frozen = np.zeros(env.n), []
    unseen = np.isinf(norm)
    for group in (unseen, ~unseen & (norm > 0)):
        scale = env.weight * np.where(unseen, 1, norm)
        active = [j for j in np.nonzero(group)[0] if region.most[j] > 0]
        while active:
            g = level(region, active, frozen, tasks, scale)
            stuck = saturated(region, active, frozen, tasks, scale, g)
            for j in stuck:
                tasks[j] = g * scale[j]
            frozen += stuck
            active = [j for j in active if j not in set(stuck)]
    return tasks


def level(region, active, frozen, tasks, scale):
    """The largest g such that every active user can hold g·scale."""
    unit = min(region.most[j] / scale[j] for j in active)
    size = region.most[active]
    rows = sp.diags(1 / size) @ -region.totals[active]
    g = sp.csr_matrix((unit * scale[active] / size)[:, None])
    A, b = hold(region, frozen, tasks)
    A = sp.bmat([[A, None], [rows, g]]).tocsr()
    value, _ = maximise(np.append(np.zeros(region.N), 1), A, np.append(b, np.zeros(len(active))))
    return max(value, 0) * unit


def saturated(region, active, frozen, tasks, scale, g):
    """The active users that cannot exceed g while the others keep it: sums of
    rises are maximised over ever fewer users until nothing rises."""
    left = list(active)
    while left:
        k, size = len(left), region.most[active]
        rows = sp.diags(1 / size) @ -region.totals[active]
        step = np.maximum(g * scale[left] / region.most[left], 1e-3)
        rise = sp.csr_matrix((step, ([active.index(j) for j in left], range(k))), shape=(len(active), k))
        A, b = hold(region, frozen, tasks)
        A = sp.bmat([[A, None], [rows, rise]]).tocsr()
        b = np.append(b, -g * scale[active] / size)
        bounds = [(0, None)] * region.N + [(0, 1)] * k
        c = np.append(np.zeros(region.N), np.ones(k))
        _, y = maximise(c, A, b, bounds)
        rises = y[region.N:]
        if rises.max() <= RAISE:
            return left
        left = [j for j, rise in zip(left, rises) if rise <= RAISE]
    raise Failure(f"no user is frozen at level {g}")


def hold(region, frozen, tasks):
    """χ and x >= tasks for the frozen users."""
    if not frozen:
        return region.A, region.b
    size = region.most[frozen]
    rows = sp.diags(1 / size) @ -region.totals[frozen]
    return sp.vstack([region.A, rows]).tocsr(), np.append(region.b, -tasks[frozen] / size)


def linear(env, values, lower=None, envy=None):
    """max Σ values·x with x >= lower and the envy rows of the pairs in envy;
    returns (objective, tasks)."""
    region = Region(env)
    if region.N == 0:
        return 0.0, np.zeros(env.n)
    A, b = region.A, region.b
    if lower is not None:
        held = [j for j in range(env.n) if lower[j] > 0]
        A, b = hold(region, held, np.asarray(lower))
    if envy:
        A = sp.vstack([A, envy_rows(region, envy)]).tocsr()
        b = np.append(b, np.zeros(len(envy)))
    value, y = maximise(region.totals.T @ np.asarray(values, float), A, b)
    return value, region.totals @ y


def worth(env, j):
    """What a task of each user on each server is worth to j, in tasks of j:
    (w[j]/w[i])·p[j,s]·min d[i,·]/d[j,·]; (n,S)."""
    d = env.demand[j]  # (S,R)
    out = np.where(d[None] > 0, env.demand / np.where(d[None] > 0, d[None], 1), INF).min(axis=2)
    for e in range(len(env.link)):
        if env.link_demand[j, e] > 0:
            ratio = env.link_demand[:, e] / env.link_demand[j, e]
            out = np.where(env.reach[e][None, :], np.minimum(out, ratio[:, None]), out)
    return np.where(env.eligible[j][None, :], out, 0) * (env.weight[j] / env.weight)[:, None]


def envy_rows(region, pairs):
    """u[j](i) - x[j] <= 0 for the pairs (j, i), scaled to a largest entry of 1."""
    env, cache, rows = region.env, {}, []
    columns = [np.nonzero(region.j == j)[0] for j in range(env.n)]
    data, col, ptr = [], [], [0]
    for j, i in pairs:
        if j not in cache:
            cache = {j: worth(env, j)}
        v = cache[j][i, region.s[columns[i]]] * region.scale[columns[i]]
        v = np.concatenate([v, -region.scale[columns[j]]])
        size = np.abs(v).max(initial=0) or 1.0
        data.append(v / size)
        col.append(np.concatenate([columns[i], columns[j]]))
        ptr.append(ptr[-1] + v.size)
    return sp.csr_matrix((np.concatenate(data), np.concatenate(col), ptr), shape=(len(pairs), region.N))


def all_pairs(env):
    return [(j, i) for j in range(env.n) for i in range(env.n) if i != j]


def equal_share(env):
    """ψ[j] = min((w/Σw)·η'[j], n[j])."""
    return np.minimum(env.weight / env.weight.sum() * eta(env, eligible=True), env.tasks)


def cru_parts(env):
    """The values and lower bounds of cru."""
    if np.isfinite(env.tasks).any():
        raise ValueError("cru is defined for unbounded tasks only")
    whole = eta(env)
    return np.where(whole > 0, env.weight / np.where(whole > 0, whole, 1), 0), equal_share(env)


def nash(env):
    """max Σ w·log x by CVXOPT; returns (objective, tasks)."""
    import cvxopt
    region = Region(env)
    able = np.nonzero(region.most > 0)[0]
    if able.size == 0:
        return 0.0, np.zeros(env.n)
    T = region.totals[able].toarray() / region.most[able][:, None]
    w = env.weight[able] / env.weight[able].sum()
    G = cvxopt.matrix(np.vstack([region.A.toarray(), -np.eye(region.N)]))
    h = cvxopt.matrix(np.append(region.b, np.zeros(region.N)))
    start = 0.5 / max(1.0, (region.A @ np.ones(region.N)).max())

    def F(x=None, z=None):
        if x is None:
            return 0, cvxopt.matrix(start, (region.N, 1))
        t = T @ np.array(x).ravel()
        if t.min() <= 0:
            return None
        f, Df = -(w * np.log(t)).sum(), cvxopt.matrix(-((w / t) @ T)[None, :])
        if z is None:
            return f, Df
        return f, Df, cvxopt.matrix(z[0] * (T.T * (w / t**2)) @ T)

    options = {"show_progress": False, "abstol": 1e-12, "reltol": 1e-12, "feastol": 1e-10, "maxiters": 200}
    sol = cvxopt.solvers.cp(F, G, h, options=options)
    y = np.clip(np.array(sol["x"]).ravel(), 0, None)
    y /= max(1.0, (region.A @ y).max())
    tasks = region.totals @ y
    gap = bound(region, able, w, np.array(sol["zl"]).ravel()[:len(region.b)]) - (w * np.log(tasks[able])).sum()
    if not gap <= 1e-6:
        raise Failure(f"CVXOPT ends with a gap of {gap:g} ({sol['status']})")
    return (env.weight[able] * np.log(tasks[able])).sum(), tasks


def bound(region, able, w, prices):
    """Σ w·(log(w/π) - 1) + λ·b, an upper bound of Σ w·log x for any λ >= 0."""
    prices = np.clip(prices, 0, None)
    cost = (region.A.T @ prices) / region.scale
    pi = np.full(region.env.n, INF)
    np.minimum.at(pi, region.j, cost)
    return (w * (np.log(w / pi[able]) - 1)).sum() + prices @ region.b


def per_machine(env):
    """DRF on each server apart among its eligible users; no links, no caps."""
    if len(env.link) or np.isfinite(env.tasks).any():
        raise ValueError("per-machine-drf is compared without links and caps only")
    out = np.zeros(env.n)
    for s in range(env.S):
        one = env.copy(servers=[env.servers[s]], count=env.count[s:s + 1], capacity=env.capacity[s:s + 1],
                       demand=env.demand[:, s:s + 1], base=env.demand[:, s], reach=env.reach[:, s:s + 1],
                       eligible=env.eligible[:, s:s + 1])
        out += maxmin(one, dominant(one, links=False))
    return out


EGALITARIAN = {  # name: (region, normaliser on env, split region)
    "tsf-er": (lambda env: env, lambda env, _: eta(env)),
    "tsf": (lambda env: env, lambda env, _: eta(env)),
    "cdrf": (lambda env: env, lambda env, _: eta(env, eligible=True)),
    "drfh": (lambda env: env, lambda env, _: dominant(env, links=False)),
    "drf-er": (lambda env: env, lambda env, _: dominant(env, links=True)),
    "drf": (pooled, lambda env, _: dominant(env, links=True)),
    "cmmf-cpu": (lambda env: env, lambda env, _: single(env, "cpu")),
    "cmmf-mem": (lambda env: env, lambda env, _: single(env, "mem")),
    "egalitarian": (lambda env: env, lambda env, _: np.ones(env.n)),
}
for _by in ("cpu", "mem", "eq"):
    EGALITARIAN["drf-" + _by] = (lambda env, by=_by: split(env, by), lambda env, _: dominant(env, links=True))
    EGALITARIAN["tsf-" + _by] = (lambda env, by=_by: split(env, by), lambda _, region: split_sum(region))

POLICIES = sorted([*EGALITARIAN, "mnw", "mtp", "utilitarian", "ru", "cru", "eq", "per-machine-drf"])


def egalitarian_program(env, policy):
    """The region and the normaliser of an egalitarian rule."""
    make_region, normalise = EGALITARIAN[policy]
    region = make_region(env)
    return region, normalise(env, region)


def allocate(env, policy):
    """(objective, tasks) of a rule."""
    if policy in EGALITARIAN:
        region, norm = egalitarian_program(env, policy)
        tasks = maxmin(region, norm)
        share = [t / (w * N) for t, w, N in zip(tasks, env.weight, norm) if 0 < N < INF and t > 0]
        return min(share, default=0.0), tasks
    if policy in ("mnw", "mtp"):
        return nash(env)
    if policy in ("utilitarian", "ru"):
        whole = eta(env) if policy == "ru" else np.ones(env.n)
        return linear(env, np.where(whole > 0, env.weight / np.where(whole > 0, whole, 1), 0))
    if policy == "cru":
        values, lower = cru_parts(env)
        return linear(env, values, lower, all_pairs(env))
    tasks = per_machine(env) if policy == "per-machine-drf" else equal_share(env)
    return tasks.sum(), tasks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", help="environment file (JSON)")
    parser.add_argument("--policy", required=True, choices=POLICIES)
    args = parser.parse_args()
    env = read(args.env)
    try:
        objective, tasks = allocate(env, args.policy)
    except (Failure, ValueError) as err:
        sys.exit(f"oracle: {err}")
    users = [{"name": name, "tasks": t} for name, t in zip(env.users, tasks)]
    print(json.dumps({"policy": args.policy, "objective": objective, "users": users}))


if __name__ == "__main__":
    main()
