"""joint-law: few dimensions and few samples together."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.scaling import ALPHA, LIMIT, D, K, M, T
from asymp.theory.param import integer, real
from asymp.theory.sources import Condition, Source

STEEP = ALPHA.over(1.2, 4)
ANY_T = T.but(domain=real(0, infinite=True)).over(10, 1e5)
ANY_D = D.but(domain=integer(1, infinite=True))
SOME_T = T.but(domain=real(1), default=None)
PARAMS = (STEEP, SOME_T.over(100, 1e6), D.over(100, 100_000), M.over(2, 20), K)

CONVENTIONS = (
    "q = 1 on the inputs x <= P = k d seen in T samples, N = inf; what is not stored is guessed among M outputs."
)
BEYOND, UNSEEN = "ZipfTail(alpha, floor(k*d), oo)", "UnseenMass(alpha, T, floor(k*d), oo)"
SUM = f"(1 - 1/M)*({BEYOND} + {UNSEEN})"
# The stored inputs, n on average, have the margin sqrt(d M/n).
LOST = f"(1 - {BEYOND} - {UNSEEN})*GaussianError(sqrt(d*M/NumberSeen(alpha, T, floor(k*d))), M)"


declare = partial(law, relation="~", conventions=CONVENTIONS)
LAWS = (
    declare(
        "joint-law",
        SUM,
        params=(STEEP, ANY_T, D.over(50, 10_000), M.over(2, 20), K),
        title="Few dimensions and few samples: what is not stored and what is not seen",
        source=Source("asymp", "mass beyond P, and mass below P that T samples miss"),
    ),
    declare(
        "joint-law:source",
        "d**(1 - alpha) + T**(-1 + 1/alpha)",
        params=(STEEP, T.but(domain=real(1, infinite=True), default=None).over(10, 1e6), ANY_D.over(10, 100_000)),
        title="Few dimensions and few samples, as the source states it",
        source=Source("cabannes2024", "abstract, Proposition 4 (recalled), Figure 1 with rho = 0, P = d/8"),
        conventions=CONVENTIONS + " Up to a constant.",
    ),
    declare(
        "joint-law:plain-sum",
        "(1 - 1/M)*((k*d)**(1 - alpha)/((alpha - 1)*zeta(alpha))"
        " + gamma(1 - 1/alpha)*zeta(alpha)**(-1/alpha)/alpha*T**(-1 + 1/alpha))",
        params=PARAMS,
        title="Few dimensions and few samples: the source's sum with the constants of its two limits",
        source=Source("cabannes2024", "abstract, Figure 1; the constants are derived here"),
    ),
    declare(
        "joint-law:asymptotic",
        "(1 - 1/M)*(zeta(alpha, k*d + 1)/zeta(alpha) + zeta(alpha)**(-1/alpha)/alpha*T**(-1 + 1/alpha)"
        "*uppergamma(1 - 1/alpha, T*(k*d + 1/2)**(-alpha)/zeta(alpha)))",
        params=PARAMS,
        title="Few dimensions and few samples, closed form",
        source=Source("asymp", "the sum over x <= P as an incomplete gamma function"),
    ),
    declare(
        "joint-law:interference",
        f"{SUM} + {LOST}",
        params=(STEEP, ANY_T, D.over(50, 10_000), M, K),
        title="Few dimensions and few samples, interference of the stored inputs included",
        source=Source("asymp", "the n inputs stored have the margin sqrt(d M/n)"),
        conventions=CONVENTIONS + " " + LIMIT + " The number of stored inputs is replaced by its mean.",
        conditions=Condition(lambda v: v["k"] * v["d"] >= 1, "k d must be at least 1: nothing is stored otherwise"),
    ),
)
