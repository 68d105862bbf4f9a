"""The letters of the book, each declared once."""

from asymp.theory import Param, integer, real
from asymp.theory.sources import Condition

n = Param(integer(1), (8, 1024), meaning="number of samples", name="n")
P = Param(integer(1), (16, 2048), meaning="number of modes", name="P")
k = Param(integer(1), (8, 512), meaning="number of random features", name="k")
a = Param(real(0), (1.2, 2), meaning="capacity: the spectrum is i^-a", name="a")
b = Param(real(above=1), (1.2, 4), meaning="source: mode i holds i^-b of the target's variance", name="b")
steep = Param(
    real(above=1), (1.2, 2), meaning="capacity: the spectrum is i^-a; infinitely many modes need a > 1", name="a"
)
delta = Param(real(0), (0.01, 10), meaning="ridge: X^T X + delta", name="delta")
v = Param(real(0), (0, 1), default=0, meaning="variance of the noise on targets", name="v")
t = Param(integer(0), (1, 512), meaning="number of steps", name="t")
eta = Param(real(0), (0.05, 0.3), meaning="step size", name="eta")
D = Param(integer(1), (8, 4096), meaning="number of samples seen", name="D")
alpha = Param(
    real(0), (0.3, 2), meaning="quantum i is used with probability proportional to i^-(1 + alpha)", name="alpha"
)
quanta = Param(integer(1), (16, 2048), meaning="number of quanta", name="P")
tau = Param(integer(1), (1, 8), default=1, meaning="how often a quantum is seen before it is learnt", name="tau")
i = Param(integer(1), (1, 64), meaning="which quantum, by use", name="i")
ONE_ROOT = Condition(
    lambda at: (at["delta"] > 0) | (at["n"] < at["P"]),
    "delta must be above 0, or n below P: n >= P samples fix every mode without ridge",
)
RIDGE = Condition(lambda at: at["delta"] > 0, "delta must be above 0")
MODEL = (
    "Features x_i = i^(-a/2) z_i, z standard normal; targets: the sum of i^(-b/2) z_i plus noise of variance v; excess risk is the "
    "test error less v."
)
