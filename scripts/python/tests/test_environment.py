"""Environments: what a rule sees, against what leontief makes of it."""

import copy
import math
import unittest

import leontief

from .common import FIGURE2, environments, program
from .test_rules import have

BINARY, WHY = program()

FULL = {
    "resources": ["cpu", "mem"],
    "servers": [{"name": "s1", "capacity": [5, 10], "count": 2}, {"name": "s2", "capacity": [10, 5]}],
    "links": [{"name": "bw", "capacity": 15, "servers": ["s2"]}, {"name": "power", "capacity": 7}],
    "users": [
        {"name": "u1", "demand": [2, 1], "link_demand": [2.5, 0], "weight": 3, "tasks": 40, "servers": ["s1"],
         "demand_on": {"s2": [1, 1]}},
        {"name": "u2", "demand": [0, 2], "link_demand": [0, 1]},
    ],
}


class Environments(unittest.TestCase):
    def test_all_keys(self):
        env = leontief.Environment(FULL)
        self.assertEqual((env.users, env.servers, env.links, env.resources), (["u1", "u2"], ["s1", "s2"], ["bw", "power"], ["cpu", "mem"]))
        self.assertEqual((env.counts, env.capacities), ([2, 1], [[10, 20], [10, 5]]))
        self.assertEqual(env.total_capacities, [20, 25])
        self.assertEqual((env.link_capacities, env.reaches), ([15, 7], [[False, True], [True, True]]))
        self.assertEqual((env.demands, env.link_demands), ([[2, 1], [0, 2]], [[2.5, 0], [0, 1]]))
        self.assertEqual((env.weights, env.caps), ([3, 1], [40, math.inf]))
        self.assertEqual(env.eligibility, [[True, False], [True, True]])
        self.assertEqual((env.demand_on(0, 1), env.demand_on(1, 1), env.same_everywhere), ([1, 1], [0, 2], False))
        self.assertEqual(env.gamma, [[5, 5], [10, 2.5]])
        self.assertEqual(env.limits, [10, 20, 10, 5, 15, 7])
        self.assertEqual(env.usage, [[2, 0, 0, 0], [1, 0, 2, 0], [0, 1, 0, 0], [0, 1, 0, 2], [0, 2.5, 0, 0], [0, 0, 1, 1]])
        self.assertEqual(env.eta, [10, 7])  # one link is within the other
        apart = copy.deepcopy(FULL)
        apart["links"][1]["servers"] = ["s1"]
        self.assertEqual(leontief.Environment(apart).eta, [10, 9.5])
        apart["servers"].append({"name": "s3", "capacity": [1, 1]})
        apart["links"][0]["servers"], apart["links"][1]["servers"] = ["s1", "s2"], ["s2", "s3"]
        with self.assertRaises(leontief.Unsupported):
            leontief.Environment(apart).eta

    def test_defaults(self):
        env = leontief.Environment({"resources": ["cpu"], "servers": [{"name": "s", "capacity": [5]}], "users": [{"name": "u", "demand": [2]}]})
        self.assertEqual((env.links, env.link_demands, env.weights, env.caps, env.eligibility, env.reaches), ([], [[]], [1], [math.inf], [[True]], []))
        self.assertEqual((env.gamma, env.eta, env.usage, env.same_everywhere), ([[2.5]], [2.5], [[2]], True))

    def test_figure_2(self):
        self.assertEqual(leontief.Environment.read(FIGURE2).eta, [6, 7.5])  # section 3 of the TSF-ER paper

    @unittest.skipUnless(have("numpy"), "numpy is not there")
    def test_arrays(self):
        env = leontief.Environment(FULL)
        self.assertEqual(env.np.demands.tolist(), env.demands)
        self.assertEqual((env.np.usage @ [1, 0, 0, 2]).tolist(), [2, 1, 0, 4, 0, 2])
        alone = leontief.Environment.of([[1, 1]], [[1, 0], [0, 1]])
        self.assertEqual((alone.np.link_demands.shape, alone.np.reaches.shape), ((2, 0), (0, 1)))
        with self.assertRaisesRegex(AttributeError, "no array 'colours'"):
            env.np.colours

    @unittest.skipUnless(BINARY, WHY)
    def test_numbers_are_those_of_leontief(self):
        """tsf-er makes x/(w·η) equal, drf-er x·max d/c/w: tasks and shares give their N."""
        for env, tsf, drf in zip(environments(40), leontief.allocate_many(environments(40), "tsf-er"),
                                 leontief.allocate_many(environments(40), "drf-er")):
            eta = env.eta
            for j, (a, b) in enumerate(zip(tsf["users"], drf["users"])):
                self.assertAlmostEqual(a["tasks"] / a["share"] / env.weights[j] / eta[j], 1, 12)
                most = max([d / c for d, c in zip(env.demands[j], env.total_capacities)]
                           + [d / c for d, c in zip(env.link_demands[j], env.link_capacities)])
                self.assertAlmostEqual(b["tasks"] / b["share"] / env.weights[j] * most, 1, 12)
            x = [a["by_server"].get(s, 0) for a in tsf["users"] for s in env.servers]
            for row, limit in zip(env.usage, env.limits):
                self.assertLessEqual(sum(u * v for u, v in zip(row, x)), limit * (1 + 1e-9))
            used = [tsf["utilization"][s][r] for s in env.servers for r in env.resources] + [tsf["utilization"][e] for e in env.links]
            for row, limit, of in zip(env.usage, env.limits, used):
                self.assertAlmostEqual(sum(u * v for u, v in zip(row, x)) / limit, of, 12)


if __name__ == "__main__":
    unittest.main()
