"""What several tests need."""

import math
import os
import random

import leontief

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
EXAMPLES = os.path.join(ROOT, "docs", "examples")
FIGURE2 = os.path.join(EXAMPLES, "figure2.json")


def program():
    """The program, or the reason why there is none."""
    try:
        return leontief.binary(), ""
    except leontief.Error as e:
        return "", str(e)


def several(short, long):
    """How many draws a test makes: more in its long form (make test-long)."""
    return long if os.environ.get("LEONTIEF_LONG") else short


def environments(n, seed=1):
    """Random environments: up to 20 users, 3 servers, 2 links, apart or one within the other."""
    r = random.Random(seed)

    def log(low, high):
        return math.exp(r.uniform(math.log(low), math.log(high)))

    made = []
    for i in range(n):
        users, servers = r.randint(1, 20), r.randint(1, 3)
        eligibility = [[r.random() < 0.7 for _ in range(servers)] for _ in range(users)]
        env = leontief.Environment.of(
            [[log(0.3, 2) for _ in range(2)] for _ in range(servers)],
            [[log(0.001, 0.5) for _ in range(2)] for _ in range(users)],
            link_capacities=[1], link_demands=[[log(0.001, 0.5)] for _ in range(users)],
            weights=[log(0.25, 4) for _ in range(users)],
            eligibility=[row if any(row) else [True] * servers for row in eligibility])
        if servers == 3:  # two links, and a server behind none
            env.data["links"] = [{"name": "a", "capacity": 1, "servers": ["s0"]},
                                 {"name": "b", "capacity": 0.5, "servers": ["s1"] if i % 2 else ["s0", "s1"]}]
            for user in env.data["users"]:
                user["link_demand"] = [log(0.001, 0.5), log(0.001, 0.5) if r.random() < 0.5 else 0]
            env.data["servers"][2]["count"] = 3
            env = leontief.Environment(env.data)
        made.append(env)
    return made
