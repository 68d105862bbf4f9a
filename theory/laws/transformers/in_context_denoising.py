"""in-context-denoising: softmax attention over the context as the best denoiser."""

from asymp.theory.law import law
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

SIGMA = Param(real(above=0), (0.3, 4), meaning="standard deviation of the noise in each coordinate", name="sigma")

# The density of y about a point of the context, up to what all points share.
WEIGHT = "exp(Sum(x[b, t, j]*y[b, j], (j, 1, d))/sigma**2)"

LAWS = (
    law(
        "in-context-denoising",
        "1/sigma**2",
        relation="=",
        params=(SIGMA,),
        quantity="beta",
        title="Inverse temperature at which softmax attention denoises best",
        source=Source("asymp", "posterior mean"),
        conventions="A point of the context, each equally likely and all of the same norm, is seen under noise N(0, sigma^2 I): "
        "the posterior mean is sum_t softmax(beta x_t . y)_t x_t, one retrieval step of a dense memory over the context.",
    ),
    law(
        "in-context-denoising:excess",
        f"Sum((Sum({WEIGHT}*x[b, t, i], (t, 1, N))/Sum({WEIGHT}, (t, 1, N)) - c[b, i])**2, (b, 1, n), (i, 1, d))/n",
        relation="~",
        params=(
            Param(real(), meaning="point t of the context b", name="x", indices="bti"),
            Param(real(), meaning="what is seen of the clean point in the context b", name="y", indices="bi"),
            Param(real(), meaning="clean point of the context b", name="c", indices="bi"),
            SIGMA,
            Param(integer(1), (1000, 20_000), meaning="number of contexts", name="n"),
        ),
        quantity="error",
        title="Mean squared error of trained attention: that of the posterior mean",
        source=Source("bietti2025", "slide on in-context denoising (Smart, Bietti, Sengupta)"),
        conventions="One layer of softmax attention with full key-query and output-value matrices, trained from small random "
        "weights on the task of `in-context-denoising`.",
    ),
)
