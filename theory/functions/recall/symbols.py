"""SymPy pieces of the laws of recall: the Zipf law, its class sums, the M-way Gaussian error, an infimum, a failure."""

from functools import lru_cache
from xml.dom.minidom import Element

import mpmath
import numpy as np
import sympy
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.printing.printer import Printer

from asymp.theory.functions.arguments import FloatArray, Mpf
from asymp.theory.functions.recall.gaussian_error import gaussian_error_digits, pi_M
from asymp.theory.functions.recall.injective import memories_held, memories_held_digits
from asymp.theory.functions.special import Special, element, text
from asymp.theory.functions.zipf.law import class_sums_digits


def normal_cdf(x: sympy.Expr) -> sympy.Expr:
    """Phi(x)."""
    return sympy.erfc(-x / sympy.sqrt(2)) / 2


def zipf(x: sympy.Expr, alpha: sympy.Expr, N: sympy.Expr = sympy.oo) -> sympy.Expr:
    """p(x) = C x^-alpha; harmonic(N, alpha) is the normaliser, zeta(alpha) at N = infinity."""
    return x**-alpha / (sympy.harmonic(N, alpha) if N is not sympy.oo else sympy.zeta(alpha))


class ClassSum(sympy.Function):  # type: ignore[misc]
    """ClassSum(c, alpha, N, M, rho, P) = S_c: the sum of p(x)^(2 rho) over x = c mod M, x <= min(N, P)."""

    nargs = 6
    is_real = True

    def _eval_evalf(self, prec: int) -> sympy.Expr | None:
        if not all(a.is_number for a in self.args):
            return None
        return sympy.Float(_class_sums(self.args[1:], prec)[int(self.args[0]) % int(self.args[3])], int(prec / 3.32))

    def _latex(self, printer: Printer, exp: str | None = None) -> str:
        text = rf"S_{{{printer._print(self.args[0])}}}"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _mathml_presentation(self, printer: Printer) -> Element:
        return element(printer, "msub", text(printer, "mi", "S"), printer._print(self.args[0]))


class LargestOther(sympy.Function):  # type: ignore[misc]
    """LargestOther(c, y, alpha, N, M, rho, P): the largest S_k over the classes k other than c and y; 0 if there is none."""

    nargs = 7
    is_real = True

    @classmethod
    def eval(cls, *arguments: sympy.Expr) -> sympy.Expr | None:
        """0 for two outputs; None leaves it as it stands."""
        return sympy.Integer(0) if arguments[4] == 2 else None

    def _eval_evalf(self, prec: int) -> sympy.Expr | None:
        if not all(a.is_number for a in self.args):
            return None
        sums, M = _class_sums(self.args[2:], prec), int(self.args[4])
        own = {int(a) % M for a in self.args[:2]}
        return sympy.Float(max([sums[k] for k in range(M) if k not in own], default=0), int(prec / 3.32))

    def _latex(self, printer: Printer, exp: str | None = None) -> str:
        c, y = (printer._print(a) for a in self.args[:2])
        text = rf"\max_{{k \neq {c}, {y}}} S_k"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _mathml_presentation(self, printer: Printer) -> Element:
        c, y = self.args[:2]
        set_ = text(printer, "mi", "k"), text(printer, "mo", "\u2260"), printer._print(c), text(printer, "mo", ",")
        under = element(printer, "mrow", *set_, printer._print(y))
        largest = element(printer, "munder", text(printer, "mo", "max"), under)
        return element(
            printer, "mrow", largest, element(printer, "msub", text(printer, "mi", "S"), text(printer, "mi", "k"))
        )


class PairBound(sympy.Function):  # type: ignore[misc]
    """PairBound(w, s, m, o, d): a bound on the probability that one wrong output beats the right one.

    w = q^2, s = S_f + S_y, m = max of the other class sums, o = their total. `doit` writes it out: with
    v = max(s - w, (sqrt(w^2 + 32 w m) - w)/2) and kappa = w/(v (v + w)) it is
    exp(-d [log(1 + w/v) + kappa (v - s + w)]/2) 2^(4 kappa o)/2 + (3/4)^((d-1)/2)/4.
    """

    nargs = 5
    definition = (
        "B(w, s, m, o, d) bounds the probability that one wrong output beats the right one: with v = max(s - w, (sqrt(w^2 + "
        "32 w m) - w)/2) and kappa = w/(v (v + w)) it is exp(-d (log(1 + w/v) + kappa (v - s + w))/2) 2^(4 kappa o)/2 + "
        "(3/4)^((d - 1)/2)/4."
    )

    def doit(self, **hints: object) -> sympy.Expr:
        """The bound, written out."""
        w, s, m, o, d = (a.doit(**hints) for a in self.args)
        v = sympy.Max(s - w, (sympy.sqrt(w**2 + 32 * w * m) - w) / 2)
        kappa = w / (v * (v + w))
        rate = sympy.log(1 + w / v) + kappa * (v - s + w)
        return sympy.exp(-d * rate / 2) * 2 ** (4 * kappa * o) / 2 + sympy.Rational(3, 4) ** ((d - 1) / 2) / 4

    def _eval_evalf(self, prec: int) -> sympy.Expr | None:
        return self.doit()._eval_evalf(prec) if all(a.is_number for a in self.args) else None

    def _latex(self, printer: Printer, exp: str | None = None) -> str:
        text = rf"B\left({', '.join(printer._print(a) for a in self.args)}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _mathml_presentation(self, printer: Printer) -> Element:
        inside = [part for i, a in enumerate(self.args) for part in ((text(printer, "mo", ","), a) if i else (a,))]
        brackets = text(printer, "mo", "("), *inside, text(printer, "mo", ")")
        return element(printer, "mrow", text(printer, "mi", "B"), *brackets)


class GaussianError(Special):
    """GaussianError(a, M) = pi_M(a) = 1 - integral of phi(t) Phi(a + t)^(M-1) over all t; `doit` writes it out."""

    nargs = 2
    is_real = True
    definition = (
        "pi_M(a) = 1 - integral over t of phi(t) Phi(a + t)^(M-1) is the error of a choice among M independent standard normal "
        "scores of which the right one has a added (phi and Phi: the normal density and distribution function)."
    )

    @staticmethod
    def floats(a: FloatArray, M: FloatArray) -> FloatArray:
        """The error in float64."""
        return np.asarray(pi_M(a=a, M=M))

    @staticmethod
    def digits(a: Mpf, M: Mpf) -> Mpf:
        """The error as an mpmath number."""
        return gaussian_error_digits(a=a, M=M, digits=mpmath.mp.dps)

    def doit(self, **hints: bool) -> sympy.Expr:
        """The integral itself."""
        a, M = (argument.doit(**hints) for argument in self.args)
        t = sympy.Symbol("t", real=True)
        density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)
        return 1 - sympy.Integral(density * normal_cdf(a + t) ** (M - 1), (t, -sympy.oo, sympy.oo))

    def _latex(self, printer: Printer, exp: str | None = None) -> str:
        a, M = (printer._print(argument) for argument in self.args)
        power = "" if exp is None else rf"^{{{exp}}}"
        return rf"\pi_{{{M}}}{power}\left({a}\right)"

    def _mathml_presentation(self, printer: Printer) -> Element:
        a, M = self.args
        name = element(printer, "msub", text(printer, "mi", "\u03c0"), M)
        return element(printer, "mrow", name, text(printer, "mo", "("), a, text(printer, "mo", ")"))


class InverseError(Special):
    """InverseError(e, M): the margin a with pi_M(a) = e."""

    nargs = 2
    letter = r"\pi_{{{1}}}^{{-1}}\left({0}\right)"

    @staticmethod
    def floats(e: FloatArray, M: FloatArray) -> FloatArray:
        """The margin in float64."""
        return np.sqrt(M / memories_held(M=M, d=1.0, e=e))

    @staticmethod
    def digits(e: Mpf, M: Mpf) -> Mpf:
        """The margin as an mpmath number."""
        return mpmath.sqrt(M / memories_held_digits(M=M, d=1, e=e, digits=mpmath.mp.dps))

    def _mathml_presentation(self, printer: Printer) -> Element:
        e, M = self.args
        inverse = element(printer, "msubsup", text(printer, "mi", "\u03c0"), M, text(printer, "mn", "-1"))
        return element(printer, "mrow", inverse, text(printer, "mo", "("), e, text(printer, "mo", ")"))


@lru_cache(maxsize=64)
def _class_sums(arguments: tuple[sympy.Expr, ...], prec: int) -> FloatArray:
    digits = int(prec / 3.32) + 3
    alpha, N, M, rho, P = (sympy.oo if a == sympy.oo else a.evalf(digits) for a in arguments)
    size, last = (float("inf") if v == sympy.oo else v for v in (N, P))
    return class_sums_digits(alpha=alpha, N=size, M=int(M), rho=rho, P=last, digits=digits).squares


class Infimum(ExprWithLimits):  # type: ignore[misc]
    """Infimum(expr, (g, 0, oo)): the infimum of an expression over a variable, left as it stands."""

    def __new__(cls, function: sympy.Expr, *limits: sympy.Tuple, **assumptions: bool) -> "Infimum":
        """As for a Sum or an Integral."""
        return ExprWithLimits.__new__(cls, function, *limits, **assumptions)  # type: ignore[no-any-return]

    def _latex(self, printer: Printer) -> str:
        variable, low, high = self.limits[0]
        ends = rf"{printer._print(low)} < {printer._print(variable)} < {printer._print(high)}"
        return rf"\inf_{{{ends}}} \left[{printer._print(self.function)}\right]"

    def _mathml_presentation(self, printer: Printer) -> Element:
        under = element(printer, "munder", text(printer, "mo", "inf"), printer._print(self.variables[0]))
        brackets = text(printer, "mo", "["), printer._print(self.function), text(printer, "mo", "]")
        return element(printer, "mrow", under, *brackets)


class Failure(sympy.Function):  # type: ignore[misc]
    """Failure(x, ...): the probability that the input x is not recalled, a function of the scheme's parameters.

    It has no closed form: given the outputs' Gram matrix and |e_x| it is the Gaussian measure of a union of half-spaces.
    """

    def _latex(self, printer: Printer, exp: str | None = None) -> str:
        x, *rest = (printer._print(a) for a in self.args)
        text = rf"\mathbb{{P}}\left(f_q({x}) \neq f({x}) \mid {', '.join(rest)}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _mathml_presentation(self, printer: Printer) -> Element:
        words = [text(printer, "mi", "P"), text(printer, "mo", "(")]
        for i, a in enumerate(self.args):
            words += [text(printer, "mo", "," if i > 1 else "|")] if i else []
            words.append(printer._print(a))
        return element(printer, "mrow", *words, text(printer, "mo", ")"))
