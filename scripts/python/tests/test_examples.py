"""The rules in docs/examples/rules, as programs."""

import itertools
import os
import re
import sys
import tempfile
import unittest
from unittest import mock

import leontief

from .common import EXAMPLES, environments, program

BINARY, WHY = program()
ALPHA_FAIR = os.path.join(EXAMPLES, "rules", "alpha_fair.py")



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
        """The rule on the page is the shipped one, to the last digit: in allocations on all
        cores, and through whole replays in both task models."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.blocks[0])
            rule = {"mine": "%s %s" % (sys.executable, path)}
            envs = environments(40)
            mine = list(leontief.allocate_many(envs, "mine", rule=rule, workers=2))
            for a, b in zip(mine, leontief.allocate_many(envs, "drf-er")):
                self.assertEqual({**a, "policy": "drf-er"}, b)
            self.assertEqual(len(mine), len(envs))
            self.assertEqual(leontief.allocate(envs[0], "mine", rule=rule), mine[0])
            for model in ({}, {"model": "whole", "slot": "1h"}):
                out = leontief.simulate(os.path.join(folder, "run%d" % len(model)), cluster=os.path.join(EXAMPLES, "cluster.json"),
                                        policies=["mine", "drf-er"], rule=rule, jobs=40, workload="fitted", **model)
                for table in ("results", "completions"):
                    by = {"mine": [], "drf-er": []}
                    for row in leontief.results(out, table, frame=False):
                        by[row.pop("policy")].append(row)
                    self.assertGreater(len(by["mine"]), 10)
                    self.assertEqual(by["mine"], by["drf-er"])

    @unittest.skipUnless(BINARY, WHY)
    def test_eta_is_tsf_er(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write("import leontief\n@leontief.rule()\ndef mine(env): return env.eta\nleontief.main()\n")
            envs = environments(40, seed=5)
            mine = leontief.allocate_many(envs, "mine", rule={"mine": "%s %s" % (sys.executable, path)})
            for a, b in itertools.zip_longest(mine, leontief.allocate_many(envs, "tsf-er")):
                self.assertEqual({**a, "policy": "tsf-er"}, b)

    @unittest.skipUnless(BINARY, WHY)
    def test_workers_work_at_once(self):
        """Each of three processes answers only when all three have a request."""
        with tempfile.TemporaryDirectory() as folder:
            path, pids = os.path.join(folder, "mine.py"), os.path.join(folder, "pids")
            os.mkdir(pids)
            with open(path, "w", encoding="utf-8") as f:
                f.write("import leontief, os, time\n@leontief.rule()\ndef mine(env):\n"
                        "    open(os.path.join(%r, str(os.getpid())), 'w').close()\n"
                        "    while len(os.listdir(%r)) < 3: time.sleep(0.01)\n"
                        "    return env.eta\nleontief.main()\n" % (pids, pids))
            rule = {"mine": "%s %s" % (sys.executable, path)}
            answers = list(leontief.allocate_many(environments(6), "mine", rule=rule, workers=3))
        self.assertEqual([a["policy"] for a in answers], ["mine"] * 6)

    @unittest.skipUnless(BINARY, WHY)
    def test_a_crash_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"TMPDIR": folder}):
            path = os.path.join(folder, "mine.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write("import leontief\n@leontief.rule()\ndef mine(env): return 1 / 0\nleontief.main()\n")
            with self.assertRaisesRegex(leontief.Error, "(?s)ZeroDivisionError.*rule mine .* ended"):
                leontief.allocate(environments(1)[0], "mine", rule={"mine": "%s %s" % (sys.executable, path)})


if __name__ == "__main__":
    unittest.main()
