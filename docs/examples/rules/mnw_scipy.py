"""Nash welfare by SciPy: python3 mnw_scipy.py. The largest Σ w·log x, by SLSQP."""
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize

import leontief


@leontief.rule(kind="allocation", claims={"EF": True, "PO": True, "SI": True, "SP": False})
def mnw(env):
    """Maximum Nash welfare, by SciPy"""
    may, w, caps = env.np.eligibility, env.np.weights, env.np.caps
    eta = np.repeat(env.np.eta, len(env.servers))
    of = np.repeat(np.eye(len(w)), len(env.servers), axis=1)  # of @ y is the y of each user
    capped = np.isfinite(caps)
    with np.errstate(divide="ignore", invalid="ignore"):  # of y = x/η, in units in which every limit is 1
        usage = np.vstack([env.np.usage * eta / env.np.limits[:, None], (of * eta)[capped] / caps[capped, None]])
    if not np.isfinite(usage).all() or not may.any(axis=1).all():
        raise leontief.Unsupported("a capacity of 0, or a user that may run nowhere")
    weight = w / w.sum()
    least = 1e-12  # a step may go to 0
    found = minimize(lambda y: -weight @ np.log(np.maximum(of @ y, least)), 0.5 * may.ravel() / usage.sum(axis=1).max(),
                     jac=lambda y: -(weight / np.maximum(of @ y, least)) @ of, method="SLSQP", tol=1e-13, options={"maxiter": 1000},
                     bounds=Bounds(0, may.ravel()), constraints=LinearConstraint(usage, -np.inf, 1))
    y = found.x.clip(0)
    y /= max(1, (usage @ y).max())
    return (y * eta).reshape(may.shape)


leontief.main()
