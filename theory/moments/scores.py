"""Mean, variance and covariance of the scores of an associative memory, derived by contraction.

The memory is W = sum_x q(x) u_f(x) e_x^T, or in general W = sum_{x,w} a_xw u_w e_x^T, with independent input
embeddings e_x and output embeddings u_w, each gaussian N(0, I/d), uniform on the unit sphere, of independent signs
+-1/sqrt d, or any `VectorLaw`. The score is g(z,y) = u_y^T W e_z = sum_{x,w} a_xw (u_y.u_w)(e_x.e_z).

A second moment is a sum over (x, w) and (x', w'). Its terms depend only on which of these coincide with each other
and with the asked z and y: `coincidences` lists the patterns, `expectation` gives the mean of each, and the weights
of a pattern add up to power sums of the memory. No closed form is typed in. All results are exact for every integer d
>= 1.

Symbols: d; q = q(z), q' = q(z'); S_y = sum of q(x)^2 over the class f(x) = y; S = the sum over all x. For a matrix of
weights: a_zy; R_z = sum_w a_zw^2 and C_y = sum_x a_xy^2, the squares of a row and of a column; A = the sum of all
squares; with two subscripts, R_zz' and C_yy' are sums of products of two rows or columns.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sympy

from asymp.theory.moments.wick import VectorLaw, coincidences, embedding_law, expectation, inner

__all__ = [
    "Memory",
    "function_memory",
    "gather",
    "matrix_memory",
    "score_covariance",
    "score_mean",
    "score_variance",
    "update_norm_mean",
    "weighted_score_covariance",
    "weighted_score_mean",
    "weighted_score_variance",
]

Law = str | VectorLaw
Pairs = tuple[tuple[str, str], ...]
Query = tuple[str, str]  # a score g(z, y), by the names of its input z and of its output y
Weights = Callable[[Sequence[str], Sequence[str]], sympy.Expr]


@dataclass(frozen=True)
class Memory:
    """An associative memory, by its weights and by the means of products of (e_x.e_z) and of (u_y.u_w).

    `weights(x, w)` is prod_i a_{x_i w_i}, summed over the values of those x_i and w_i that are not named: distinct
    names are distinct values.
    """

    named_inputs: tuple[str, ...]
    named_outputs: tuple[str, ...]
    weights: Weights
    input_moment: Callable[[Pairs], sympy.Expr]
    output_moment: Callable[[Pairs], sympy.Expr]

    def moment(self, *queries: Query) -> sympy.Expr:
        """E prod_i g(z_i, y_i): the sum over the patterns of coincidences of (mean over e) (mean over u) (weight)."""
        total = sympy.Integer(0)
        for x in coincidences(variables=len(queries), named=self.named_inputs, fresh="fresh x"):
            e_mean = self.input_moment(tuple((f"e_{x_i}", f"e_{z}") for x_i, (z, _) in zip(x, queries, strict=True)))
            if e_mean == 0:
                continue
            for w in coincidences(variables=len(queries), named=self.named_outputs, fresh="fresh w"):
                u_mean = self.output_moment(
                    tuple((f"u_{y}", f"u_{w_i}") for w_i, (_, y) in zip(w, queries, strict=True))
                )
                if u_mean != 0:
                    total += e_mean * u_mean * self.weights(x, w)
        return gather(total)

    def covariance(self, first: Query, second: Query) -> sympy.Expr:
        """Cov(g(z, y), g(z', y')); the variance when the queries are equal."""
        return gather(self.moment(first, second) - self.moment(first) * self.moment(second))


def gather(expression: sympy.Expr) -> sympy.Expr:
    """A polynomial in weights and power sums, with the coefficient of each, rational in the sizes d, m, M, factored."""
    # In the ring Q(d, m, M)[weights], term by term: SymPy's own route through one common denominator takes minutes
    # for long sums.
    sizes, powers = (
        sorted((s for s in expression.free_symbols if (s.name in {"d", "m", "M"}) == is_size), key=str)
        for is_size in (True, False)
    )
    field = sympy.QQ.frac_field(*sizes) if sizes else sympy.QQ
    if not powers:
        return sympy.factor(field.to_sympy(field.from_sympy(expression)))
    ring = field[tuple(powers)]
    total = sum((ring.from_sympy(term) for term in sympy.Add.make_args(expression)), ring.zero)
    return sympy.Add(
        *(
            sympy.factor(field.to_sympy(c)) * sympy.prod([s**k for s, k in zip(powers, degrees, strict=True)])
            for degrees, c in total.terms()
        )
    )


@cache
def inner_moment(pairs: Pairs, law: VectorLaw) -> sympy.Expr:
    """E prod (v.w) over the pairs, for independent vectors of one law."""
    vectors = {name for pair in pairs for name in pair}
    return expectation(sympy.prod([inner(*pair) for pair in pairs]), laws=dict.fromkeys(vectors, law))


def function_memory(
    *,
    f: Mapping[str, str],
    outputs_asked: Iterable[str],
    inputs: Law = "gaussian",
    outputs: Law = "gaussian",
    output_moment: Callable[[Pairs], sympy.Expr] | None = None,
) -> Memory:
    """The memory W = sum_x q(x) u_f(x) e_x^T, of which f is given at the inputs asked about, z or z', with weights q
    or q'.

    All other inputs are summed into S_c, for the outputs c named in f or in `outputs_asked`, and S.
    """
    q = {z: _positive(z.replace("z", "q")) for z in f}
    named = tuple(dict.fromkeys([*outputs_asked, *f.values()]))

    def weights(x: Sequence[str], w: Sequence[str]) -> sympy.Expr:
        value: dict[str, str] = {}
        for x_i, w_i in zip(x, w, strict=True):
            if value.setdefault(x_i, f.get(x_i, w_i)) != w_i:
                return sympy.Integer(0)  # f has one value at each input
        total = sympy.Integer(1)
        for x_i, w_i in value.items():
            if x_i in f:
                total *= q[x_i] ** x.count(x_i)
            elif x.count(x_i) != 2:
                raise ValueError(f"the sums of q(x)^2 do not give the pattern x = {x}, w = {w}")
            elif w_i in named:
                total *= _positive(f"S_{w_i}") - sum(q[z] ** 2 for z in f if f[z] == w_i)
            else:
                total *= _positive("S") - sum(_positive(f"S_{c}") for c in named)
        return total

    return _memory(tuple(f), named, weights, inputs, outputs, output_moment)


def matrix_memory(
    *,
    named_inputs: Sequence[str],
    named_outputs: Sequence[str],
    inputs: Law = "gaussian",
    outputs: Law = "gaussian",
    output_moment: Callable[[Pairs], sympy.Expr] | None = None,
) -> Memory:
    """The memory W = sum_{x,w} a_xw u_w e_x^T with any matrix of weights: they enter as a_zy, R, C and A."""
    every = ("*", "*")

    def complete_sum(x: tuple[str, ...], w: tuple[str, ...]) -> sympy.Expr:
        """Sum of prod_i a_{x_i w_i}, over one common row or column where x or w is starred."""
        if x == every and w == every:
            return _positive("A")
        for letter, starred, names in (("C", x, w), ("R", w, x)):
            if starred == every:
                return (
                    _positive(f"{letter}_{names[0]}")
                    if names[0] == names[1]
                    else _real(f"{letter}_{''.join(sorted(names))}")
                )
        return sympy.prod([_real(f"a_{x_i}{w_i}") for x_i, w_i in zip(x, w, strict=True)])

    def choices(values: tuple[str, ...], named: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
        """A fresh value runs over everything less what is named."""
        if set(values) <= set(named):
            return [(1, values)]
        if len(values) != 2 or values[0] != values[1]:
            raise ValueError(f"the sums R, C and A do not give the pattern {values}")
        return [(1, every), *((-1, (name, name)) for name in named)]

    def weights(x: Sequence[str], w: Sequence[str]) -> sympy.Expr:
        rows, columns = choices(tuple(x), named_inputs), choices(tuple(w), named_outputs)
        return sympy.Add(*(a * b * complete_sum(row, column) for a, row in rows for b, column in columns))

    return _memory(tuple(named_inputs), tuple(named_outputs), weights, inputs, outputs, output_moment)


def _memory(
    named_inputs: tuple[str, ...],
    named_outputs: tuple[str, ...],
    weights: Weights,
    inputs: Law,
    outputs: Law,
    output_moment: Callable[[Pairs], sympy.Expr] | None,
) -> Memory:
    e_law, u_law = embedding_law(inputs), embedding_law(outputs)
    return Memory(
        named_inputs,
        named_outputs,
        weights,
        lambda pairs: inner_moment(pairs, e_law),
        output_moment or (lambda pairs: inner_moment(pairs, u_law)),
    )


def _positive(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, positive=True)


def _real(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, real=True)


def output_of_z(match: bool) -> str:
    """The name of f(z) when y is asked: y itself, or another output f."""
    if match not in (True, False):
        raise ValueError(f"match must be True (y = f(z)) or False (y != f(z)); got {match!r}")
    return "y" if match else "f"


@cache
def _function_covariance(
    f: tuple[tuple[str, str], ...], first: Query, second: Query, inputs: VectorLaw, outputs: VectorLaw
) -> sympy.Expr:
    memory = function_memory(f=dict(f), outputs_asked=[first[1], second[1]], inputs=inputs, outputs=outputs)
    return memory.covariance(first, second)


@cache
def _matrix_covariance(z: tuple[str, ...], y: tuple[str, ...], inputs: VectorLaw, outputs: VectorLaw) -> sympy.Expr:
    memory = matrix_memory(named_inputs=z, named_outputs=y, inputs=inputs, outputs=outputs)
    return memory.covariance((z[0], y[0]), (z[-1], y[-1]))


def score_mean(*, match: bool, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """E g(z, y) in q, for y = f(z) if `match`, else for another output."""
    memory = function_memory(f={"z": output_of_z(match)}, outputs_asked=["y"], inputs=inputs, outputs=outputs)
    return memory.moment(("z", "y"))


def score_variance(*, match: bool, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """Var g(z, y) in d, q, S_y, S, for y = f(z) if `match`, else for another output."""
    asked = ("z", "y")
    f = (("z", output_of_z(match)),)
    return _function_covariance(f, asked, asked, embedding_law(inputs), embedding_law(outputs))


def score_covariance(
    *,
    y: Hashable,
    y_prime: Hashable,
    f: Hashable,
    f_prime: Hashable,
    same_input: bool = False,
    inputs: Law = "gaussian",
    outputs: Law = "gaussian",
) -> sympy.Expr:
    """Cov(g(z, y), g(z', y')) in d, q, q' and, for z = z', S_y, S; f = f(z) and f_prime = f(z').

    Outputs are given by any labels, of which only the coincidences count: y=0, y_prime=1, f=0, f_prime=1 is the
    covariance of two right scores of different classes. With `same_input`, z' = z and f_prime must be f.
    """
    if same_input and f_prime != f:
        raise ValueError(f"f_prime must equal f when same_input is true; got {f!r} and {f_prime!r}")
    names: dict[Hashable, str] = {}
    for label, name in ((y, "y"), (y_prime, "y'"), (f, "f"), (f_prime, "f'")):
        names.setdefault(label, name)
    z_prime = "z" if same_input else "z'"
    values = tuple({"z": names[f], z_prime: names[f_prime]}.items())
    queries = ("z", names[y]), (z_prime, names[y_prime])
    return _function_covariance(values, *queries, embedding_law(inputs), embedding_law(outputs))


def weighted_score_mean(*, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """E g(z, y) for a general matrix of weights, in a_zy."""
    return matrix_memory(named_inputs=["z"], named_outputs=["y"], inputs=inputs, outputs=outputs).moment(("z", "y"))


def weighted_score_variance(*, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """Var g(z, y) for a general matrix of weights, in d, a_zy, R_z, C_y, A."""
    return weighted_score_covariance(same_input=True, same_output=True, inputs=inputs, outputs=outputs)


def weighted_score_covariance(
    *, same_input: bool, same_output: bool, inputs: Law = "gaussian", outputs: Law = "gaussian"
) -> sympy.Expr:
    """Cov(g(z, y), g(z', y')) for a general matrix of weights, z' = z or not, y' = y or not, in d and the entries and
    sums of a."""
    z, y = ("z",) if same_input else ("z", "z'"), ("y",) if same_output else ("y", "y'")
    return _matrix_covariance(z, y, embedding_law(inputs), embedding_law(outputs))


def update_norm_mean(*, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """E |dW e_z|^2 for dW = sum_x a_x u_x e_x^T, with a vector u_x for every input, in d, a_z and A = sum_x a_x^2."""
    a, A = _real("a_z"), _positive("A")
    e_law, u_law = embedding_law(inputs), embedding_law(outputs)
    total = sympy.Integer(0)
    for one, two in coincidences(variables=2, named=["z"], fresh="x"):
        mean = inner_moment(((f"e_{one}", "e_z"), (f"e_{two}", "e_z")), e_law) * inner_moment(
            ((f"u_{one}", f"u_{two}"),), u_law
        )
        if mean != 0:  # only one == two is left, for which the weights are squares
            total += mean * (a**2 if one == "z" else A - a**2)
    return gather(total)
