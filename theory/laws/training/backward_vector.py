"""backward-vector: a gradient inside a deep model is the mean outer product of backward vector and input."""

from asymp.theory.law import law
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

SOURCE = law(
    "backward-vector:source",
    "Sum(g[s, i]*x[s, j]*D[a, i, j], (s, 1, n), (i, 1, d), (j, 1, d))/n",
    relation="=",
    params=(
        Param(real(), meaning="backward vector dl/dx~ of the sample s", name="g", indices="si"),
        Param(real(), meaning="input x of W in the sample s", name="x", indices="sj"),
        Param(real(), meaning="directions along which W is moved", name="D", indices="aij"),
        Param(integer(1), (4, 64), meaning="number of samples", name="n"),
    ),
    quantity="slope_a",
    indices="a",
    title="Slope of the loss along directions of W, by E[(dl/dx~) x^T]",
    source=Source("bietti2024", "slide on associative memories inside deep models"),
    conventions="A matrix W between the nodes x and x~ = W x (+ other terms) of a feedforward graph; l is the loss of a "
    "sample, the expectation E[(dl/dx~) x^T] is the mean over samples, and the slope along D is the sum over i, j of "
    "its entries times D_ij.",
)

LAWS = (
    SOURCE.but(
        "backward-vector",
        "Sum(g[s, t, i]*x[s, t, j]*D[a, i, j], (s, 1, n), (t, 1, N), (i, 1, d), (j, 1, d))/n",
        params=(
            SOURCE.params["g"].but(meaning="backward vector dl/dx~ of the sample s at its use t", indices="sti"),
            SOURCE.params["x"].but(meaning="input x of W in the sample s at its use t", indices="stj"),
            SOURCE.params["D"],
            SOURCE.params["n"],
        ),
        title="Slope of the loss along directions of W that is used several times",
        source=Source("asymp", "chain rule"),
    ),
    SOURCE,
)
