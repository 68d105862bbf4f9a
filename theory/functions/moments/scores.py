"""Mean, variance and covariance of the scores of an associative memory, derived by contraction.

The memory is W = sum_x q(x) u_f(x) e_x^T, or in general W = sum_{x,w} a_xw u_w e_x^T, with independent input
embeddings e_x and output embeddings u_w, each gaussian N(0, I/d) or uniform on the unit sphere. The score is
g(z,y) = u_y^T W e_z = sum_{x,w} a_xw (u_y.u_w)(e_x.e_z).

A second moment is a sum over (x, w) and (x', w'). Its terms depend only on which of these coincide with each other
and with the asked z and y: `coincidences` lists the patterns, `expectation` gives the mean of each, and the weights
of a pattern add up to power sums of the memory. No closed form is typed in. All results are exact for every integer d
>= 1.

Symbols: d; q = q(z), q' = q(z'); S_y = sum of q(x)^2 over the class f(x) = y; S = the sum over all x. For a matrix of
weights: a_zy; R_z = sum_w a_zw^2 and C_y = sum_x a_xy^2, the squares of a row and of a column; A = the sum of all squares.

Mean, variance and covariance of the scores after one gradient step from W = 0, derived by contraction.

One step of size eta on the cross-entropy of inputs z ~ p with labels f(z) among M outputs gives W = sum_{x,w} a_xw
u_w e_x^T with a_xw = eta p(x) (1{w = f(x)} - 1/M), because the softmax of zero scores is uniform. This is a matrix of
weights like any other: its entry, row, column and total sums are worked out below and put into the derived moments of
`score_moments`. Exact for all d >= 1, M >= 2.

Symbols: d, eta, M; p = p(z); S_y = sum of p(x)^2 over the class f(x) = y; S = the sum over all x. Uniform inputs: p =
1/N, S = 1/N.

Mean and variance of the scores of a low-rank associative memory, derived by contraction.

W = G G^T sum_x q(x) u_f(x) e_x^T, with G a d x m matrix of independent N(0, 1/m) entries, independent of the
embeddings: what one correlation step on W2 makes of W = W1^T W2 with a random W1. With the columns g_a of G, scaled
to E |g_a|^2 = 1, u_y^T G G^T u_w = (d/m) sum_a (u_y.g_a)(g_a.u_w), so that the sum over columns is one more sum over
coincidences. Exact for all d, m >= 1, m > d included.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sympy

from asymp.theory.functions.moments.wick import coincidences, d, expectation, inner

Pairs = tuple[tuple[str, str], ...]
Query = tuple[str, str]  # a score g(z, y), by the names of its input z and of its output y
Weights = Callable[[Sequence[str], Sequence[str]], sympy.Expr]


@dataclass(frozen=True)
class Memory:
    """An associative memory, by its weights and by the laws of its embeddings.

    `weights(x, w)` is prod_i a_{x_i w_i}, summed over the values of those x_i and w_i that are not named: distinct
    names are distinct values. `output_moment`, if given, is the mean of a product of what stands for (u_y.u_w).
    """

    named_inputs: tuple[str, ...]
    named_outputs: tuple[str, ...]
    weights: Weights
    inputs: str
    outputs: str
    output_moment: Callable[[Pairs], sympy.Expr] | None = None

    def moment(self, *queries: Query) -> sympy.Expr:
        """E prod_i g(z_i, y_i): the sum over the patterns of coincidences of (mean over e) (mean over u) (weight)."""
        total = sympy.Integer(0)
        for x in coincidences(variables=len(queries), named=self.named_inputs, fresh="fresh x"):
            e_pairs = tuple((f"e_{x_i}", f"e_{z}") for x_i, (z, _) in zip(x, queries, strict=True))
            e_mean = inner_moment(e_pairs, self.inputs)
            if e_mean == 0:
                continue
            for w in coincidences(variables=len(queries), named=self.named_outputs, fresh="fresh w"):
                u_pairs = tuple((f"u_{y}", f"u_{w_i}") for w_i, (_, y) in zip(w, queries, strict=True))
                u_mean = self.output_moment(u_pairs) if self.output_moment else inner_moment(u_pairs, self.outputs)
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
def inner_moment(pairs: Pairs, law: str) -> sympy.Expr:
    """E prod (v.w) over the pairs, for independent vectors of one law."""
    vectors = {name for pair in pairs for name in pair}
    return expectation(sympy.prod([inner(*pair) for pair in pairs]), laws=dict.fromkeys(vectors, law))


def function_memory(
    *,
    f: Mapping[str, str],
    outputs_asked: Iterable[str],
    inputs: str = "gaussian",
    outputs: str = "gaussian",
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

    return Memory(tuple(f), named, weights, inputs, outputs, output_moment)


def matrix_memory(
    *, named_inputs: Sequence[str], named_outputs: Sequence[str], inputs: str = "gaussian", outputs: str = "gaussian"
) -> Memory:
    """The memory W = sum_{x,w} a_xw u_w e_x^T with any matrix of weights: they enter as a_zy, R, C and A."""

    def squares(x: str, w: str) -> sympy.Expr:
        """Sum of a_xw^2, over all rows or columns where x or w is a star."""
        if x != "*" and w != "*":
            return _real(f"a_{x}{w}") ** 2
        return _positive("A" if x == w else f"C_{w}" if x == "*" else f"R_{x}")

    def choices(values: Sequence[str], named: Sequence[str]) -> list[tuple[int, str]]:
        """A fresh value runs over everything less what is named."""
        if len(set(values)) > 1 or len(values) != 2:
            raise ValueError(f"the sums R, C and A do not give the pattern {tuple(values)}")
        return [(1, values[0])] if values[0] in named else [(1, "*"), *((-1, name) for name in named)]

    def weights(x: Sequence[str], w: Sequence[str]) -> sympy.Expr:
        if set(x) <= set(named_inputs) and set(w) <= set(named_outputs):
            return sympy.prod([_real(f"a_{x_i}{w_i}") for x_i, w_i in zip(x, w, strict=True)])
        rows, columns = choices(x, named_inputs), choices(w, named_outputs)
        return sympy.Add(*(a * b * squares(row, column) for a, row in rows for b, column in columns))

    return Memory(tuple(named_inputs), tuple(named_outputs), weights, inputs, outputs)


def _positive(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, positive=True)


def _real(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, real=True)


def output_of_z(match: bool) -> str:
    """The name of f(z) when y is asked: y itself, or another output f."""
    return "y" if match else "f"


@cache
def _function_covariance(
    f: tuple[tuple[str, str], ...], first: Query, second: Query, inputs: str, outputs: str
) -> sympy.Expr:
    memory = function_memory(f=dict(f), outputs_asked=[first[1], second[1]], inputs=inputs, outputs=outputs)
    return memory.covariance(first, second)


def score_mean(*, match: bool, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """E g(z, y) in q, for y = f(z) if `match`, else for another output."""
    memory = function_memory(f={"z": output_of_z(match)}, outputs_asked=["y"], inputs=inputs, outputs=outputs)
    return memory.moment(("z", "y"))


def score_variance(*, match: bool, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """Var g(z, y) in d, q, S_y, S, for y = f(z) if `match`, else for another output."""
    return _function_covariance((("z", output_of_z(match)),), ("z", "y"), ("z", "y"), inputs, outputs)


def score_covariance(
    *,
    y: Hashable,
    y_prime: Hashable,
    f: Hashable,
    f_prime: Hashable,
    same_input: bool = False,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
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
    return _function_covariance(values, *queries, inputs, outputs)


@cache
def weighted_score_variance(*, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """Var g(z, y) for a general matrix of weights, in d, a_zy, R_z, C_y, A."""
    memory = matrix_memory(named_inputs=["z"], named_outputs=["y"], inputs=inputs, outputs=outputs)
    return memory.covariance(("z", "y"), ("z", "y"))


def update_norm_mean(*, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """E |dW e_z|^2 for dW = sum_x a_x u_x e_x^T, with a vector u_x for every input, in d, a_z and A = sum_x a_x^2."""
    a, A = _real("a_z"), _positive("A")
    total = sympy.Integer(0)
    for one, two in coincidences(variables=2, named=["z"], fresh="x"):
        e_mean = inner_moment(((f"e_{one}", "e_z"), (f"e_{two}", "e_z")), inputs)
        mean = e_mean * inner_moment(((f"u_{one}", f"u_{two}"),), outputs)
        if mean != 0:  # only one == two is left, for which the weights are squares
            total += mean * (a**2 if one == "z" else A - a**2)
    return gather(total)


eta, p, M, S, S_y = sympy.symbols("eta p M S S_y", positive=True)
_RIGHT, _WRONG = 1 - 1 / M, -1 / M  # 1{w = f(x)} - 1/M


def one_step_score_mean(*, match: bool) -> sympy.Expr:
    """E g(z, y) after one step, in eta, p, M: y = f(z) if `match`, else another output. It is a_zy, for all embeddings."""
    return gather(eta * p * (_RIGHT if match else _WRONG))


def one_step_score_variance(*, match: bool, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """Var g(z, y) after one step, in d, eta, M, p, S_y, S: y = f(z) if `match`, else another output."""
    row = _RIGHT**2 + (M - 1) * _WRONG**2  # of any input: one right output, M - 1 wrong ones
    sums = {
        "R_z": eta**2 * p**2 * row,
        "C_y": eta**2 * (S_y * _RIGHT**2 + (S - S_y) * _WRONG**2),
        "A": eta**2 * S * row,
    }
    weights = {sympy.Symbol(name, positive=True): value for name, value in sums.items()}
    weights[sympy.Symbol("a_zy", real=True)] = one_step_score_mean(match=match)
    return gather(weighted_score_variance(inputs=inputs, outputs=outputs).subs(weights))


m = sympy.Symbol("m", positive=True)


@cache
def _projected_moment(pairs: Pairs, outputs: str) -> sympy.Expr:
    """E prod_i (u_y^T G G^T u_w) over the pairs (u_y, u_w)."""
    laws = dict.fromkeys({name for pair in pairs for name in pair}, outputs)
    total = sympy.Integer(0)
    for columns in coincidences(variables=len(pairs), named=(), fresh="g"):
        product = sympy.prod([inner(v, g) * inner(g, w) for (v, w), g in zip(pairs, columns, strict=True)])
        different = set(columns)
        total += sympy.ff(m, len(different)) * expectation(product, laws=laws | dict.fromkeys(different, "gaussian"))
    return sympy.factor(total * (d / m) ** len(pairs))


@cache
def low_rank_score_variance(*, match: bool, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """Var g(z, y) of the low-rank memory in d, m, q, S_y, S: y = f(z) if `match`, else another output."""
    memory = function_memory(
        f={"z": output_of_z(match)},
        outputs_asked=["y"],
        inputs=inputs,
        output_moment=lambda pairs: _projected_moment(pairs, outputs),
    )
    return memory.covariance(("z", "y"), ("z", "y"))
