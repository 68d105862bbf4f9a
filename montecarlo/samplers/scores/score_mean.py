"""One score g(z, y) = u_y^T W e_z of a random memory W = sum over x of q(x) u_f(x) e_x^T.

g = sum over x of q(x) (u_y.u_f(x)) (e_x.e_z), so only inner products with e_z and with u_y are needed. Two routes:

- `naive` draws every embedding, forms the d x d matrix W and multiplies: O(N d + N M + d^2) and more, the oracle;
- `projected` draws the inner products: given e_z, the other inputs are independent of it, hence e_x.e_z is |e_z| times
  the component of e_x along a fixed direction (rotation invariance), and e_z.e_z = |e_z|^2; likewise for the outputs.
  Exact in law for both embeddings, O(N + M) a draw for every d.

Neither uses a formula for a moment.
"""

import math
from typing import Any

import numpy as np
import torch

from asymp.montecarlo.arguments import takes
from asymp.montecarlo.checks import check_choice, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import component, length
from asymp.montecarlo.samplers.length_tails import HYPERCONTRACTIVE
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.score_tails import Moments, bilinear_moments

CHUNK = 2**17
"""Elements of a working array: 1 MB, which stays in the cache."""
MOST_OUTPUTS = 512
ROUTES = ("auto", "naive", "projected")


@takes(RecallProblem, without=("T", "s"))
def sample_score(draw: Draw, *, z: int = 1, y: int | None = None, route: str = "auto", **settings: Any) -> torch.Tensor:
    """One score u_y^T W e_z a replica, each with embeddings of its own; f(z) is the output y unless one is given."""
    problem, z, y, route = check_score(z=z, y=y, route=route, **settings)
    sample = _naive if route == "naive" else _projected
    M, d = problem.M, problem.d
    size = (2 * problem.rows + M + d) * d if route == "naive" else problem.rows + M
    rows = max(1, CHUNK // size)
    return torch.cat([sample(part, problem, z - 1, y) for part in draw.batches(rows)])


def _projected(draw: Draw, problem: RecallProblem, z: int, y: int) -> torch.Tensor:
    """Scores from inner products alone; z counts from 0."""
    d = problem.d
    e = length(draw, problem.inputs, (1,), d)
    u = length(draw, problem.outputs, (1,), d)
    # |e_z| and |u_y| in the place of the component are the products with themselves, once multiplied by e and u
    along_e = component(draw, problem.inputs, (problem.rows,), d)
    along_e = torch.where(torch.arange(problem.rows, device=draw.device) == z, e, along_e)
    along_u = component(draw, problem.outputs, (problem.M,), d)
    along_u = torch.where(torch.arange(problem.M, device=draw.device) == y, u, along_u)
    q, f = torch.as_tensor(problem.q, device=draw.device), torch.as_tensor(problem.f, device=draw.device)
    return (along_u.index_select(1, f) * along_e * q).sum(1) * e[:, 0] * u[:, 0]


def _naive(draw: Draw, problem: RecallProblem, z: int, y: int) -> torch.Tensor:
    """Scores from W itself; z counts from 0."""
    E = draw.embeddings(problem.inputs, (problem.rows, problem.d))
    U = draw.embeddings(problem.outputs, (problem.M, problem.d))
    q, f = torch.as_tensor(problem.q, device=draw.device), torch.as_tensor(problem.f, device=draw.device)
    W = (U.index_select(1, f) * q[:, None]).mT @ E
    return torch.einsum("rd,rde,re->r", U[:, y], W, E[:, z])


def check_score(*, z: int, y: int | None, route: str, **settings: Any) -> tuple[RecallProblem, int, int, str]:
    """The problem, input and output that a score is read at (y counts from 0), and the route, once checked."""
    if isinstance(settings["N"], float) and math.isinf(settings["N"]):
        raise ValueError(f"N must be finite for score_moments; got {settings['N']!r}")
    rho = settings.get("rho", 0)
    if all(settings.get(name) is None for name in ("alpha", "p")) and (
        settings.get("weights") is not None or (isinstance(rho, int | float) and rho == 0)
    ):
        settings["alpha"] = 0.0  # q does not depend on p then, and the score knows p through q only
    problem = RecallProblem(**settings)
    z = check_whole("z", z, high=problem.rows)
    y = int(problem.f[z - 1]) if y is None else check_whole("y", y, low=0, high=problem.M - 1)
    route = check_choice("route", route, ROUTES)
    return problem, z, y, "projected" if route == "auto" else route


def score_tails(*, z: int = 1, y: int | None = None, route: str = "auto", **settings: Any) -> Moments | None:
    """The moments of a score; None for more outputs than a matrix of their products should have.

    Inputs of one class enter by the sum of their components, which is one component with the root of the summed squares.
    """
    problem, z, y, _ = check_score(z=z, y=y, route=route, **settings)
    if problem.M > MOST_OUTPUTS:
        return None
    squares = np.bincount(problem.f, weights=problem.q**2, minlength=problem.M)
    own = int(problem.f[z - 1])
    squares[own] -= problem.q[z - 1] ** 2
    A = np.zeros((problem.M + 1, problem.M))
    A[0, own] = problem.q[z - 1]
    A[1:] = np.diag(np.sqrt(np.maximum(squares, 0)))
    return bilinear_moments(A, 0, y, d=problem.d, inputs=problem.inputs, outputs=problem.outputs)


def _score_kurtosis(**params: Any) -> float:
    """From its exact moments; for very many outputs, of a polynomial of degree four."""
    found = score_tails(**params)
    return HYPERCONTRACTIVE**4 if found is None else found.kurtosis


score_experiment = experiment("score", sample_score, version=1, block=4096, kurtosis=_score_kurtosis)
