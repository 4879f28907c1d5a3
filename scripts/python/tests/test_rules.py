"""Rules: the protocol, spoken with a program as leontief does."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import leontief

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(HERE)
ENV = {
    "resources": ["cpu", "mem"],
    "servers": [{"name": "s1", "capacity": [5, 10]}, {"name": "s2", "capacity": [10, 5]}],
    "users": [{"name": "u1", "demand": [2, 1]}, {"name": "u2", "demand": [1, 2]}],
}
HELLO = '{"leontief": 1}'


def ask(i, env=ENV):
    return json.dumps({"id": i, "environment": env})


def have(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def speak(program, *lines, arguments=()):
    """What a program says to lines: its exit status, its lines of JSON, its standard error."""
    env = {**os.environ, "PYTHONPATH": PACKAGE}
    env.pop("PYTHONUNBUFFERED", None)  # what is printed before leontief.main() is an answer then
    done = subprocess.run([sys.executable, program, *arguments], input="".join(line + "\n" for line in lines), env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


class Rules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = os.path.join(folder.name, "mine.py")

    def served(self, text, *lines):
        with open(self.program, "w", encoding="utf-8") as f:
            f.write("import leontief\n" + textwrap.dedent(text) + "\nleontief.main()\n")
        return speak(self.program, *lines)

    def test_normaliser(self):
        status, said, errors = self.served("""
            @leontief.rule(claims={"EF": True, "SP": False}, version="3")
            def mine(env):
                "One line.\\n\\nAnd more."
                return [1 / sum(row) for row in env.demands]
            """, HELLO, ask(7), ask(8))
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(said[0], {"leontief": 1, "kind": "normaliser", "title": "One line.",
                                   "claims": {"EF": True, "SP": False}, "version": "3"})
        self.assertEqual(said[1:], [{"id": i, "normaliser": [1 / 3, 1 / 3]} for i in (7, 8)])

    def test_allocation(self):
        status, said, _ = self.served("""
            @leontief.rule(kind="allocation", title="Mine", claims=["EF"])
            def mine(env):
                return [[g / len(env.users) for g in row] for row in env.gamma]
            """, HELLO, ask(0))
        self.assertEqual(status, 0)
        self.assertEqual((said[0]["kind"], said[0]["title"], said[0]["claims"]), ("allocation", "Mine", {"EF": True}))
        self.assertEqual(said[1], {"id": 0, "allocation": [[1.25, 2.5], [2.5, 1.25]]})

    @unittest.skipUnless(have("numpy"), "numpy is not there")
    def test_arrays(self):
        for kind, value, want in (("normaliser", "1 / env.np.demands.sum(axis=1)", [1 / 3, 1 / 3]),
                                  ("allocation", "env.np.gamma / 2", [[1.25, 2.5], [2.5, 1.25]])):
            status, said, errors = self.served("""
                @leontief.rule(kind=%r)
                def mine(env):
                    return %s
                """ % (kind, value), HELLO, ask(1))
            self.assertEqual((status, errors, said[1:]), (0, "", [{"id": 1, kind: want}]))

    def test_what_the_rule_prints_is_no_answer(self):
        status, said, errors = self.served("""
            import os, subprocess, sys
            print("at first")
            @leontief.rule()
            def mine(env):
                print("printed")
                sys.stdout.write("written")
                os.write(1, b"from C")
                subprocess.run(["echo", "by a child"])
                assert sys.stdin.read() == ""
                return [1, 1]
            """, HELLO, ask(1), ask(2))
        self.assertEqual((status, len(said), said[2]), (0, 3, {"id": 2, "normaliser": [1, 1]}))
        for text in ("at first", "printed", "written", "from C", "by a child"):
            self.assertIn(text, errors)

    def test_unsupported(self):
        status, said, errors = self.served("""
            @leontief.rule()
            def mine(env):
                if len(env.users) > 1:
                    raise leontief.Unsupported("two users")
                return [1]
            """, HELLO, ask(1), ask(2, {**ENV, "users": ENV["users"][:1]}))
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(said[1:], [{"id": 1, "unsupported": "two users"}, {"id": 2, "normaliser": [1]}])

    def test_what_is_no_answer_ends_the_program(self):
        for kind, value, why in (
            ("normaliser", "1 / 0", "ZeroDivisionError"),
            ("normaliser", "[1]", "N has 1 entries for 2 users"),
            ("normaliser", "[1, float('nan')]", "N[1] is nan"),
            ("normaliser", "[1, -float('inf')]", "N[1] is -inf"),
            ("normaliser", "[1, 'x']", "N[1] is 'x', and not a number"),
            ("normaliser", "None", "N is None, and not a list"),
            ("allocation", "[[1, 1], [1, float('inf')]]", "x[1][1] is inf"),
            ("allocation", "[[1, 1]]", "x has 1 entries for 2 users"),
            ("allocation", "[[1, 1], [1]]", "x[1] has 1 entries for 2 servers"),
            ("allocation", "[1, 1]", "x[0] is 1, and not a list"),
        ):
            with self.subTest(value):
                status, said, errors = self.served("""
                    @leontief.rule(kind=%r)
                    def mine(env):
                        return %s
                    """ % (kind, value), HELLO, ask(1), ask(2))
                self.assertEqual((status, len(said)), (1, 1))
                self.assertIn("Traceback", errors)
                self.assertIn(why, errors)

    def test_infinite(self):
        _, said, _ = self.served("@leontief.rule()\ndef mine(env): return [1, float('inf')]", HELLO, ask(1))
        self.assertEqual(said[1], {"id": 1, "normaliser": [1, "inf"]})

    def test_another_protocol(self):
        rule = "@leontief.rule()\ndef mine(env): return []\n"
        for first, why in (('{"leontief": 2}', "leontief speaks protocol 2, and the Python package 1"), ("hello", "not of leontief")):
            status, said, errors = self.served(rule, first)
            self.assertEqual((status, said), (2, []))
            self.assertIn(why, errors)
        self.assertEqual(self.served(rule), (0, [], ""))

    def test_one_rule_is_served(self):
        two = "@leontief.rule()\ndef a(env): return [1, 1]\n@leontief.rule()\ndef b(env): return [2, 2]\n"
        status, _, errors = self.served(two, HELLO)
        self.assertEqual(status, 2)
        self.assertIn("there are 2: name it", errors)
        status, said, _ = self.served(two + "leontief.main(b)\nraise SystemExit", HELLO, ask(1))
        self.assertEqual((status, said[1]), (0, {"id": 1, "normaliser": [2, 2]}))

    def test_the_version_is_of_the_file(self):
        rule = "@leontief.rule()\ndef mine(env): return [1, 1]\n"
        versions = [self.served(text, HELLO)[1][0]["version"] for text in (rule, rule, rule + "# changed\n")]
        self.assertEqual(versions[0], versions[1])
        self.assertNotEqual(versions[0], versions[2])
        self.assertEqual(len(versions[0]), 12)

    def test_a_rule_is_its_function(self):
        @leontief.rule()
        def mine(env):
            return env.weights

        self.addCleanup(leontief.rules._rules.remove, mine)
        self.assertEqual(mine(leontief.Environment(ENV)), [1, 1])
        with self.assertRaisesRegex(ValueError, "a rule gives a normaliser or an allocation"):
            leontief.rule(kind="share")(lambda env: [])


if __name__ == "__main__":
    unittest.main()
