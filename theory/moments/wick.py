"""Exact moments of inner products of independent random vectors, by contraction.

E prod_k (v_k . w_k) is wanted as a rational function of the dimension d, for independent vectors of R^d with a given
law. Write every inner product out in coordinates, (v . w) = sum_i v_i w_i: the product becomes a network, a set of
summed indices, each with the vectors that carry it. Vectors are then averaged out one at a time:

* coordinates x_i / sqrt d with x_i independent and symmetric (gaussian, signs, or any law given by its even moments):
  the moment of v_i v_j v_k ... is the sum over the partitions of its legs into blocks, each block forcing its indices
  to be equal and weighing the cumulant of its size (moment-cumulant formula; joint cumulants of independent
  coordinates vanish off the diagonal). For a gaussian only pairs are left: the theorem of Isserlis and Wick.
* sphere: a standard gaussian is (radius) x (uniform direction), independent, so a moment of degree 2k in v is the
  gaussian one divided by E |v|^2k = d (d+2) ... (d+2k-2) / d^k.

An index that no vector carries any more is a free sum: a factor d. Only integers are handled until the last step, so
one enumeration of the contractions serves every law. Nothing is asymptotic: the results hold for each integer d >= 1.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import sympy

__all__ = [
    "EMBEDDING_LAWS",
    "VectorLaw",
    "coincidences",
    "contractions",
    "d",
    "embedding_law",
    "expectation",
    "iid_coordinates",
    "inner",
    "inner_product_moment",
    "norm_moment",
    "wick_power",
]

d = sympy.Symbol("d", positive=True)
_INNER = sympy.Function("inner")

Network = tuple[tuple[str, ...], ...]  # the summed indices, each as the sorted names of the vectors that carry it
Blocks = tuple[tuple[str, int], ...]  # the blocks of four legs or more, as (vector, size); pairs weigh 1


@dataclass(frozen=True)
class VectorLaw:
    """Law of a random vector of R^d with E |v|^2 = 1.

    `even_moment(k)` is E x^2k of one coordinate x = sqrt(d) v_i, with E x^2 = 1; odd moments vanish. With `unit_norm`
    the vector is divided by its length, which is exact here for a gaussian only.
    """

    name: str
    even_moment: Callable[[int], sympy.Expr]
    unit_norm: bool = False

    def __post_init__(self) -> None:
        if self.unit_norm and self.even_moment is not _gaussian_moment:
            raise ValueError(
                f"unit_norm needs gaussian coordinates, whose length and direction are independent; got {self.name!r}"
            )

    def cumulant(self, size: int) -> sympy.Expr:
        """Cumulant of one coordinate x = sqrt(d) v_i of even order `size`, from the moments."""
        return _cumulant(self.even_moment, size)

    def norm_moment(self, k: int) -> sympy.Expr:
        """What a moment of degree 2k in this vector is divided by: E of the gaussian |v|^2k when the length is set to
        1."""
        return sympy.prod([(d + 2 * j) / d for j in range(k)]) if self.unit_norm else sympy.Integer(1)


def _gaussian_moment(k: int) -> sympy.Expr:
    return sympy.factorial2(2 * k - 1)


def _sign_moment(k: int) -> sympy.Expr:
    return sympy.Integer(1)


EMBEDDING_LAWS: Mapping[str, VectorLaw] = {
    "gaussian": VectorLaw("gaussian", _gaussian_moment),
    "sphere": VectorLaw("sphere", _gaussian_moment, unit_norm=True),
    "signs": VectorLaw("signs", _sign_moment),
}


def iid_coordinates(*, name: str, even_moments: Sequence[sympy.Expr | int]) -> VectorLaw:
    """Law with independent symmetric coordinates x / sqrt d; even_moments = (E x^2, E x^4, ...), the first one 1,
    numbers or symbols."""
    moments = tuple(sympy.sympify(moment) for moment in even_moments)
    if not moments or moments[0] != 1 or any(moment.is_number and not moment.is_positive for moment in moments):
        raise ValueError(f"even_moments must be positive and start with E x^2 = 1; got {even_moments!r}")

    def even_moment(k: int) -> sympy.Expr:
        if k > len(moments):
            raise ValueError(f"even_moments of the law {name!r} must reach E x^{2 * k}; got {len(moments)} moments")
        return moments[k - 1] if k else sympy.Integer(1)

    return VectorLaw(name, even_moment)


def embedding_law(law: str | VectorLaw) -> VectorLaw:
    """The law of that name (gaussian, sphere, signs), or the law itself."""
    if isinstance(law, VectorLaw):
        return law
    if law not in EMBEDDING_LAWS:
        raise ValueError(f"the law of a vector must be one of {', '.join(EMBEDDING_LAWS)} or a VectorLaw; got {law!r}")
    return EMBEDDING_LAWS[law]


@cache
def _cumulant(even_moment: Callable[[int], sympy.Expr], size: int) -> sympy.Expr:
    # Split the moment by the block of the first leg, which takes j - 1 of the other size - 1 legs, and solve for the
    # whole block.
    if size % 2:
        return sympy.Integer(0)
    smaller = (
        sympy.binomial(size - 1, j - 1) * _cumulant(even_moment, j) * even_moment((size - j) // 2)
        for j in range(2, size, 2)
    )
    return sympy.expand(even_moment(size // 2) - sum(smaller))


def inner(v: str, w: str) -> sympy.Expr:
    """The inner product v . w of two named vectors, to be multiplied and added like any SymPy expression."""
    return _INNER(*sorted((sympy.Symbol(v), sympy.Symbol(w)), key=str))


def wick_power(w: str, v: str, p: int) -> sympy.Expr:
    """The Wick power :(w.v)^p: with respect to a gaussian w ~ N(0, I/d): orthogonal, given v, to every polynomial of
    w of degree < p.

    It is (|v|/sqrt d)^p He_p(sqrt d w.v/|v|), He_p the probabilists' Hermite polynomial.
    """
    if p < 0:
        raise ValueError(f"p must be a non-negative integer; got {p!r}")
    coefficient = [
        sympy.factorial(p) / (sympy.factorial(j) * sympy.factorial(p - 2 * j) * 2**j) for j in range(p // 2 + 1)
    ]
    return sympy.expand(
        sum((-1) ** j * c * inner(w, v) ** (p - 2 * j) * (inner(v, v) / d) ** j for j, c in enumerate(coefficient))
    )


def expectation(expression: sympy.Expr, *, laws: Mapping[str, str | VectorLaw]) -> sympy.Expr:
    """Exact mean of a polynomial in inner products of independent vectors, as a rational function of d.

    `laws` gives every vector's law by its name. Other symbols in the expression are constants.
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
        total += coefficient * _monomial(network, {name: embedding_law(law) for name, law in laws.items()})
    return sympy.factor(total)


def _monomial(network: Network, laws: Mapping[str, VectorLaw]) -> sympy.Expr:
    """Mean of one product of inner products: the contractions, weighed by the law of each vector."""
    degree = Counter(name for index in network for name in index)
    missing = sorted(degree.keys() - laws.keys())
    if missing:
        raise ValueError(f"laws must give the law of every vector; got none for {', '.join(missing)}")
    # A law whose fourth cumulant and above vanish is gaussian: sparing the enumeration its blocks is the whole gain
    # of Wick's theorem.
    paired = frozenset(
        name for name, k in degree.items() if all(laws[name].cumulant(size) == 0 for size in range(4, k + 1, 2))
    )
    total = sympy.Integer(0)
    for (loops, blocks), count in contractions(tuple(sorted(network)), paired).items():
        total += count * d**loops * sympy.prod([laws[name].cumulant(size) for name, size in blocks])
    scale = sympy.prod([laws[name].norm_moment(k // 2) for name, k in degree.items()])
    return total / d ** sympy.Rational(sum(degree.values()), 2) / scale


@cache
def contractions(network: Network, paired: frozenset[str]) -> Mapping[tuple[int, Blocks], int]:
    """Number of full contractions of a network, by the number of free index sums and by the blocks of four legs or
    more.

    Vectors in `paired` are contracted in pairs only. Leg by leg, and remembered: equal networks met on different ways
    are contracted once.
    """
    loops = sum(not index for index in network)
    network = tuple(index for index in network if index)
    if not network:
        return {(loops, ()): 1}
    total: Counter[tuple[int, Blocks]] = Counter()
    for block, rest in _first_block(network, paired):
        for (more_loops, blocks), count in contractions(rest, paired).items():
            total[loops + more_loops, tuple(sorted(block + blocks))] += count
    return dict(total)


def _first_block(network: Network, paired: frozenset[str]) -> Iterator[tuple[Blocks, Network]]:
    """Every even block that the first leg of the network can belong to, with the network that remains."""
    vector = network[0][0]
    legs = [position for position, index in enumerate(network) for name in index if name == vector]
    if len(legs) % 2:
        return  # the law is symmetric: an odd moment vanishes
    sizes = (2,) if vector in paired else range(2, len(legs) + 1, 2)
    for size in sizes:
        for others in combinations(legs[1:], size - 1):
            taken = Counter((legs[0], *others))
            merged: list[str] = []
            for position, times in taken.items():
                left = list(network[position])
                for _ in range(times):
                    left.remove(vector)
                merged += left
            kept = [index for position, index in enumerate(network) if position not in taken]
            yield ((vector, size),) if size > 2 else (), tuple(sorted([*kept, tuple(sorted(merged))]))


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


def norm_moment(*, law: str | VectorLaw, k: int) -> sympy.Expr:
    """E |u|^2k in d: 1 + 2/d for gaussian, k = 2; 1 on the sphere and for signs."""
    _check_order(k)
    return expectation(inner("u", "u") ** k, laws={"u": law})


def inner_product_moment(*, law: str | VectorLaw, k: int, other: str | VectorLaw | None = None) -> sympy.Expr:
    """E (u.v)^2k in d, u and v independent, of one law or of `law` and `other`: 1/d for every law at k = 1."""
    _check_order(k)
    return expectation(inner("u", "v") ** (2 * k), laws={"u": law, "v": law if other is None else other})


def _check_order(k: int) -> None:
    if not isinstance(k, int) or k < 0:
        raise ValueError(f"k must be a non-negative integer; got {k!r}")
