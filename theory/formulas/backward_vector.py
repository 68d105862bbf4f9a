"""backward-vector: a gradient inside a deep model is the mean outer product of backward vector and input."""

from typing import Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

SHARED: dict[str, Any] = {
    "meanings": {
        "d": "dimension of the nodes x and x~",
        "g": "mean of the backward vector's entry dl/dx~_i",
        "m": "mean of the input's entry x_j",
        "c": "covariance of the two entries over the data",
    },
    "conventions": "A matrix W between the nodes x and x~ = W x (+ other terms) of a feedforward graph; l is the loss "
    "of a sample, the "
    "expectation is over samples.",
}

LAWS = (
    law(
        "backward-vector",
        "0*d",
        relation="=",
        domain={"d": integer(1)},
        typical={"d": (2.0, 128.0)},
        quantity="deviation",
        title="Relative deviation of the gradient by automatic differentiation from E[(dl/dx~) x^T]",
        source=Source("asymp", "chain rule"),
        notes=(
            "Where W is used several times for a sample (once for each position of a sequence), the gradient is the "
            "sum "
            "over the uses: E of the sum over t of (dl/dx~_t) x_t^T. The statement is for one use.",
            "In float64 what is left is rounding: below 1e-12.",
        ),
        **SHARED,
    ),
    law(
        "backward-vector:source",
        "g*m + c",
        relation="=",
        domain={"g": real(), "m": real(), "c": real()},
        typical={"g": (0.0, 1.0), "m": (0.0, 1.0), "c": (0.0, 1.0)},
        quantity="G_ij",
        title="An entry of the gradient: E[(dl/dx~_i) x_j] by the means and the covariance",
        source=Source("bietti2024", "slide on associative memories inside deep models"),
        notes=(
            "The source writes E[(dl/dx~) x^T]; an expectation of a product is the product of means plus the "
            "covariance.",
        ),
        **SHARED,
    ),
)
