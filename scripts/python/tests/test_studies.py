"""Rules by solvers, and the studies of docs/examples/python, with NumPy, SciPy, CVXOPT, pandas and matplotlib."""

import copy
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import leontief

from .common import EXAMPLES, environments, program, several
from .test_rules import HELLO, PACKAGE, ask, have, speak

BINARY, WHY = program()
RULES = os.path.join(EXAMPLES, "rules")
PYTHON = os.path.join(EXAMPLES, "python")


def answers(rule, envs, *arguments):
    """x of each environment, or None where the rule refuses it."""
    lines = [HELLO] + [ask(i, env.data) for i, env in enumerate(envs)]
    status, said, errors = speak(os.path.join(RULES, rule), *lines, arguments=arguments)
    if (status, len(said)) != (0, len(envs) + 1):
        raise AssertionError("%s: status %d, %d lines\n%s" % (rule, status, len(said), errors))
    return [answer.get("allocation") for answer in said[1:]]


def shares(env, x):
    """x/(w·η) of each user."""
    return [sum(row) / (w * eta) for row, w, eta in zip(x, env.weights, env.eta)]


@unittest.skipUnless(BINARY, WHY)
@unittest.skipUnless(have("numpy"), "numpy is not there")
class Alpha(unittest.TestCase):
    """α-fairness, by two methods."""

    def optimal(self, envs, xs, alpha, accuracy):
        """x is optimal iff no feasible z has Σ g[j]·z[j] above Σ g[j]·x[j], g being the slope of
        the welfare at x: a linear program, which the rule utilitarian solves."""
        slopes, weighted = [], []
        for env, x in zip(envs, xs):
            slope = [s ** -alpha / n for s, n in zip(shares(env, x), env.eta)]
            data = copy.deepcopy(env.data)
            for user, g in zip(data["users"], slope):
                user["weight"] = g / max(slope)
            slopes.append(slope)
            weighted.append(data)
        for env, x, slope, a in itertools.zip_longest(envs, xs, slopes, leontief.allocate_many(weighted, "utilitarian")):
            best = sum(g * u["tasks"] for g, u in zip(slope, a["users"]))
            self.assertLess(best / sum(g * sum(row) for g, row in zip(slope, x)) - 1, accuracy)
            for row, limit in zip(env.usage, env.limits):
                self.assertLessEqual(sum(u * v for u, v in zip(row, sum(x, []))), limit * (1 + 1e-12))

    def test_every_answer_is_optimal(self):
        envs = environments(several(12, 25), seed=3)
        for alpha in (0.3, 0.5, 1, 2, 4):
            self.optimal(envs, answers("alpha.py", envs, str(alpha)), alpha, 2e-8)

    @unittest.skipUnless(have("scipy"), "scipy is not there")
    def test_by_scipy(self):
        """What alpha_fair.py answers is optimal, and where it refuses it has found nothing that is."""
        envs = environments(several(13, 40), seed=3)[several(5, 0):]  # the thirteenth is refused
        refused = 0
        for alpha in (0.3, 0.5, 2):
            found = [(env, x) for env, x in zip(envs, answers("alpha_fair.py", envs, str(alpha))) if x is not None]
            refused += len(envs) - len(found)
            self.optimal(*zip(*found), alpha, 2e-5)
        self.assertGreater(refused, 0)  # it did answer, and was 1.1% off
        self.assertLess(refused, 10)

    def test_at_1_it_is_nash_welfare(self):
        envs = environments(100, seed=4)
        for env, x, a in zip(envs, answers("alpha.py", envs, "1"), leontief.allocate_many(envs, "mnw")):
            for row, user in zip(x, a["users"]):
                self.assertLess(abs(sum(row) / user["tasks"] - 1), 1e-5)

    def test_it_approaches_max_min(self):
        """With t the largest smallest share x/(w·η), which tsf-er attains where all may run
        anywhere or not: w[j]·s[j]^(1-α) is at most the sum Σw·s^(1-α), and that at most
        Σw·t^(1-α). So s[j] ≥ t·(w[j]/Σw)^(1/(α-1)), which tends to t."""
        envs = environments(several(20, 40), seed=6)
        far = {}
        for alpha in (2, 4, 8, 16):
            far[alpha] = 0.0
            for env, x, a in zip(envs, answers("alpha.py", envs, str(alpha)), leontief.allocate_many(envs, "tsf-er")):
                level = min(u["share"] for u in a["users"])
                least = shares(env, x)
                for s, w in zip(least, env.weights):
                    self.assertGreater(s, level * (w / sum(env.weights)) ** (1 / (alpha - 1)) * (1 - 1e-7))
                self.assertLessEqual(min(least), level * (1 + 1e-8))
                far[alpha] = max(far[alpha], 1 - min(least) / level)
        self.assertLess(far[16], 0.2)
        self.assertEqual(sorted(far, key=far.get), [16, 8, 4, 2])

    def test_two_users(self):
        """1/s is least, by hand, where s[B]/s[A] = √3/2: docs/alpha.md."""
        env = leontief.Environment.of([[2, 2], [1, 2]], [[1, 1], [1, 2]], eligibility=[[True, True], [True, False]])
        (a, b), = answers("alpha.py", [env], "2")
        self.assertAlmostEqual(sum(a), 6 * 3 ** 0.5 - 9, 6)
        self.assertAlmostEqual(sum(b), 6 - 3 * 3 ** 0.5, 6)

    def test_what_is_refused(self):
        asked = []
        for change in ({"tasks": 5}, {"servers": []}):
            data = copy.deepcopy(environments(1)[0].data)
            data["users"][0].update(change)
            asked.append(ask(len(asked), data))
        for rule in ["alpha.py"] + ["alpha_fair.py"] * have("scipy"):
            _, said, _ = speak(os.path.join(RULES, rule), HELLO, *asked, arguments=["2"])
            for answer, why in itertools.zip_longest(said[1:], ("task cap", "may run nowhere")):
                self.assertIn(why, answer["unsupported"])


@unittest.skipUnless(BINARY, WHY)
class NashWelfare(unittest.TestCase):
    """mnw by other solvers: the same up to their accuracy."""

    def twin(self, name):
        rule = {"twin": '"%s" "%s"' % (sys.executable, os.path.join(RULES, name))}
        envs = environments(several(40, 200), seed=11)
        for env, a, b in zip(envs, leontief.allocate_many(envs, "mnw"), leontief.allocate_many(envs, "twin", rule=rule)):
            for own, other in zip(a["users"], b["users"]):
                self.assertLess(abs(other["tasks"] / own["tasks"] - 1), 1e-5)
        capped = copy.deepcopy(envs[0].data)
        for user, a in zip(capped["users"], leontief.allocate(capped, "mnw")["users"]):
            user["tasks"] = 1 + int(a["tasks"] / 2)
        for own, other in zip(leontief.allocate(capped, "mnw")["users"], leontief.allocate(capped, "twin", rule=rule)["users"]):
            self.assertLess(abs(other["tasks"] / own["tasks"] - 1), 1e-5)
        with tempfile.TemporaryDirectory() as folder:
            run = leontief.simulate(os.path.join(folder, "run"), cluster=os.path.join(EXAMPLES, "cluster.json"), policies=["mnw", "twin"], rule=rule, workload="fitted", jobs=30)
            done = {"mnw": {}, "twin": {}}
            for job in leontief.results(run, "completions", frame=False):
                done[job["policy"]][job["job_id"]] = job["completion_us"] - job["submit_us"]
        self.assertEqual(len(done["mnw"]), 30)
        for job, took in done["mnw"].items():
            self.assertLess(abs(done["twin"][job] / took - 1), 1e-5)

    @unittest.skipUnless(have("scipy"), "scipy is not there")
    def test_by_scipy(self):
        self.twin("mnw_scipy.py")

    @unittest.skipUnless(have("cvxopt"), "cvxopt is not there")
    def test_by_cvxopt(self):
        self.twin("mnw_cvxopt.py")


def shells():
    """One name of each shell that is there: sh is mostly dash."""
    there = {os.path.realpath(shutil.which(name)): name for name in ("dash", "bash", "sh") if shutil.which(name)}
    return list(there.values())


@unittest.skipUnless(BINARY, WHY)
@unittest.skipUnless(os.name == "posix", "there is no sh")
class Shell(unittest.TestCase):
    """A rule in sh and awk."""

    def test_it_is_drf_er(self):
        envs = environments(60, seed=2)
        data = copy.deepcopy(envs[0].data)
        data["users"][0]["name"] = 'a "quoted" {name}, [with] \\ all: that'
        data["resources"][0] = "leontief"
        envs.append(leontief.Environment(data))
        for shell in shells():
            rule = {"sh": "%s %s" % (shell, os.path.join(RULES, "dominant.sh"))}
            for a, b in zip(leontief.allocate_many(envs, "sh", rule=rule), leontief.allocate_many(envs, "drf-er")):
                self.assertEqual({**a, "policy": "drf-er"}, b)


@unittest.skipUnless(BINARY, WHY)
class Studies(unittest.TestCase):
    def run_study(self, name, folder, *arguments, **environ):
        return subprocess.run([sys.executable, os.path.join(PYTHON, name), folder, *arguments], env={**os.environ, "PYTHONPATH": PACKAGE, "LEONTIEF": BINARY, **environ},
                              cwd=os.path.dirname(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    @unittest.skipUnless(have("pandas", "matplotlib"), "pandas or matplotlib is not there")
    def test_from_a_table_to_a_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_study("study.py", folder)
            self.assertEqual((done.returncode, [line for line in done.stderr.splitlines() if not line.startswith("leontief: ")]), (0, []))
            self.assertIn("2 rows   no end", done.stdout)
            self.assertRegex(done.stdout, r"policy  *asset  *tsf-er  *drf-er  *fifo")
            for name in ("study.pdf", "study.png"):
                self.assertGreater(os.path.getsize(os.path.join(folder, name)), 5000)
            jobs = leontief.results(os.path.join(folder, "run"), "completions", frame=False)
            self.assertEqual(len(jobs), 4 * 38)
            again = self.run_study("study.py", folder)  # over its own results
            self.assertEqual((again.returncode, again.stdout), (0, done.stdout), again.stderr)

    def test_what_is_missing_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            code = "import importlib.util, sys; importlib.util.find_spec = lambda name: None; sys.argv = [%r]; exec(compile(open(%r).read(), %r, 'exec'), {'__name__': '__main__', '__file__': %r})"
            for name, what in (("study.py", "has no pandas and no matplotlib: apt-get install"), ("alpha_study.py", "has no NumPy")):
                path = os.path.join(PYTHON, name)
                done = subprocess.run([sys.executable, "-c", code % (name, path, path, path)], env={**os.environ, "PYTHONPATH": PACKAGE}, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
                self.assertIn(what, done.stderr)
                self.assertEqual(os.listdir(folder), [])

    @unittest.skipUnless(have("numpy"), "numpy is not there")
    def test_alpha(self):
        with tempfile.TemporaryDirectory() as parent:
            folder = os.path.join(parent, "alpha")
            done = self.run_study("alpha_study.py", folder, str(several(1, 2)), OMP_NUM_THREADS="1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertGreater(os.path.getsize(os.path.join(folder, "alpha.pdf")), 5000)
            values = {}
            for row in leontief.results(folder, frame=False):
                values.setdefault(row["policy"], {})[row["metric"], row["n"], row["instance"]] = row["value"]
            self.assertEqual(len(values), 7)
            for key, value in values["mnw"].items():  # in the same table, to the solver's accuracy
                self.assertAlmostEqual(values["alpha-1"][key], value, 6)


if __name__ == "__main__":
    unittest.main()
