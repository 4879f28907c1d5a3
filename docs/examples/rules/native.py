"""Native rules of leontief as a program: python3 native.py tsf-er (or drf-er, drf).

drf is the rule of a cluster with one server, as a program cannot pool servers.
"""
import json
import sys


def capacity(server, r):
    return server.get("count", 1) * server["capacity"][r]


def alone(user, env):
    """The tasks of a user that has everything; the one link, if any, is over all servers."""
    tasks = 0.0
    for s in env["servers"]:
        tasks += min(capacity(s, r) / d for r, d in enumerate(user["demand"]) if d > 0)
    for link, d in zip(env.get("links", []), user.get("link_demand", [])):
        if d > 0:
            tasks = min(tasks, link["capacity"] / d)
    return tasks


def dominant(user, env):
    """One over the dominant share of a task of all servers and links."""
    tasks = []
    for r, d in enumerate(user["demand"]):
        if d > 0:
            total = 0.0  # not sum(), which rounds otherwise from Python 3.12 on
            for s in env["servers"]:
                total += capacity(s, r)
            tasks.append(total / d)
    for link, d in zip(env.get("links", []), user.get("link_demand", [])):
        if d > 0:
            tasks.append(link["capacity"] / d)
    return min(tasks)


rules = {"tsf-er": alone, "drf-er": dominant, "drf": dominant}
name = sys.argv[1]
for line in sys.stdin:
    request = json.loads(line)
    if "leontief" in request:
        answer = {"leontief": 1, "kind": "normaliser", "title": name + " in Python", "version": "1"}
    else:
        env = request["environment"]
        answer = {"id": request["id"], "normaliser": [rules[name](u, env) for u in env["users"]]}
    print(json.dumps(answer), flush=True)
