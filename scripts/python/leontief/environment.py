"""An environment: servers, links and users, as SPEC section 2 writes them in JSON."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

Matrix = List[List[float]]


class Environment:
    """One cluster and its users, read from the JSON of an environment file.

    The symbols are those of docs/model.md. j counts users, s server classes, r
    resources, e links, in the order of the file. A class of ``count`` identical servers
    is one server here, with the capacity of all of them.

    The lists are those of this environment: change none of them. ``env.np`` has them as
    NumPy arrays.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        #: the environment as it was given
        self.data: Mapping[str, Any] = data
        users, servers = data["users"], data["servers"]
        links: Sequence[Mapping[str, Any]] = data.get("links") or []
        self.resources: List[str] = list(data["resources"])
        #: names
        self.users: List[str] = [u["name"] for u in users]
        self.servers: List[str] = [s["name"] for s in servers]
        self.links: List[str] = [e["name"] for e in links]
        #: counts[s]: the identical servers of a class
        self.counts: List[int] = [int(s.get("count", 1)) for s in servers]
        #: capacities[s][r], c[s,r]: of the whole class
        self.capacities: Matrix = [[n * float(c) for c in s["capacity"]] for n, s in zip(self.counts, servers)]
        #: link_capacities[e], c[e]
        self.link_capacities: List[float] = [float(e["capacity"]) for e in links]
        #: reaches[e][s]: whether server s is behind link e
        self.reaches: List[List[bool]] = [_among(self.servers, e.get("servers")) for e in links]
        #: demands[j][r], d[j,r]: of one task, 0 where it needs nothing
        self.demands: Matrix = [[float(d) for d in u["demand"]] for u in users]
        #: link_demands[j][e], d[j,e]
        self.link_demands: Matrix = [[float(d) for d in u.get("link_demand") or [0.0] * len(links)] for u in users]
        #: weights[j], w[j]
        self.weights: List[float] = [float(u.get("weight", 1)) for u in users]
        #: caps[j], n[j]: the tasks submitted, infinite where there is no limit
        self.caps: List[float] = [float(u.get("tasks", math.inf)) for u in users]
        #: eligibility[j][s], p[j,s]: whether j may run on s
        self.eligibility: List[List[bool]] = [_among(self.servers, u.get("servers")) for u in users]

    @classmethod
    def of(
        cls,
        capacities: Sequence[Sequence[float]],
        demands: Sequence[Sequence[float]],
        *,
        link_capacities: Sequence[float] = (),
        link_demands: Optional[Sequence[Sequence[float]]] = None,
        weights: Optional[Sequence[float]] = None,
        eligibility: Optional[Sequence[Sequence[bool]]] = None,
        caps: Optional[Sequence[float]] = None,
    ) -> "Environment":
        """An environment of numbers alone: servers s0, s1, …, resources r0, r1, …, links
        l0, l1, … over all servers, users u0, u1, …"""
        servers = [{"name": "s%d" % s, "capacity": [float(c) for c in row]} for s, row in enumerate(capacities)]
        users: List[Dict[str, Any]] = []
        for j, row in enumerate(demands):
            user: Dict[str, Any] = {"name": "u%d" % j, "demand": [float(d) for d in row]}
            if link_demands is not None:
                user["link_demand"] = [float(d) for d in link_demands[j]]
            if weights is not None:
                user["weight"] = float(weights[j])
            if caps is not None and math.isfinite(caps[j]):
                user["tasks"] = int(caps[j])
            if eligibility is not None and not all(eligibility[j]):
                user["servers"] = ["s%d" % s for s, may in enumerate(eligibility[j]) if may]
            users.append(user)
        data: Dict[str, Any] = {
            "resources": ["r%d" % r for r in range(len(servers[0]["capacity"]))],
            "servers": servers,
            "users": users,
        }
        if len(link_capacities):
            data["links"] = [{"name": "l%d" % e, "capacity": float(c)} for e, c in enumerate(link_capacities)]
        return cls(data)

    @classmethod
    def read(cls, path: str) -> "Environment":
        """The environment in a file."""
        with open(path, encoding="utf-8-sig") as f:
            return cls(json.load(f))

    def demand_on(self, j: int, s: int) -> List[float]:
        """What a task of user j needs on server s: ``demands[j]`` unless the file says
        otherwise (``demand_on``)."""
        other = self.data["users"][j].get("demand_on") or {}
        return [float(d) for d in other.get(self.servers[s], self.demands[j])]

    @property
    def same_everywhere(self) -> bool:
        """Whether every user has the same demand on all servers."""
        return not any(u.get("demand_on") for u in self.data["users"])

    @property
    def total_capacities(self) -> List[float]:
        """Σ_s c[s,r], by resource."""
        return [_total(row[r] for row in self.capacities) for r in range(len(self.resources))]

    @property
    def gamma(self) -> Matrix:
        """γ[j][s]: the tasks of j when it has s to itself, also where it may not run there;
        infinite where it needs nothing of s."""
        return [
            [_fit(self.demand_on(j, s), self.capacities[s]) for s in range(len(self.servers))]
            for j in range(len(self.users))
        ]

    @property
    def eta(self) -> List[float]:
        """η[j]: the tasks of j when it has everything, whatever it may use and has submitted.

        Exact where of two links that reach a server in common one reaches all servers of
        the other; for others :class:`leontief.Unsupported` is raised."""
        order, home, parent = self._tree()
        etas = []
        for j, gamma in enumerate(self.gamma):
            passed = [0.0] * (len(self.links) + 1)  # the last: what no link bounds
            for s, tasks in enumerate(gamma):
                passed[home[s]] += tasks
            for e in order:
                passed[parent[e]] += min(passed[e], _fit([self.link_demands[j][e]], [self.link_capacities[e]]))
            etas.append(passed[-1])
        return etas

    def _tree(self) -> Tuple[List[int], List[int], Dict[int, int]]:
        """The links from the inner ones to the outer, the innermost link of every server, and
        the link around every link; -1 is none."""
        within = [{s for s, reached in enumerate(row) if reached} for row in self.reaches]
        order = sorted(range(len(self.links)), key=lambda e: len(within[e]))
        home = [next((e for e in order if s in within[e]), -1) for s in range(len(self.servers))]
        parent = {}
        for i, e in enumerate(order):
            around = [other for other in order[i + 1:] if within[e] & within[other]]
            if not all(within[e] <= within[other] for other in around):
                from .rules import Unsupported

                raise Unsupported("links that reach some servers in common, and each another one")
            parent[e] = around[0] if around else -1
        return order, home, parent

    @property
    def limits(self) -> List[float]:
        """The capacities in one list: c[s,r] server by server, then c[e]."""
        return [c for row in self.capacities for c in row] + self.link_capacities

    @property
    def usage(self) -> Matrix:
        """What a task takes of each capacity, for solvers: a row a capacity, as in
        :attr:`limits`, and a column for each x[j][s], user by user. An allocation is
        feasible where x ≥ 0, x is 0 where j is not eligible, and usage · x ≤ limits."""
        n, m = len(self.users), len(self.servers)
        on = [[self.demand_on(j, s) for s in range(m)] for j in range(n)]
        rows = [
            [on[j][s][r] if s == of else 0.0 for j in range(n) for s in range(m)]
            for of in range(m) for r in range(len(self.resources))
        ]
        for e, reached in enumerate(self.reaches):
            rows.append([self.link_demands[j][e] if reached[s] else 0.0 for j in range(n) for s in range(m)])
        return rows

    @property
    def np(self) -> "Arrays":
        """The numbers as NumPy arrays: ``env.np.demands`` is ``numpy.array(env.demands)``."""
        return Arrays(self)

    def __repr__(self) -> str:
        return "Environment(%d users, %d servers, %d resources, %d links)" % (
            len(self.users), len(self.servers), len(self.resources), len(self.links))


_ARRAYS = frozenset((
    "caps", "capacities", "counts", "demands", "eligibility", "eta", "gamma", "limits",
    "link_capacities", "link_demands", "reaches", "total_capacities", "usage", "weights"))


class Arrays:
    """The numbers of an environment as NumPy arrays, by the names that they have there.
    Matrices of no links have no rows or columns, and their shape says so."""

    def __init__(self, env: Environment) -> None:
        self._env = env

    def __getattr__(self, name: str) -> Any:
        if name not in _ARRAYS:
            raise AttributeError("an environment has no array %r (there are %s)" % (name, ", ".join(sorted(_ARRAYS))))
        import numpy

        value = numpy.array(getattr(self._env, name))
        if name == "link_demands":
            value = value.reshape(len(self._env.users), len(self._env.links))
        elif name == "reaches":
            value = value.astype(bool).reshape(len(self._env.links), len(self._env.servers))
        return value


def _among(all_names: Sequence[str], named: Optional[Sequence[str]]) -> List[bool]:
    """Which of the names are named; all of them where nothing is said."""
    return [named is None or name in named for name in all_names]


def _total(numbers: Iterable[float]) -> float:
    """Their sum, rounded after each, as leontief does it: that of sum() is rounded once
    from Python 3.12 on."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _fit(demand: Sequence[float], capacity: Sequence[float]) -> float:
    """The tasks that fit where nobody else is."""
    return min((c / d for c, d in zip(capacity, demand) if d > 0), default=math.inf)
