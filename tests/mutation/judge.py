"""Whether a changed formula is told from the right one by the law's second route."""

import math
import signal
import time
from contextlib import contextmanager

import mpmath
import sympy
from failures import failure
from in_floats import FUNCTIONS, Printer, needs_floats, plain
from second_routes.gradients import growth_constant
from sympy.core.function import AppliedUndef

SECONDS = (
    4.0  # of the processor: what takes longer under a mutant counts as noticed, the formula does not come to an end
)
DIGITS = 25
NEAR = mpmath.mpf(10) ** -8
"""Relative: no change of a number, sign, exponent or symbol at the routes' points is this small."""


class TimeIsUpError(BaseException):
    """Raised in whatever runs too long; not an Exception, which SymPy would catch and go on."""


@contextmanager
def at_most(seconds):
    def stop(*_):
        raise TimeIsUpError(f"more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def default_words(law, point=None):
    """The words of a point, or the law's own."""
    given = point or {}
    return {name: given.get(name, law.defaults.get(name, words[0])) for name, words in law.words.items()}


def number(expr, law, point):
    """A formula at a point, by mpmath: integrals by quadrature, sums term by term; infima in float64."""
    if expr.has(AppliedUndef):
        raise ValueError("a function without a formula")
    full = {**law.defaults, **point}
    values = {s: full[name] for name, s in law.symbols.items() if name in full}
    floats = needs_floats(expr)
    whole = floats or expr.has(sympy.Sum, sympy.Product)  # their bounds are counted with, which takes whole numbers
    if expr.has(sympy.Integral) and not whole:
        # numbers first, so that what does not depend on the variable is worked out once
        put = {s: _sympy(value) for s, value in values.items()}
        expr = expr.replace(lambda e: isinstance(e, sympy.Integral), lambda e: e.subs(put))
    with mpmath.workdps(15 if expr.has(sympy.Integral) else DIGITS):
        numbers = [_number(value, whole) for value in values.values()]
        # names of their own: a parameter gamma would hide the function
        names = {s: sympy.Symbol(f"given_{i}") for i, s in enumerate(values)}
        known = {**NAMED, **failure(law, full)}
        if floats:
            known = {**{name: plain(f) for name, f in known.items()}, **FUNCTIONS}
            numbers = [v if isinstance(v, int) else float(v) for v in numbers]
        function = sympy.lambdify(
            list(names.values()), expr.xreplace(names), modules=[known, "mpmath"], printer=Printer(known)
        )
        found = mpmath.mpmathify(function(*numbers))
    if abs(mpmath.im(found)) > NEAR * abs(found):
        raise ValueError("not real")
    return mpmath.re(found)


def _number(value, whole):
    if value == math.inf:
        return mpmath.inf
    if whole and value == int(value):
        return int(value)
    return mpmath.mpf(value.numerator) / value.denominator if hasattr(value, "numerator") else mpmath.mpf(value)


def _sympy(value):
    if value == math.inf:
        return sympy.oo
    if value == int(value):
        return sympy.Integer(int(value))
    return sympy.Float(mpmath.mpf(value.numerator) / value.denominator if hasattr(value, "numerator") else value, 25)


def _largest_other(c, y, alpha, N, M, rho, P):
    own = {c % M, y % M}
    return max((_class_sum(k, alpha, N, M, rho, P) for k in range(int(M)) if k not in own), default=mpmath.mpf(0))


def _iterate(n, gamma, M, stretch=1):
    q = mpmath.mpf(0)
    for _ in range(int(n)):
        q += gamma / (1 + mpmath.exp(q * stretch) / (M - 1))
    return q


def _class_sum(x, alpha, N, M, rho, P):
    if mpmath.inf == N and mpmath.inf == P:
        alpha, s = mpmath.mpf(alpha), 2 * mpmath.mpf(alpha) * rho
        first = mpmath.mpf((int(x) - 1) % int(M) + 1)
        return mpmath.zeta(s, first / M) * mpmath.mpf(M) ** -s * mpmath.zeta(alpha) ** (-2 * mpmath.mpf(rho))
    power = [mpmath.mpf(k) ** -alpha for k in range(1, int(N) + 1)]
    total = mpmath.fsum(power)
    return mpmath.fsum((v / total) ** (2 * rho) for k, v in enumerate(power, 1) if (k - x) % M == 0 and k <= P)


def _integral(function, *limits):
    """The trapezoidal rule for an integral over the whole line, which is a normal density times something smooth; else mpmath's."""
    (low, high), *more = limits
    if more or low != -mpmath.inf or high != mpmath.inf:
        return mpmath.quad(function, *limits, maxdegree=5)
    step = mpmath.mpf(1) / 8
    return step * mpmath.fsum(function(k * step) for k in range(-88, 89))


def _pair_bound(w, s, m, o, d):
    v = max(s - w, (mpmath.sqrt(w * w + 32 * w * m) - w) / 2)
    far = mpmath.mpf(0.75) ** ((mpmath.mpf(d) - 1) / 2) / 4
    if v == 0 or w == 0:
        return far + (0 if w else mpmath.mpf(1) / 2)
    kappa = w / (v * (v + w))
    rate = mpmath.log1p(w / v) + kappa * (v - s + w)
    return mpmath.exp(-d * rate / 2) * 16 ** (kappa * o) / 2 + far


def _inverse_error(e, M):
    """The a with pi_M(a) = e, by bisection."""
    low, high = mpmath.mpf(-20), mpmath.mpf(40)
    for _ in range(50):
        a = (low + high) / 2
        error = _integral(
            lambda t, a=a: mpmath.npdf(t) * (1 - mpmath.ncdf(a + t) ** (M - 1)), (-mpmath.inf, mpmath.inf)
        )
        low, high = (a, high) if error > e else (low, a)
    return low


# What mpmath does not know by these names, or does slowly, done plainly.
NAMED = {
    "quad": _integral,
    "betainc_regularized": lambda a, b, low, high: mpmath.betainc(a, b, low, high, regularized=True),
    "SGDIterate": _iterate,
    "OrthonormalIterate": lambda n, gamma, M: _iterate(n, gamma, M, M / (M - 1)),
    "ClassSum": _class_sum,
    "PairBound": _pair_bound,
    "LargestOther": _largest_other,
    "InverseError": _inverse_error,
    "GaussianError": lambda a, M: _integral(
        lambda t: mpmath.npdf(t) * (1 - mpmath.ncdf(a + t) ** (M - 1)), (-mpmath.inf, mpmath.inf)
    ),
    "GrowthConstant": lambda gamma, M: growth_constant(mpmath.mpf(gamma), mpmath.mpf(M)),
    "harmonic": lambda n, m=1: mpmath.fsum(mpmath.mpf(k) ** -m for k in range(1, int(n) + 1)),
    "RisingFactorial": lambda x, k: mpmath.rf(x, k),
    "floor": lambda x: int(mpmath.floor(x)),
    "ceiling": lambda x: int(mpmath.ceil(x)),
}


class Judge:
    """The second route of one law: its values, at the points where the right formula can be evaluated and agrees."""

    def __init__(self, law, route, words):
        self.law = law
        self.known = []
        self.patience = SECONDS
        # no more digits than are compared here: a slow route with all of its own has no time left
        precision = min(DIGITS, route.digits) + 15
        for point in (*route.points, *route.rough):
            if default_words(law, point) != words:
                continue
            try:
                with at_most(10 * SECONDS):
                    wanted = route.value(point, precision)
                    start = time.process_time()
                    found = number(law.variant(**words), law, point)
                    self.patience = max(self.patience, 5 * (time.process_time() - start))
            except (Exception, TimeIsUpError):  # a formula that cannot be evaluated has no judge
                continue
            if self._same(found, wanted):
                self.known.append((point, wanted))

    @staticmethod
    def _same(found, wanted):
        with mpmath.workdps(DIGITS):
            return abs(found - wanted) <= NEAR * abs(wanted)

    def notices(self, expr):
        """Why a changed formula is not the law, or None."""
        for point, wanted in self.known:
            try:
                with at_most(self.patience):
                    found = number(expr, self.law, point)
            except (Exception, TimeIsUpError) as error:  # whatever happens to a wrong formula
                return f"second route ({type(error).__name__})"
            if not self._same(found, wanted):
                return "second route"
        return None
