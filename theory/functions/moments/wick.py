"""Exact moments of inner products of independent random vectors, by contraction.

E prod_k (v_k . w_k) is wanted as a rational function of the dimension d, for independent vectors of R^d with E |v|^2 = 1.
Write every inner product out in coordinates, (v . w) = sum_i v_i w_i: the product becomes a network, a set of summed
indices, each with the vectors that carry it. Vectors are then averaged out one at a time:

* gaussian, N(0, I/d): the moment of v_i v_j v_k ... is the sum over the pairings of its legs, each pair forcing its two
  indices to be equal (the theorem of Isserlis and Wick).
* sphere: a gaussian is (radius) x (uniform direction), independent, so a moment of degree 2k in v is the gaussian one
  divided by E |v|^2k = d (d+2) ... (d+2k-2) / d^k.

An index that no vector carries any more is a free sum: a factor d. Only integers are handled until the last step, so
one enumeration of the contractions serves both laws. Nothing is asymptotic: the results hold for each integer d >= 1.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import sympy

d = sympy.Symbol("d", positive=True)
_INNER = sympy.Function("inner")

EMBEDDING_LAWS = ("gaussian", "sphere")
Network = tuple[tuple[str, ...], ...]  # the summed indices, each as the sorted names of the vectors that carry it


def inner(v: str, w: str) -> sympy.Expr:
    """The inner product v . w of two named vectors, to be multiplied and added like any SymPy expression."""
    return _INNER(*sorted((sympy.Symbol(v), sympy.Symbol(w)), key=str))


def wick_power(w: str, v: str, p: int) -> sympy.Expr:
    """The Wick power :(w.v)^p: with respect to a gaussian w ~ N(0, I/d): orthogonal, given v, to every polynomial of
    w of degree < p.

    It is (|v|/sqrt d)^p He_p(sqrt d w.v/|v|), He_p the probabilists' Hermite polynomial.
    """
    coefficient = [
        sympy.factorial(p) / (sympy.factorial(j) * sympy.factorial(p - 2 * j) * 2**j) for j in range(p // 2 + 1)
    ]
    return sympy.expand(
        sum((-1) ** j * c * inner(w, v) ** (p - 2 * j) * (inner(v, v) / d) ** j for j, c in enumerate(coefficient))
    )


def expectation(expression: sympy.Expr, *, laws: Mapping[str, str]) -> sympy.Expr:
    """Exact mean of a polynomial in inner products of independent vectors, as a rational function of d.

    `laws` gives every vector's law (gaussian or sphere) by its name. Other symbols in the expression are constants.
    """
    expression = sympy.sympify(expression)
    products = sorted((atom for atom in expression.atoms(sympy.Function) if atom.func == _INNER), key=str)
    if not products:
        return expression
    total = sympy.Integer(0)
    for powers, coefficient in sympy.Poly(expression, *products).terms():
        network = tuple(
            tuple(str(vector) for vector in product.args)
            for product, power in zip(products, powers, strict=True)
            for _ in range(power)
        )
        total += coefficient * _monomial(network, laws)
    return sympy.factor(total)


def _monomial(network: Network, laws: Mapping[str, str]) -> sympy.Expr:
    """Mean of one product of inner products: the contractions, weighed by the law of each vector."""
    degree = Counter(name for index in network for name in index)
    wrong = sorted(name for name in degree if laws.get(name) not in EMBEDDING_LAWS)
    if wrong:
        raise ValueError(f"laws must give a law (gaussian or sphere) of every vector; got none for {', '.join(wrong)}")
    total = sum(count * d**loops for loops, count in contractions(tuple(sorted(network))).items())
    lengths = [(d + 2 * j) / d for name, k in degree.items() if laws[name] == "sphere" for j in range(k // 2)]
    return total / d ** sympy.Rational(sum(degree.values()), 2) / sympy.prod(lengths)


@cache
def contractions(network: Network) -> Mapping[int, int]:
    """Number of full contractions of a network, by the number of free index sums.

    Leg by leg, and remembered: equal networks met on different ways are contracted once.
    """
    loops = sum(not index for index in network)
    network = tuple(index for index in network if index)
    if not network:
        return {loops: 1}
    total: Counter[int] = Counter()
    for rest in _first_pair(network):
        for more_loops, count in contractions(rest).items():
            total[loops + more_loops] += count
    return dict(total)


def _first_pair(network: Network) -> Iterator[Network]:
    """What remains of the network for every leg that the first one can be paired with."""
    vector = network[0][0]
    legs = [position for position, index in enumerate(network) for name in index if name == vector]
    if len(legs) % 2:
        return  # the law is symmetric: an odd moment vanishes
    for other in legs[1:]:
        taken = Counter((legs[0], other))
        merged: list[str] = []
        for position, times in taken.items():
            left = list(network[position])
            for _ in range(times):
                left.remove(vector)
            merged += left
        kept = [index for position, index in enumerate(network) if position not in taken]
        yield tuple(sorted([*kept, tuple(sorted(merged))]))


def coincidences(*, variables: int, named: Sequence[str], fresh: str) -> Iterator[tuple[str, ...]]:
    """Every pattern of coincidences of summation variables: equal to a named value, or fresh and equal to each other
    or not.

    coincidences(variables=2, named=["z"], fresh="x") yields (z, z), (z, x0), (x0, z), (x0, x0), (x0, x1).
    """
    if variables == 0:
        yield ()
        return
    for pattern in coincidences(variables=variables - 1, named=named, fresh=fresh):
        unnamed = [value for value in dict.fromkeys(pattern) if value not in named]
        for value in (*named, *unnamed, f"{fresh}{len(unnamed)}"):
            yield (*pattern, value)


def norm_moment(*, law: str, k: int) -> sympy.Expr:
    """E |u|^2k in d: 1 + 2/d for gaussian, k = 2; 1 on the sphere."""
    return expectation(inner("u", "u") ** k, laws={"u": law})


def inner_product_moment(*, law: str, k: int) -> sympy.Expr:
    """E (u.v)^2k in d, u and v independent and of one law: 1/d for both laws at k = 1."""
    return expectation(inner("u", "v") ** (2 * k), laws={"u": law, "v": law})
