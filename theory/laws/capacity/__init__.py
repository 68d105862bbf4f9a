"""What the laws of this section share: symbols, and laws that follow from the moments of a memory's scores."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from asymp.theory.laws.pieces import item_errors
from asymp.theory.lazy import Digits, Expr, Floats, np, sympy
from asymp.theory.param import Param, choice, integer, real

if TYPE_CHECKING:
    from asymp.theory.functions.recall.item_errors import ScoreMoments


M = Param(integer(2), (256, 65_536), meaning="number of outputs", name="M")
ITEMS = Param(integer(1), (16, 512), meaning="number of items", name="N")
OUTPUT_ITEMS = Param(integer(2), (16, 512), meaning="number of items, and of outputs", name="N")
PATTERNS = Param(integer(1), (2, 1e6), meaning="number of patterns", name="N")
R = Param(integer(1), (4, 1024), meaning="number of relations", name="R")
S = Param(integer(1), (4, 1024), meaning="number of subjects", name="S")
D = Param(integer(2), (16, 4096), meaning="dimension of the embeddings", name="d")
DIMENSION = Param(integer(2), (16, 1024), meaning="dimension", name="d")
BITS = Param(integer(2), (16, 512), meaning="number of bits", name="d")
LOST = Param(real(above=0, high=0.49), default=0.01, meaning="share of items that may be lost", name="delta")
INPUTS = Param(choice("sphere", "gaussian"), default="sphere", meaning="law of the input embeddings", name="inputs")
NEURONS = Param(integer(1), (256, 65_536), meaning="number of neurons", name="m")
OUTPUT = Param(
    choice("other", "target"),
    default="other",
    meaning="'target' for the score of the answer, 'other' for that of a competitor",
    name="output",
)
OUTPUTS = Param(choice("sphere", "gaussian"), default="sphere", meaning="law of the output embeddings", name="outputs")


class Routine(TypedDict):
    """The formula of a law, its values in float64 and to any number of digits."""

    expression: Callable[..., Expr]
    numeric: Callable[..., Floats]
    exact: Callable[..., Digits]


def lost_items(moments: "Callable[..., ScoreMoments]") -> Routine:
    """The probability that one item is lost, an integral; `moments` takes the words of the law, such as k='2'."""

    def expression(**words: str) -> Expr:
        """The probability that one item is lost."""
        return item_errors.item_error_expression(moments(**words))

    def numeric(**values: Any) -> Floats:
        return item_errors.item_error(moments(**_words(values)), _numbers(values))

    def exact(*, digits: int, **values: Any) -> Digits:
        return item_errors.item_error_digits(moments(**_words(values)), _numbers(values), digits)

    return {"expression": expression, "numeric": numeric, "exact": exact}


def half_of_items(
    moments: "Callable[..., ScoreMoments]", *letters: str, size: str = "N", times: str = "", smallest: float = 3.0
) -> Routine:
    """The number of items at which one is lost half of the time, with a relative error of 1e-10 in float64.

    Args:
        moments: the moments of the scores, for the words of the law.
        letters: what the number depends on.
        size: the letter of the moments that is looked for.
        times: the letter that it is multiplied with to be the number of items, if there is one.
        smallest: the least size.
    """

    def numeric(**values: Any) -> Floats:
        numbers = _numbers(values)
        found = item_errors.half_of_items(moments(**_words(values)), numbers, size, smallest=smallest)
        return numbers[times] * found if times else found

    def exact(*, digits: int, **values: Any) -> Digits:
        words, numbers = _words(values), _numbers(values)
        floats = {name: np.asarray(float(value)) for name, value in numbers.items()}
        start = float(numeric(**words, **floats)) / (float(numbers[times]) if times else 1)
        found = item_errors.half_of_items_digits(moments(**words), numbers, size, start, digits)
        return numbers[times] * found if times else found

    return {"expression": half_name(*letters), "numeric": numeric, "exact": exact}


def half_name(*letters: str) -> Callable[..., Expr]:
    """The formula of a size without one: N_half of these letters."""

    def half(**words: str) -> Expr:
        """The N at which half of the items are lost: a function without a formula."""
        return sympy.Function("N_half")(*sympy.symbols(letters, positive=True))

    return half


def size_of_noise(noise: Callable[..., Expr], times: int) -> Callable[..., Expr]:
    """The N with `times` N log N (noise) = 1, where `noise` is what each item adds to the variance of every score."""

    def size(**words: str) -> Expr:
        """The N at which N log N times the noise of an item is the square of the signal, up to a constant."""
        return sympy.exp(sympy.LambertW(1 / (times * noise(**words))))

    return size


def _words(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not isinstance(value, str)}
