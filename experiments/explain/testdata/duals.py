"""Checks explanations against HiGHS (scipy.optimize.linprog), from the two JSON forms alone.

Standard input has a line for each environment:
    {"environment": …, "explanation": …, "floors": [what each user keeps, by the user explained],
     "envy_free": whether the rule admits no envy, "welfare": {"value": […], "lower": […]}}
Every user that is limited by shares, by others or by envy has the linear program of its
limits solved, with all rows against envy where the rule admits none: its optimum, the prices
and what they prove are compared. Where the optimum of the primal is not degenerate the dual
has one solution, and prices must be equal. With a welfare, the rule's own program is
compared in the same way, from the prices of the capacities and of the rows against envy.
Prints one line of JSON: how many users and prices were compared, and what differs.
"""
import json
import sys

import numpy as np
from scipy.optimize import linprog


class Cluster:
    def __init__(self, env):
        self.env = env
        self.servers = {s["name"]: i for i, s in enumerate(env["servers"])}
        self.R = len(env["resources"])
        self.S = len(env["servers"])
        self.links = env.get("links", [])
        self.K = self.S * self.R + len(self.links)
        self.capacity = [c * s.get("count", 1) for s in env["servers"] for c in s["capacity"]]
        self.capacity += [link["capacity"] for link in self.links]

    def takes(self, user, s):
        """What a task takes of every capacity on server s."""
        row = np.zeros(self.K)
        name = self.env["servers"][s]["name"]
        row[s * self.R:(s + 1) * self.R] = user.get("demand_on", {}).get(name, user["demand"])
        for e, link in enumerate(self.links):
            if name in link.get("servers", list(self.servers)):
                row[self.S * self.R + e] = user.get("link_demand", [0] * len(self.links))[e]
        return row

    def columns(self):
        """Pairs of user and server that can host it, with what a task takes."""
        out = []
        for j, user in enumerate(self.env["users"]):
            for s, server in enumerate(self.env["servers"]):
                takes = self.takes(user, s)
                if server["name"] in user.get("servers", list(self.servers)) and \
                        all(c > 0 for d, c in zip(takes, self.capacity) if d > 0):
                    out.append((j, s, takes))
        return out

    def row(self, entry):
        if "link" in entry:
            return self.S * self.R + [link["name"] for link in self.links].index(entry["link"])
        return self.servers[entry["server"]] * self.R + self.env["resources"].index(entry["resource"])


    def worth(self, v, u, s):
        """What a task of user u on server s is worth to user v, in tasks of v."""
        envier, envied = self.env["users"][v], self.env["users"][u]
        if self.env["servers"][s]["name"] not in envier.get("servers", list(self.servers)):
            return 0.0
        need, have = self.takes(envier, s), self.takes(envied, s)
        return min(h / n for h, n in zip(have, need) if n > 0) * envier.get("weight", 1) / envied.get("weight", 1)

    def envy_rows(self, columns):
        """Pairs of users with the row u[v](bundle of u) - x[v] <= 0."""
        n = len(self.env["users"])
        out = []
        for v in range(n):
            for u in range(n):
                if u != v:
                    row = [self.worth(v, u, s) if i == u else -1.0 if i == v else 0.0 for i, s, _ in columns]
                    out.append((v, u, np.array(row)))
        return out


def tight(who, entries, seen):
    for r in entries:
        if abs(r["worth"] - r["has"]) > 1e-9 * r["has"]:
            seen["wrong"].append("%s: the row of %s against envy of %s is not tight" % (who, r["envier"], r["envied"]))


def costs(cluster, columns, price, against, entries):
    """What a task of each user costs at least."""
    names = [u["name"] for u in cluster.env["users"]]
    each = np.array([price @ t for _, _, t in columns])
    for r in entries:
        v, u = names.index(r["envier"]), names.index(r["envied"])
        each += r["price"] * next(row for i, k, row in against if (i, k) == (v, u))
    least = {}
    for (i, _, _), c in zip(columns, each):
        least[i] = min(least.get(i, np.inf), c)
    return least


def welfare(cluster, columns, against, explanation, value, lower, seen):
    """Compares the rule's own program."""
    price = np.array([c["price"] for c in explanation["capacities"]])
    entries = explanation.get("envy_rows", [])
    tight("welfare", entries, seen)
    seen["envy"] += len(entries)
    cost = costs(cluster, columns, price, against, entries)
    has = sum(v * u["tasks"] for v, u in zip(value, explanation["users"]))
    proved = price @ cluster.capacity
    for i, c in cost.items():
        if c < value[i] * (1 - 1e-8):
            seen["wrong"].append("welfare: a task of user %d costs %g, less than its value %g" % (i, c, value[i]))
        proved -= (c - value[i]) * lower[i]
    A = np.array([t for _, _, t in columns]).T
    b = np.array(cluster.capacity)
    G = [[-1.0 if c[0] == i else 0.0 for c in columns] for i in cost]
    unit = np.where(b > 0, b, 1)
    lp = linprog([-value[c[0]] for c in columns], A_ub=np.vstack([A / unit[:, None], G] + [row for _, _, row in against]),
                 b_ub=np.concatenate([b / unit, [-lower[i] for i in cost], np.zeros(len(against))]), method="highs")
    if lp.status != 0:
        seen["unsolved"] += 1
        return
    for what, v in [("what it has", has), ("what the prices prove", proved)]:
        if abs(v + lp.fun) > 1e-6 * abs(lp.fun):
            seen["wrong"].append("welfare: %s %.10g, HiGHS %.10g" % (what, v, -lp.fun))
    seen["welfares"] += 1


def compare(cluster, columns, against, users, j, floors, seen):
    user = users[j]
    rows = [i for i, f in enumerate(floors) if f > 0]
    A = np.array([t for _, _, t in columns]).T
    b = np.array(cluster.capacity)
    G = np.array([[-1.0 if c[0] == i else 0.0 for c in columns] for i in rows]).reshape(len(rows), len(columns))
    E = np.array([row for _, _, row in against]).reshape(len(against), len(columns))
    value = np.array([1.0 if c[0] == j else 0.0 for c in columns])
    unit = np.where(b > 0, b, 1)
    lp = linprog(-value, A_ub=np.vstack([A / unit[:, None], G, E]),
                 b_ub=np.concatenate([b / unit, [-floors[i] for i in rows], np.zeros(len(against))]), method="highs")
    if lp.status != 0:
        seen["unsolved"] += 1
        return
    best = -lp.fun
    scale = max(best, 1e-6)
    price = np.zeros(cluster.K)
    for entry in user["limits"]["used_up"]:
        price[cluster.row(entry)] = entry["price"]
        if entry["unused"] > 1e-9:
            seen["wrong"].append("%s: %s is not used up" % (user["user"], entry["capacity"]))
    entries = user["limits"].get("envy_rows", [])
    tight(user["user"], entries, seen)
    cost = costs(cluster, columns, price, against, entries)
    if against and min(cost.values()) < -1e-9:
        seen["wrong"].append("%s: a task costs %g" % (user["user"], min(cost.values())))
    proved = price @ b - sum(cost[i] * floors[i] for i in rows)
    for what, v in [("tasks", user["tasks"]), ("bound", user["limits"]["bound"]), ("what the prices prove", proved)]:
        if abs(v - best) > 1e-6 * scale:
            seen["wrong"].append("%s: %s %.10g, HiGHS %.10g" % (user["user"], what, v, best))
    if cost[j] < 1 - 1e-9:
        seen["wrong"].append("%s: its own cost is %g" % (user["user"], cost[j]))
    seen["users"] += 1
    positive = (lp.x > 1e-7 * scale).sum() + (lp.slack > 1e-7).sum()
    if positive < len(b) + len(rows) + len(against):
        return  # degenerate: the dual may have other solutions
    theirs = -lp.ineqlin.marginals[:cluster.K] / unit
    for k in range(cluster.K):
        seen["unique"] += price[k] > 0
        if abs(theirs[k] - price[k]) * unit[k] > 1e-6 * max(1, scale, price[k] * unit[k]):
            seen["wrong"].append("%s: price %d is %.10g, HiGHS %.10g" % (user["user"], k, price[k], theirs[k]))
    names = [u["user"] for u in users]
    ours = {(names.index(r["envier"]), names.index(r["envied"])): r["price"] for r in entries}
    for (v, u, _), theirs in zip(against, -lp.ineqlin.marginals[cluster.K + len(rows):]):
        seen["unique"] += (v, u) in ours
        if abs(theirs - ours.get((v, u), 0)) > 1e-6 * max(1, theirs):
            seen["wrong"].append("%s: the price of envy %d of %d is %.10g, HiGHS %.10g" % (user["user"], v, u, ours.get((v, u), 0), theirs))


def main():
    rules = {}
    for line in sys.stdin:
        case = json.loads(line)
        seen = rules.setdefault(case["rule"], {"users": 0, "unique": 0, "unsolved": 0, "envious": 0, "welfares": 0, "envy": 0, "wrong": []})
        cluster, users = Cluster(case["environment"]), case["explanation"]["users"]
        columns = cluster.columns()
        if not columns:
            continue  # nobody can be hosted
        against = cluster.envy_rows(columns) if case.get("envy_free") else []
        if case.get("welfare"):
            welfare(cluster, columns, against, case["explanation"], case["welfare"]["value"], case["welfare"]["lower"], seen)
        for j, user in enumerate(users):
            if user["limits"]["by"] in ("shares", "others", "envy"):
                seen["envious"] += user["limits"]["by"] == "envy"
                compare(cluster, columns, against, users, j, case["floors"][j], seen)
    for seen in rules.values():
        seen["unique"] = int(seen["unique"])
    print(json.dumps(rules))


main()
