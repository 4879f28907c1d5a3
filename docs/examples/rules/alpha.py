"""α-fairness of the shares x/η, certified: python3 alpha.py ALPHA

The rule maximises Σ w·U(x/(w·η)) with U(s) = s^(1-α)/(1-α), and log s at α = 1: near α = 0 that
is the sum of the shares, at 1 Nash welfare (mnw), and ever closer to max-min (tsf-er) as α grows.
"""
import sys

import numpy as np

import leontief

ALPHA = float(sys.argv[1])
GAP = 1e-8  # what the answer may be off


@leontief.rule(kind="allocation", claims={"PO": True}, title=f"α-fairness of the shares x/η, α = {ALPHA:g}")
def alpha_fair(env):
    may, w = env.np.eligibility, env.np.weights
    eta = np.repeat(env.np.eta, len(env.servers))
    with np.errstate(divide="ignore", invalid="ignore"):
        usage = env.np.usage * eta / env.np.limits[:, None]  # of y = x/η, where every capacity is 1
    if not np.isfinite(usage).all() or min(env.caps) < np.inf or not may.any(axis=1).all():
        raise leontief.Unsupported("a capacity of 0, a task cap, or a user that may run nowhere")
    share = np.repeat(np.eye(len(w)) / w[:, None], len(env.servers), axis=1)  # share @ y = x/(w·η)
    x = np.zeros(may.size)
    x[may.ravel()] = fair(usage[:, may.ravel()], share[:, may.ravel()], w)
    return (x * eta).reshape(may.shape)


def fair(usage, share, w):
    """The y ≥ 0 with usage·y ≤ 1 of the largest Σ w·U(share·y), by primal-dual Newton steps.

    For any prices ≥ 0 of the capacities that pay every y[k] its slope, no other feasible y has a
    welfare of which the mean share s with Σw·U(s) is more than Σ prices / (slope·y) times as large.
    """
    y = np.full(usage.shape[1], 0.5 / usage.sum(axis=1).max())
    share = share / np.median(share @ y)
    left = 1 - usage @ y
    price, low = 1 / left, 0.1 / y  # of the capacities, and of y ≥ 0
    for step in range(150):
        alpha = min(ALPHA, 1.1 ** step)  # from Nash welfare on: Newton's method wants slopes that are not too steep
        s = share @ y
        slope = w * s ** -alpha
        fits = max(1, (usage @ y).max())
        bound = price.sum() * (slope @ share / (price @ usage)).max() * fits / (slope @ s)
        if alpha == ALPHA and bound <= 1 + GAP:
            return y / fits
        t = max(0.1 * (price @ left + low @ y), (1e-2 if alpha < ALPHA else GAP / 10) * (slope @ s)) / (len(left) + len(y))
        curved = (share.T * (alpha * slope / s)) @ share + np.diag(low / y) + (usage.T * (price / left)) @ usage
        unit = 1 / np.sqrt(np.diag(curved))
        dy = unit * np.linalg.solve(curved * unit * unit[:, None] + 1e-15 * np.eye(len(y)), unit * (slope @ share - (t / left) @ usage + t / y))
        moves = [(y, dy), (left, -usage @ dy), (price, t / left - price + price / left * (usage @ dy)), (low, t / y - low - low / y * dy)]
        far = min(1, 0.95 / max((-d / v).max() for v, d in moves)) if any((d < 0).any() for _, d in moves) else 1
        y, left, price, low = (v + far * d for v, d in moves)
    raise ArithmeticError(f"the answer is only certified to be within a factor of {bound:.9g}")


leontief.main()
