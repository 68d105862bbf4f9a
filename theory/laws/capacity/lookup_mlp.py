"""lookup-mlp: one neuron for each stored input, which fires only near it."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.capacity import D
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

HIDDEN_ITEMS = Param(integer(3), (64, 65_536), meaning="number of items, and of hidden units", name="N")
BIAS = Param(
    real(above=0, high=1, advice="a neuron fires for nothing at b >= 1 and for half of all inputs at b = 0"),
    default=0.5,
    meaning="bias: a neuron fires where the inner product with its input exceeds b",
    name="b",
)
NOISE = Param(real(above=0), (0.5, 2), meaning="length of the noise added to the input, N(0, s^2 I/d)", name="s")
PARAMS = (D.but(domain=integer(3)).over(12, 48), HIDDEN_ITEMS, BIAS)

CONVENTIONS = (
    "The answer to z is argmax over y of v_y . sum over x = 1..N of v_f(x) relu(u_x . u_z - b), N hidden units, f injective; "
    "u and v are uniform on the unit sphere of R^d. "
)


cap_law = partial(law, quantity="N", params=(D.but(domain=integer(3)).over(8, 128), BIAS))
noise_law = partial(
    law,
    quantity="ratio",
    params=(D.over(32, 128), HIDDEN_ITEMS.but(domain=integer(2)).over(8, 128), BIAS, NOISE),
    conventions=CONVENTIONS
    + "Items lost under noise N(0, s^2 I/d) on the input, over those that W = sum of v_f(x) u_x^T "
    "loses with the same items.",
)
LAWS = (
    cap_law(
        "lookup-mlp",
        "exp(d*b**2/4)",
        relation=">=",
        title="Capacity of a lookup layer: all items right, no other neuron fires",
        source=Source("asymp", "N^2/2 pairs, each beyond b with probability at most exp(-d b^2/2)"),
        conventions=CONVENTIONS + "The largest N at which all items are right with probability at least one half.",
    ),
    law(
        "lookup-mlp:source",
        "d",
        relation="~",
        params=(D.over(8, 128),),
        quantity="log_N",
        title="Capacity of a lookup layer, as the source states it",
        source=Source("bietti2024", "slide on capacity: MLP, 'from linear to exponential in d'"),
        conventions=CONVENTIONS + "The logarithm of the capacity, at a fixed b.",
    ),
    law(
        "lookup-mlp:silent",
        "exp((N - 1)*log(1 - betainc_regularized((d - 1)/2, 1/2, 0, 1 - b**2)/2))",
        relation="=",
        params=PARAMS,
        quantity="P_silent",
        title="Probability that no other neuron of a lookup layer fires, exact",
        source=Source("asymp", "N - 1 independent inner products with the query"),
        conventions=CONVENTIONS + "The probability that only the right neuron fires at a given z.",
    ),
    law(
        "lookup-mlp:noise",
        "erfc((1 - b)*sqrt(d/2)/s)/2",
        relation="=",
        params=(D.but(domain=integer(1)).over(8, 128), BIAS, NOISE.over(0.5, 4)),
        quantity="P_lost",
        title="Probability that noise on the input silences the right neuron, exact",
        source=Source("asymp", "u . noise is N(0, s^2/d)"),
        conventions=CONVENTIONS + "The input is u_z + noise, noise ~ N(0, s^2 I/d).",
    ),
    law(
        "lookup-mlp:cost",
        "2*N/d",
        relation="=",
        params=(D.over(16, 128), HIDDEN_ITEMS.but(domain=integer(2)).over(64, 4096)),
        quantity="ratio",
        title="Operations of a lookup layer over those of a linear memory, exact",
        source=Source("asymp", "N neurons with d inputs and d outputs against one d x d matrix"),
        conventions=CONVENTIONS
        + "From the query to the vector that meets the candidates; parameters have the same ratio.",
    ),
    noise_law(
        "lookup-mlp:noise-source",
        "1",
        relation=">=",
        title="A lookup layer is more sensitive to noise than a linear memory, as the source states it",
        source=Source("bietti2024", "slide on capacity: 'more sensitive to noise'"),
    ),
    noise_law(
        "lookup-mlp:noise-corrected",
        "1",
        relation="<=",
        title="With as many items as dimensions a lookup layer is less sensitive to noise than a linear memory",
        source=Source("asymp", "measured"),
    ),
)
