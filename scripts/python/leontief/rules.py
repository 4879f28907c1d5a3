"""Rules as programs: the protocol of docs/your-rule.md, JSON Lines on standard input and output."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import sys
from typing import Any, Callable, Dict, IO, Iterable, List, Mapping, NoReturn, Optional, Union

from .environment import Environment
from .program import PROTOCOL

#: What a rule gives: N[j], or x[j][s]; lists or arrays.
Answer = Any
Function = Callable[[Environment], Answer]
Claims = Union[Mapping[str, bool], Iterable[str]]

KINDS = ("normaliser", "allocation")


class Unsupported(Exception):
    """Raised by a rule that is not defined for an environment, with the reason."""


class Rule:
    """A rule: a function with what leontief needs to know of it. It can be called as the
    function that it was made of."""

    def __init__(self, function: Function, kind: str, title: str, claims: Claims, version: str) -> None:
        if kind not in KINDS:
            raise ValueError("kind=%r: a rule gives a %s" % (kind, " or an ".join(KINDS)))
        self.function = function
        self.kind = kind
        self.title = title
        self.claims = dict(claims) if isinstance(claims, Mapping) else {name: True for name in claims}
        self.version = version

    def __call__(self, env: Environment) -> Answer:
        return self.function(env)

    def hello(self) -> Dict[str, Any]:
        """What the rule answers first."""
        return {"leontief": PROTOCOL, "kind": self.kind, "title": self.title, "claims": self.claims, "version": self.version}

    def answer(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """The answer to a request. An answer that is no list of finite numbers, a row a
        user, is a ValueError; what else the function raises is passed on."""
        env = Environment(request["environment"])
        try:
            value = self.function(env)
        except Unsupported as e:
            return {"id": request["id"], "unsupported": str(e) or "not defined here"}
        if self.kind == "normaliser":
            return {"id": request["id"], "normaliser": _normaliser(value, len(env.users))}
        rows = _rows(value, len(env.users), "x", "users")
        return {
            "id": request["id"],
            "allocation": [_numbers(row, len(env.servers), "x[%d]" % j, "servers") for j, row in enumerate(rows)],
        }


_rules: List[Rule] = []


def rule(
    claims: Claims = (),
    title: str = "",
    kind: str = "normaliser",
    version: Optional[str] = None,
) -> Callable[[Function], Rule]:
    """Makes a rule of a function from an :class:`Environment`.

    A *normaliser* gives N[j] for every user, in tasks: leontief makes x[j]/(w[j]·N[j])
    equal from the bottom, exactly; 0 is for a user that nothing can host, and infinity
    for one whose demands the rule does not see. It is asked once for all users of a replay,
    and with whole tasks for each user alone: N[j] may depend on the servers, the links and
    what user j needs, and on no other user. An *allocation* gives x[j][s], the tasks of each user on each server, feasible to 1e-6
    relative. Both may be lists or NumPy arrays.

    *claims* are the properties that the rule is said to have or not to have, as
    ``{"EF": True, "SP": False}``, or the names of those that it has; ``leontief audit``
    looks for what speaks against them. *title* is one line, by default the first of the
    function's documentation. By *version* stored results know the rule; by default it is
    the checksum of the file that the function is in.
    """

    def decorate(function: Function) -> Rule:
        first = (inspect.getdoc(function) or "").split("\n")[0]
        made = Rule(function, kind, title or first or function.__name__, claims,
                    _checksum(function) if version is None else version)
        _rules.append(made)
        return made

    return decorate


def main(served: Optional[Rule] = None) -> None:
    """Serves a rule, by default the only one there is, on standard input and output, until
    standard input ends.

    What the rule itself prints, also from C, goes to standard error, and it reads nothing
    from standard input. What is printed before main() is called would be taken for an
    answer, as leontief runs Python unbuffered: print that to sys.stderr. An exception of the rule other than :class:`Unsupported` ends the
    program with its traceback.
    """
    if served is None:
        if len(_rules) != 1:
            _end("leontief.main() serves one rule, and there are %d: name it, as in leontief.main(my_rule)" % len(_rules))
        served = _rules[0]
    if sys.stdin is not None and sys.stdin.isatty():
        _end("this program is a rule: leontief allocate ENV.json --rule NAME=\"python3 %s\" --policy NAME" % sys.argv[0])
    requests, answers = _take_streams()
    try:
        serve(served, requests, answers)
    except KeyboardInterrupt:
        os._exit(130)  # leontief was interrupted, and says so
    except BrokenPipeError:
        os._exit(1)  # leontief is gone


def serve(served: Rule, requests: Iterable[str], answers: IO[str]) -> None:
    """Answers the lines of requests, the first of which says which protocol is spoken."""
    lines = iter(requests)
    first = next(lines, "")
    if not first:
        return
    try:
        spoken = json.loads(first)["leontief"]
    except (ValueError, KeyError, TypeError):
        _end("the first line is not of leontief: %.80r" % first)
    if spoken != PROTOCOL:
        _end("leontief speaks protocol %s, and the Python package %d: take both of one version" % (spoken, PROTOCOL))
    _write(answers, served.hello())
    for line in lines:
        _write(answers, served.answer(json.loads(line)))


def _write(answers: IO[str], message: Mapping[str, Any]) -> None:
    answers.write(json.dumps(message, allow_nan=False) + "\n")
    answers.flush()


def _take_streams() -> "tuple[IO[str], IO[str]]":
    """Standard input and output, which are then nobody else's: what this process prints,
    and programs that it starts, goes to standard error."""
    requests = os.fdopen(os.dup(0), encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()  # what was printed before goes there, too
    sys.stdout = sys.stderr
    return requests, answers


def _rows(value: Answer, n: int, name: str, of: str) -> List[Any]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    try:
        rows = list(value)
    except TypeError:
        raise ValueError("%s is %r, and not a list" % (name, value)) from None
    if len(rows) != n:
        raise ValueError("%s has %d entries for %d %s" % (name, len(rows), n, of))
    return rows


def _normaliser(value: Answer, n: int) -> List[Union[float, str]]:
    """N in JSON, which has no infinity."""
    numbers = _numbers(value, n, "N", "users", infinite=True)
    return ["inf" if number == math.inf else number for number in numbers]


def _numbers(value: Answer, n: int, name: str, of: str, infinite: bool = False) -> List[float]:
    numbers = []
    for i, entry in enumerate(_rows(value, n, name, of)):
        try:
            number = float(entry)
        except (TypeError, ValueError):
            raise ValueError("%s[%d] is %r, and not a number" % (name, i, entry)) from None
        if not math.isfinite(number) and not (infinite and number == math.inf):
            raise ValueError("%s[%d] is %r" % (name, i, number))
        numbers.append(number)
    return numbers


def _checksum(function: Function) -> str:
    """The first digits of the SHA-256 of the file that a function is in; empty if it is in none."""
    try:
        path = inspect.getsourcefile(function)
        with open(path or "", "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()[:12]
    except (OSError, TypeError):
        return ""


def _end(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(2)
