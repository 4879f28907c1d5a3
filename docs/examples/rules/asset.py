"""Asset fairness (Ghodsi et al., NSDI 2011, section 4.1) without any package: python3 asset.py"""
import json
import sys


def assets(env):
    """N of each user: the tasks that would take all assets, were each resource worth the same in total."""
    total = [sum(s.get("count", 1) * s["capacity"][r] for s in env["servers"]) for r in range(len(env["resources"]))]
    return [1 / sum(d / c for d, c in zip(user["demand"], total) if d > 0) for user in env["users"]]


for line in sys.stdin:
    request = json.loads(line)
    env = request.get("environment")
    if env is None:
        answer = {"leontief": 1, "kind": "normaliser", "title": "Asset fairness in Python",
                  "claims": {"EF": True, "PO": True, "SP": True, "SI": False}, "version": "1"}
    elif env.get("links") or any("demand_on" in user for user in env["users"]):
        answer = {"id": request["id"], "unsupported": "links, or demands that differ between servers"}
    else:
        answer = {"id": request["id"], "normaliser": assets(env)}
    print(json.dumps(answer), flush=True)
