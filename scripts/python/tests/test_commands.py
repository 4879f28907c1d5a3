"""The program's commands, as functions."""

import itertools
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import leontief

from .common import EXAMPLES, FIGURE2, environments, program
from .test_rules import PACKAGE, have

BINARY, WHY = program()
CLUSTER = os.path.join(EXAMPLES, "cluster.json")


@unittest.skipUnless(BINARY, WHY)
class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_allocate(self):
        a = leontief.allocate(FIGURE2, "tsf-er")
        self.assertEqual(a["policy"], "tsf-er")
        self.assertAlmostEqual(a["users"][0]["tasks"], 30 / 7)
        with open(FIGURE2, encoding="utf-8") as f:
            data = json.load(f)
        self.assertEqual(leontief.allocate(data, "tsf-er"), a)
        self.assertEqual(leontief.allocate(leontief.Environment(data), ["mnw", "tsf-er"])[1], a)

    def test_errors_have_message_and_status(self):
        bad = {"resources": ["cpu"], "servers": [{"name": "s", "capacity": [-1]}], "users": [{"name": "u", "demand": [1, 2]}]}
        with self.assertRaises(leontief.Error) as raised:
            leontief.allocate(bad, "tsf-er")
        self.assertEqual(raised.exception.status, 2)
        self.assertIn("servers[0].capacity[0]: must not be negative, is -1\nusers[0].demand: has 2 entries", str(raised.exception))
        self.assertFalse(str(raised.exception).startswith("leontief: "))
        with self.assertRaisesRegex(leontief.Error, "unknown policy \"dictator\""):
            leontief.allocate(FIGURE2, "dictator")
        with self.assertRaisesRegex(leontief.Error, "unknown policy"):
            list(leontief.allocate_many([FIGURE2], "dictator"))

    def test_many_are_as_one_by_one(self):
        envs = environments(12)
        self.assertEqual(list(leontief.allocate_many(envs, "mnw", workers=2)), [leontief.allocate(env, "mnw") for env in envs])
        refused = list(leontief.allocate_many([FIGURE2, {}, FIGURE2], ["mnw", "tsf-er"]))
        self.assertEqual(refused[0], refused[2])
        self.assertEqual(len(refused[0]), 2)
        self.assertTrue(refused[1]["error"].startswith("line 2:"), refused[1])
        self.assertEqual(list(leontief.allocate_many([], "mnw")), [])

    def test_an_endless_source_is_read_as_it_is_answered(self):
        read = []

        def endless():
            for i in itertools.count():
                read.append(i)
                yield leontief.Environment.read(FIGURE2)

        many = leontief.allocate_many(endless(), "tsf-er")
        for _ in range(3):
            next(many)
        many.close()
        self.assertLess(len(read), 2000)
        self.assertEqual([t for t in threading.enumerate() if t is not threading.main_thread()], [])

    def test_an_error_of_the_source_is_raised(self):
        def broken():
            yield FIGURE2
            raise KeyError("mine")

        many = leontief.allocate_many(broken(), "tsf-er")
        self.assertEqual(next(many)["policy"], "tsf-er")
        with self.assertRaisesRegex(KeyError, "mine"):
            next(many)
        with self.assertRaises(FileNotFoundError):
            list(leontief.allocate_many([FIGURE2, "/no/such.json"], "tsf-er"))

    def test_simulate_and_results(self):
        out = leontief.simulate(os.path.join(self.folder, "run"), cluster=CLUSTER, policies=["tsf-er", "mnw"], workload="fitted", jobs=10)
        rows = leontief.results(out, frame=False)
        factors = {r["policy"]: r["value"] for r in rows if r["metric"] == "jct_factor"}
        jobs = leontief.results(out, "completions", frame=False)
        self.assertEqual(len(jobs), 20)
        for policy, factor in factors.items():
            own = [job["jct_factor"] for job in jobs if job["policy"] == policy]
            self.assertAlmostEqual(sum(own) / len(own), factor, 12)
        self.assertEqual([type(rows[0][c]) for c in ("policy", "instance", "user", "value", "n")], [str, int, type(None), float, int])
        self.assertEqual([type(jobs[0][c]) for c in ("job_id", "tasks", "weight", "gpu", "refused")], [str, int, float, type(None), bool])
        with open(CLUSTER, encoding="utf-8") as f:
            again = leontief.simulate(os.path.join(self.folder, "again"), cluster=json.load(f), policies=["tsf-er", "mnw"], workload="fitted", jobs=10)
        self.assertEqual(leontief.results(again, frame=False), rows)
        with self.assertRaisesRegex(leontief.Error, "no_such"):
            leontief.results(out, "no_such")
        with self.assertRaises(leontief.Error):
            leontief.results(os.path.join(self.folder, "nowhere"))

    def test_sweep(self):
        spec = {"name": "tiny", "blocks": [{
            "experiment": "fluid", "instances": 2, "set": {"rho": 0.3, "cluster": "three", "bandwidth": 2, "n": 4},
            "axes": {"policy": ["tsf-er", "drf-er"]}}]}
        out = leontief.sweep(spec, os.path.join(self.folder, "swept"), set={"bandwidth": 3})
        rows = leontief.results(out, frame=False, where={"metric": "jct_factor"})
        self.assertEqual({(r["policy"], r["instance"]) for r in rows}, {(p, i) for p in ("tsf-er", "drf-er") for i in (0, 1)})
        self.assertEqual({r["metric"] for r in rows}, {"jct_factor"})
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        again = leontief.sweep(spec, set={"bandwidth": 3})
        self.assertEqual(again, pathlib.Path("results", "tiny"))
        self.assertEqual(leontief.results(again, frame=False, where={"metric": "jct_factor"}), rows)
        with self.assertRaisesRegex(leontief.Error, "no_such") as raised:
            leontief.sweep({"name": "bad", "blocks": [{"experiment": "no_such"}]}, os.path.join(self.folder, "bad"))
        self.assertEqual(raised.exception.status, 2)

    def test_a_spec_names_a_rule_in_this_folder(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        with open("mine.py", "w", encoding="utf-8") as f:
            f.write("import leontief\n@leontief.rule()\ndef mine(env): return env.eta\nleontief.main()\n")
        spec = {"name": "tiny", "rules": {"mine": sys.executable + " mine.py"}, "blocks": [{
            "experiment": "fluid", "instances": 2, "set": {"rho": 0.3, "cluster": "three", "bandwidth": 2, "n": 8},
            "axes": {"policy": ["tsf-er", "mine"]}}]}
        rows = leontief.results(leontief.sweep(spec), frame=False)
        by = {"mine": [], "tsf-er": []}
        for row in rows:
            by[row.pop("policy")].append(row)
        self.assertGreater(len(by["mine"]), 1)
        self.assertEqual(by["mine"], by["tsf-er"])
        self.assertEqual(sorted(os.listdir()), ["mine.py", "results"])

    def test_ledger(self):
        out = os.path.join(self.folder, "paper")
        subprocess.run([BINARY, "reproduce", "tsf-er", "--item", "examples", "--out", out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        entries = leontief.ledger(out, frame=False)
        eta = next(e for e in entries if e["id"] == "examples/fig2/eta/u1")
        self.assertEqual((eta["published"], eta["ours"], eta["verdict"]), (6, 6, "reproduced"))
        self.assertEqual(leontief.ledger(out, frame=False, verdict="not-run"), [])

    @unittest.skipUnless(have("pandas"), "pandas is not there")
    def test_frames(self):
        out = leontief.simulate(os.path.join(self.folder, "run"), cluster=CLUSTER, policies="tsf-er", workload="fitted", jobs=5, series="24h")
        for table in ("results", "completions", "series"):
            frame, records = leontief.results(out, table), leontief.results(out, table, frame=False)
            self.assertEqual((len(frame), list(frame.columns)), (len(records), list(records[0])))
            for name in frame.columns:
                kind = str(frame[name].dtype)
                for got, want in zip(frame[name], [r[name] for r in records]):
                    self.assertTrue(got != got if want is None and kind == "float64" else got == want or got is want, (name, got, want))
        jobs = leontief.results(out, "completions")
        self.assertEqual([str(jobs[c].dtype) for c in ("policy", "tasks", "cpu", "gpu", "refused")], ["object", "int64", "float64", "float64", "bool"])


class Programs(unittest.TestCase):
    """Where the program is, and what is said where it is not."""

    def fake(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "leontief")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def named(self, path):
        with mock.patch.dict(os.environ, {"LEONTIEF": path}):
            return leontief.binary()

    def test_named(self):
        path = self.fake("""echo '{"leontief": 1, "version": "v1"}'""")
        self.assertEqual(self.named(path), path)
        with self.assertRaisesRegex(leontief.Error, "LEONTIEF=/no/such: there is no such program"):
            self.named("/no/such")

    def test_in_path(self):
        path = self.fake("""echo '{"leontief": 1, "version": "v1"}'""")
        with mock.patch.dict(os.environ, {"PATH": os.path.dirname(path) + os.pathsep + os.environ["PATH"]}), \
                mock.patch("leontief.program._HERE", "/no/such/python/leontief"):
            os.environ.pop("LEONTIEF", None)
            self.assertEqual(leontief.binary(), path)

    def test_nowhere(self):
        with mock.patch.dict(os.environ, {"PATH": "/no/such"}), mock.patch("leontief.program._HERE", "/no/such/python/leontief"):
            os.environ.pop("LEONTIEF", None)
            with self.assertRaisesRegex(leontief.Error, r"make build.*LEONTIEF.*PATH"):
                leontief.binary()

    def test_another_protocol(self):
        with self.assertRaisesRegex(leontief.Error, "is leontief v9 and speaks protocol 2, and this package 1"):
            self.named(self.fake("""echo '{"leontief": 2, "version": "v9"}'"""))
        for text in ("echo leontief v0", "exit 2", "echo 7"):
            with self.assertRaisesRegex(leontief.Error, "does not say which protocol it speaks"):
                self.named(self.fake(text))

    def test_without_anything_installed(self):
        """The package imports nothing but the standard library, and has no syntax after Python 3.9."""
        code = "import sys; sys.modules.update(numpy=None, pandas=None, scipy=None); import leontief; print(leontief.__version__)"
        done = subprocess.run([sys.executable, "-I", "-c", "import sys; sys.path.insert(0, %r); %s" % (PACKAGE, code)], stdout=subprocess.PIPE)
        self.assertEqual(done.stdout.decode().strip(), leontief.__version__)
        import ast

        folder = os.path.join(PACKAGE, "leontief")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    ast.parse(f.read(), name, feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
