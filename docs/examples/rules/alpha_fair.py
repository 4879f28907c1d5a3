import sys
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize
import leontief
ALPHA = float(sys.argv[1])  # near 0: the sum of the shares, near 1: mnw, ever larger: tsf-er
@leontief.rule(kind="allocation", claims={"PO": True}, title=f"α-fairness of the shares x/η, α = {ALPHA:g}")
def alpha_fair(env):
    w, may, usage = env.np.weights, env.np.eligibility, env.np.usage * np.repeat(env.eta, len(env.servers)) / env.np.limits[:, None]
    if not usage.max() < np.inf or min(env.caps) < np.inf or not may.any(axis=1).all():
        raise leontief.Unsupported("a capacity of 0, a task cap, or a user that may run nowhere")
    share = lambda y: np.maximum(y.reshape(may.shape).sum(axis=1), 1e-9)  # usage is that of y = x/η, of capacities of 1
    y = minimize(lambda y: np.log(w @ share(y) ** (1 - ALPHA)) / (ALPHA - 1), may.ravel() / usage.sum(axis=1).max(), method="SLSQP", tol=1e-12, options={"maxiter": 1000},
                 jac=lambda y: np.repeat(-w * share(y) ** -ALPHA / (w @ share(y) ** (1 - ALPHA)), len(env.servers)), bounds=Bounds(0, may.ravel()), constraints=LinearConstraint(usage, -np.inf, 1)).x
    return y.reshape(may.shape) * env.np.eta[:, None] / max(1, (usage @ y).max())
leontief.main()
