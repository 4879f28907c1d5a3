"""leontief from Python: allocation rules, allocations, simulations and their results.

A rule is a function from an :class:`Environment` to N, the tasks by which users are
compared, or to x, the tasks of each user on each server::

    import leontief

    @leontief.rule(claims={"PO": True})
    def drf_er(env):
        totals = env.total_capacities + env.link_capacities
        return [min(c / d for d, c in zip(own + links, totals) if d > 0)
                for own, links in zip(env.demands, env.link_demands)]

    leontief.main()

The program itself is found by :func:`leontief.binary`. Only the standard library is needed;
NumPy and pandas are used where they are there.
"""

from .environment import Environment
from .program import PROTOCOL, Error, binary
from .commands import allocate, allocate_many, simulate, sweep
from .rules import Rule, Unsupported, main, rule
from .tables import ledger, results

__version__ = "0.1.0"

__all__ = [
    "PROTOCOL",
    "Environment",
    "Error",
    "Rule",
    "Unsupported",
    "allocate",
    "allocate_many",
    "binary",
    "ledger",
    "main",
    "results",
    "rule",
    "simulate",
    "sweep",
]
