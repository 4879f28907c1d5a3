"""The rules in docs/examples/rules, as programs."""

import copy
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import leontief

from .common import EXAMPLES, environments, program
from .test_rules import HELLO, ask, have, speak

BINARY, WHY = program()
ALPHA_FAIR = os.path.join(EXAMPLES, "rules", "alpha_fair.py")
DRF_ER = os.path.join(EXAMPLES, "rules", "drf-er.mjs")



class Page(unittest.TestCase):
    """docs/your-rule.md shows rules that are tested."""

    def setUp(self):
        with open(os.path.join(EXAMPLES, os.pardir, "your-rule.md"), encoding="utf-8") as f:
            self.blocks = re.findall("(?ms)^```python\n(.*?)^```$", f.read())

    def test_the_file_is_the_page(self):
        with open(ALPHA_FAIR, encoding="utf-8") as f:
            text = f.read()
        self.assertIn(text, self.blocks)
        self.assertEqual(len(text.splitlines()), 15)

    @unittest.skipUnless(BINARY, WHY)
    def test_drf_er(self):
        envs = environments(30)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.blocks[0])
            status, said, errors = speak(path, HELLO, *(ask(i, env.data) for i, env in enumerate(envs)))
        self.assertEqual((status, errors), (0, ""))
        for env, answer in zip(envs, said[1:]):
            is_drf_er(self, env, answer["normaliser"])


def is_drf_er(test, env, normaliser):
    """The N of drf-er follow from the tasks and shares that leontief prints."""
    for n, w, user in zip(normaliser, env.weights, leontief.allocate(env, "drf-er")["users"]):
        test.assertAlmostEqual(user["tasks"] / user["share"] / w / n, 1, 12)


@unittest.skipUnless(BINARY, WHY)
class Examples(unittest.TestCase):
    @unittest.skipUnless(have("scipy"), "scipy is not there")
    def test_alpha_fair(self):
        """x is optimal iff no feasible y has Σ g[j]·y[j] above Σ g[j]·x[j], g being the slope of
        the welfare at x: a linear program, which the rule utilitarian solves."""
        envs = [env for env in environments(30, seed=3) if len(env.links) == 1]
        for alpha in (0.99, 2.0, 8.0):
            status, said, errors = speak(ALPHA_FAIR, HELLO, *(ask(i, env.data) for i, env in enumerate(envs)), arguments=[str(alpha)])
            self.assertEqual((status, errors, len(said)), (0, "", len(envs) + 1))
            for env, answer in zip(envs, said[1:]):
                x = answer["allocation"]
                slope = [w * (sum(row) / n) ** -alpha / n for w, row, n in zip(env.weights, x, env.eta)]
                data = copy.deepcopy(env.data)
                for user, g in zip(data["users"], slope):
                    user["weight"] = g / max(slope)
                best = sum(g * u["tasks"] for g, u in zip(slope, leontief.allocate(data, "utilitarian")["users"]))
                self.assertLess(best / sum(g * sum(row) for g, row in zip(slope, x)) - 1, 1e-5)
                for row, limit in zip(env.usage, env.limits):
                    self.assertLessEqual(sum(u * v for u, v in zip(row, sum(x, []))), limit * (1 + 1e-12))

    @unittest.skipUnless(have("scipy"), "scipy is not there")
    def test_alpha_fair_refuses(self):
        capped = copy.deepcopy(environments(1)[0].data)
        capped["users"][0]["tasks"] = 5
        _, said, _ = speak(ALPHA_FAIR, HELLO, ask(1, capped), arguments=["2"])
        self.assertIn("task cap", said[1]["unsupported"])

    @unittest.skipUnless(shutil.which("node"), "node is not there")
    def test_javascript(self):
        envs = environments(30)
        done = subprocess.run(["node", DRF_ER], input="".join(line + "\n" for line in [HELLO] + [ask(i, e.data) for i, e in enumerate(envs)]),
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=120)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((done.returncode, len(said), said[0]["kind"]), (0, len(envs) + 1, "normaliser"))
        for i, (env, answer) in enumerate(zip(envs, said[1:])):
            self.assertEqual(answer["id"], i)
            is_drf_er(self, env, answer["normaliser"])


if __name__ == "__main__":
    unittest.main()
