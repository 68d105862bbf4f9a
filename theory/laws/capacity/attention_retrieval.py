"""attention-retrieval: softmax attention is one step of retrieval in a dense memory over the context."""

from asymp.theory.law import law
from asymp.theory.laws.capacity import PATTERNS
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

BETA = Param(real(above=0), (8, 64), meaning="inverse temperature", name="beta")
DIMENSION_PATTERNS = Param(integer(2), (8, 64), meaning="dimension of the patterns", name="d")
DELTA = Param(real(0), (0.5, 2), meaning="distance |x - a(x)| of the query from what attention returns", name="delta")
NOISE = Param(real(above=0), (0.25, 0.5), meaning="length of the noise added to the query, N(0, s^2 I/d)", name="s")

ENERGY = (
    "Patterns xi_1, ..., xi_N in R^d, E(x) = |x|^2/2 - (1/beta) log sum over i of exp(beta xi_i . x). Attention with the "
    "query x, keys and values xi and inverse temperature beta returns a(x) = sum over i of softmax_i(beta xi . x) xi_i; "
)
SPHERE = (
    "N patterns uniform on the unit sphere of R^d, the query is one of them, xi_1. The quantity is the mean of the "
    "weight of the others over its own: sum over i > 1 of exp(beta (xi_i . xi_1 - 1))."
)


# A pattern xi_i has the weight exp(beta (xi_i - xi_1) . x); over noise of length s its mean has beta^2 s^2 |xi_i - xi_1|^2/(2 d)
# more in the exponent, and |xi_i - xi_1|^2 = 2 - 2 xi_i . xi_1: a noisy query leaks as a clean one does at this temperature.
LAWS = (
    law(
        "attention-retrieval",
        "Abs(1 - eta)*delta",
        relation="=",
        params=(Param(real(0), default=1, meaning="step size of the gradient step", name="eta"), DELTA),
        quantity="deviation",
        title="Distance of one gradient step on the energy from softmax attention, exact",
        source=Source("asymp", "x - eta grad E(x) = (1 - eta) x + eta a(x)"),
        conventions=ENERGY + "the quantity is |x - eta grad E(x) - a(x)|.",
    ),
    law(
        "attention-retrieval:source",
        "Sum(xi[i, j]*exp(beta*Sum(xi[i, a]*x[a], (a, 1, d))), (i, 1, N))"
        " / Sum(exp(beta*Sum(xi[l, b]*x[b], (b, 1, d))), (l, 1, N))",
        relation="=",
        params=(
            Param(real(), meaning="patterns, which are keys and values", name="xi", indices="ij"),
            Param(real(), meaning="query", name="x", indices="j"),
            BETA,
        ),
        quantity="x_j",
        indices="j",
        title="One step of retrieval is softmax attention, as the source states it",
        source=Source("bietti2025", "slide on attention as associative memory"),
        conventions=ENERGY + "the quantity is x - grad E(x): one gradient step of size 1.",
    ),
    law(
        "attention-retrieval:descent",
        "-delta**2/2",
        relation="<=",
        params=(DELTA,),
        quantity="Delta_E",
        title="The energy falls in a step of attention",
        source=Source("asymp", "convexity of the log-sum-exp"),
        conventions=ENERGY + "the quantity is E(a(x)) - E(x).",
    ),
    law(
        "attention-retrieval:leak",
        "(N - 1)*SphereWeight(d, beta)",
        relation="=",
        params=(DIMENSION_PATTERNS, PATTERNS, BETA),
        quantity="leak",
        title="Weight that attention gives to the other patterns, exact mean",
        source=Source("asymp", "moment generating function of an inner product on the sphere"),
        conventions=SPHERE,
    ),
    law(
        "attention-retrieval:noise",
        "(N - 1)*SphereWeight(d, beta*(1 - beta*s**2/d))",
        relation="=",
        params=(DIMENSION_PATTERNS, PATTERNS, BETA.over(2, 8), NOISE),
        conditions=Condition(
            lambda v: v["beta"] * v["s"] ** 2 < v["d"], "beta s^2 must be below d: the others outweigh it beyond"
        ),
        quantity="leak",
        title="Weight that attention gives to the other patterns under noise, exact mean",
        source=Source("asymp", "noise of size s is heat: beta becomes beta (1 - beta s^2/d)"),
        conventions=SPHERE
        + " The query is xi_1 + noise, noise ~ N(0, s^2 I/d), and the weights are those at the query.",
    ),
    law(
        "attention-retrieval:rate",
        "d*(lam - (sqrt(1 + 4*lam**2) - 1)/2 + log((1 + sqrt(1 + 4*lam**2))/2)/2)",
        relation="~",
        params=(
            DIMENSION_PATTERNS.over(16, 1024),
            Param(real(above=0), (0.5, 4), meaning="inverse temperature per dimension, beta/d", name="lam"),
        ),
        quantity="log_N",
        title="Logarithm of the number of patterns that attention tells apart, beta = lam d",
        source=Source("asymp", "Laplace's method for the mean leak"),
        conventions=SPHERE + " The logarithm of the N at which that mean is one, leading order in d.",
    ),
)
