"""Checks explanations against HiGHS (scipy.optimize.linprog), from the two JSON forms alone.

Standard input has a line for each environment:
    {"environment": …, "explanation": …, "floors": [what each user keeps, by the user explained]}
Every user that is limited by shares or by others has the linear program of its limits
solved: its optimum, the prices and what they prove are compared. Where the optimum of the
primal is not degenerate the dual has one solution, and prices must be equal.
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


def compare(cluster, columns, users, j, floors, seen):
    user = users[j]
    rows = [i for i, f in enumerate(floors) if f > 0]
    A = np.array([t for _, _, t in columns]).T
    b = np.array(cluster.capacity)
    G = np.array([[-1.0 if c[0] == i else 0.0 for c in columns] for i in rows]).reshape(len(rows), len(columns))
    value = np.array([1.0 if c[0] == j else 0.0 for c in columns])
    unit = np.where(b > 0, b, 1)
    lp = linprog(-value, A_ub=np.vstack([A / unit[:, None], G]), b_ub=np.append(b / unit, [-floors[i] for i in rows]), method="highs")
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
    cost = {}
    for i, s, t in columns:
        cost[i] = min(cost.get(i, np.inf), price @ t)
    proved = price @ b - sum(cost[i] * floors[i] for i in rows)
    for what, v in [("tasks", user["tasks"]), ("bound", user["limits"]["bound"]), ("what the prices prove", proved)]:
        if abs(v - best) > 1e-6 * scale:
            seen["wrong"].append("%s: %s %.10g, HiGHS %.10g" % (user["user"], what, v, best))
    if cost[j] < 1 - 1e-9:
        seen["wrong"].append("%s: its own cost is %g" % (user["user"], cost[j]))
    seen["users"] += 1
    positive = (lp.x > 1e-7 * scale).sum() + (lp.slack > 1e-7).sum()
    if positive < len(b) + len(rows):
        return  # degenerate: the dual may have other solutions
    theirs = -lp.ineqlin.marginals[:cluster.K] / unit
    for k in range(cluster.K):
        seen["unique"] += price[k] > 0
        if abs(theirs[k] - price[k]) * unit[k] > 1e-6 * max(1, scale, price[k] * unit[k]):
            seen["wrong"].append("%s: price %d is %.10g, HiGHS %.10g" % (user["user"], k, price[k], theirs[k]))


def main():
    seen = {"users": 0, "unique": 0, "unsolved": 0, "wrong": []}
    for line in sys.stdin:
        case = json.loads(line)
        cluster, users = Cluster(case["environment"]), case["explanation"]["users"]
        columns = cluster.columns()
        for j, user in enumerate(users):
            if user["limits"]["by"] in ("shares", "others"):
                compare(cluster, columns, users, j, case["floors"][j], seen)
    seen["unique"] = int(seen["unique"])
    print(json.dumps(seen))


main()
