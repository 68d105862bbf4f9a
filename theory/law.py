"""A Law: a formula as a declaration, with everything that follows from it.

A law is declared by calling `law(...)`. Its expression is text (or a function that derives it) and becomes SymPy only
when somebody asks for it, so that listing laws costs nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from asymp.theory import evaluation
from asymp.theory.domain import Domain, as_domain
from asymp.theory.names import unknown_name
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import mpmath
    import sympy

__all__ = ["RELATIONS", "Law", "law"]

NOWHERE = Source("")
# Characters of MathML: a longer formula fills screens.
LONGEST_SHOWN = 40_000

# "<~" and ">~" are the sources' bounds up to a constant; "~" is equality to leading order or up to a constant.
RELATIONS = {"=": "=", "<=": r"\le", ">=": r"\ge", "~": r"\asymp", "<~": r"\lesssim", ">~": r"\gtrsim"}


@dataclass(frozen=True, eq=False)
class Law:
    """A formula with its relation, domain, source and conventions; call it with numbers, arrays or SymPy symbols."""

    id: str
    expression: str | Callable[..., "sympy.Expr"]
    relation: str
    domain: Mapping[str, Domain]
    typical: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    quantity: str = "E"
    title: str = ""
    source: Source = NOWHERE
    conventions: str = ""
    notes: tuple[str, ...] = ()
    errata: tuple[Erratum, ...] = ()
    conditions: tuple[Condition, ...] = ()
    exponents: Mapping[str, str] = field(default_factory=dict)
    numeric: Callable[..., Any] | None = None
    exact: Callable[..., Any] | None = None
    typeset: str | None = None

    # -- the formula -------------------------------------------------------------------------------------------------

    @cached_property
    def symbols(self) -> "dict[str, sympy.Symbol]":
        """The SymPy symbol of every parameter that is not a word."""
        return {name: d.symbol(name) for name, d in self.domain.items() if d.kind != "choice"}

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        """The parameters that are words, with the words they may be."""
        return {name: d.choices for name, d in self.domain.items() if d.kind == "choice"}

    @property
    def expr(self) -> "sympy.Expr":
        """The SymPy expression, for the default words."""
        return self.variant()

    def variant(self, **words: str) -> "sympy.Expr":
        """The SymPy expression for given words, such as inputs='sphere'."""
        chosen = {
            name: evaluation.word(words.get(name, self.defaults.get(name, options[0])), options)
            for name, options in self.words.items()
        }
        for name in words:
            if name not in chosen:
                raise ValueError(unknown_name("word parameter", name, list(chosen)))
        for name, word in chosen.items():
            self.domain[name].check(name, word)
        key = tuple(chosen.items())
        if key not in self._variants:
            self._variants[key] = self._build(chosen)
        return self._variants[key]

    @cached_property
    def _variants(self) -> "dict[tuple[tuple[str, str], ...], sympy.Expr]":
        return {}

    def _build(self, words: Mapping[str, str]) -> "sympy.Expr":
        import sympy

        if callable(self.expression):
            # A derivation uses symbols of its own; ours carry the assumptions of the domain.
            derived = self.expression(**words)
            return derived.xreplace({s: self.symbols[s.name] for s in derived.free_symbols if s.name in self.symbols})
        try:
            # A decimal in the text is the number that it says, not the nearest float: fifty digits depend on it.
            expr = sympy.sympify(self.expression, locals=dict(self.symbols), rational=True)
        except (sympy.SympifyError, TypeError, AttributeError, SyntaxError) as error:
            raise ValueError(f"the expression of law {self.id!r} is not a formula: {self.expression!r}") from error
        undeclared = sorted(s.name for s in expr.free_symbols if s.name not in self.domain)
        if undeclared:
            raise ValueError(
                f"the expression of law {self.id!r} uses {', '.join(undeclared)}, which its domain does not declare"
            )
        return expr

    # -- evaluation --------------------------------------------------------------------------------------------------

    def __call__(self, **values: Any) -> Any:
        """The law at given values: a float, an array if any value is one, a SymPy expression if any is symbolic."""
        import numpy as np

        full = self._complete(values)
        if any(evaluation.symbolic(v) for v in full.values()):
            return self._substitute(full)
        full = {k: v if k in self.words else np.asarray(v, dtype=float) for k, v in full.items()}
        result = evaluation.in_floats(self, full)
        if not np.isfinite(result).all():
            raise ValueError(f"law {self.id!r} is not finite at {evaluation.spell(values)}")
        return float(result) if np.ndim(result) == 0 else result

    def evaluate(self, *, digits: int = 15, **values: Any) -> "mpmath.mpf":
        """The law at given numbers to `digits` digits, every one of them right."""
        return evaluation.to_digits(self, digits, values)

    @cached_property
    def _functions(self) -> dict[tuple[tuple[str, str], ...], Callable[..., Any]]:
        return {}

    @cached_property
    def _in_digits(self) -> dict[tuple[tuple[str, str], ...], Callable[..., Any]]:
        return {}

    def _substitute(self, full: Mapping[str, Any]) -> "sympy.Expr":
        import sympy

        words = {k: v for k, v in full.items() if k in self.words}
        numbers = {self.symbols[k]: sympy.sympify(v) for k, v in full.items() if k not in self.words}
        return self.variant(**words).subs(numbers, simultaneous=True)

    # -- validation --------------------------------------------------------------------------------------------------

    def check_names(self, names: Sequence[str]) -> None:
        """Raise ValueError, saying the nearest name, for a name that is not a parameter."""
        for name in names:
            if name not in self.domain:
                raise ValueError(unknown_name(f"parameter of law {self.id!r}", name, list(self.domain)))

    def validate(self, **values: Any) -> None:
        """Raise ValueError for an unknown name, or a value outside the domain."""
        self._complete(values)

    def _complete(self, values: Mapping[str, Any]) -> dict[str, Any]:
        import numpy as np

        self.check_names(list(values))
        full = {name: values.get(name, self.defaults.get(name)) for name in self.domain}
        full |= {name: evaluation.word(full[name], words) for name, words in self.words.items()}
        missing = [name for name, value in full.items() if value is None]
        if missing:
            raise ValueError(
                f"law {self.id!r} needs {', '.join(f'{n} ({self.domain[n].describe()})' for n in missing)}"
            )
        numbers = {k: v for k, v in full.items() if not evaluation.symbolic(v)}
        for name, value in numbers.items():
            self.domain[name].check(name, value)
        if len(numbers) == len(full):
            arrays = {k: v if k in self.words else np.asarray(v, dtype=float) for k, v in numbers.items()}
            try:
                np.broadcast_shapes(*(np.shape(a) for k, a in arrays.items() if k not in self.words))
            except ValueError:
                shapes = ", ".join(f"{k} {np.shape(a)}" for k, a in arrays.items() if np.ndim(a))
                raise ValueError(f"the arrays given to law {self.id!r} do not fit together: {shapes}") from None
            for condition in self.conditions:
                if not np.all(condition.holds(arrays)):
                    raise ValueError(f"{condition.message}; got {evaluation.spell(values)}")
        return full

    # -- what follows from the formula -------------------------------------------------------------------------------

    def exponent(self, variable: str, **values: Any) -> "sympy.Expr":
        """The exponent of growth in a variable, with its regimes as Max; values make it a number."""
        import sympy

        from asymp.theory.rates.calculus import growth_exponent

        self.check_names([variable, *values])
        if variable in self.words:
            raise ValueError(
                f"{variable} of law {self.id!r} is a word, not a size; an exponent is in one of {self._sizes}"
            )
        for name, value in values.items():
            if not evaluation.symbolic(value):
                self.domain[name].check(name, evaluation.word(value, self.words.get(name, ())))
        if variable in self.exponents:
            found = sympy.sympify(self.exponents[variable], locals=dict(self.symbols), rational=True)
        else:
            words = {name: value for name, value in values.items() if name in self.words}
            found = growth_exponent(self.variant(**words), self.symbols[variable])
        return found.subs({self.symbols[k]: sympy.nsimplify(v) for k, v in values.items() if k in self.symbols})

    @property
    def _sizes(self) -> str:
        return ", ".join(self.symbols) or "none: it has words only"

    def latex(self, **words: str) -> str:
        """The statement in LaTeX, relation and left side included."""
        import sympy

        left = self.typeset or sympy.latex(sympy.Symbol(self.quantity))
        return f"{left} {RELATIONS[self.relation]} {sympy.latex(self.variant(**words))}"

    def mathml(self, **words: str) -> str:
        """The statement in presentation MathML, a whole <math> element."""
        from asymp.theory.typeset import statement_mathml

        return statement_mathml(self.quantity, self.relation, self.variant(**words))

    def _repr_html_(self) -> str:
        from html import escape

        formula = self.mathml()
        if len(formula) > LONGEST_SHOWN:
            formula = f"<code>{escape(repr(self)[:500])}...</code>"
        about = escape(", ".join(words for words in (self.title, str(self.source)) if words))
        return f"<div><b>{escape(self.id)}</b> <small>{about}</small>{formula}</div>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __repr__(self) -> str:
        shown = self.expression if isinstance(self.expression, str) else self.expr
        return f"<Law {self.id}: {self.quantity} {self.relation} {shown}>"


def law(
    id: str,
    expression: "str | Callable[..., sympy.Expr]",
    *,
    relation: str,
    domain: Mapping[str, Domain | Sequence[Any]],
    typical: Mapping[str, tuple[float, float]] | None = None,
    source: Source | str = "",
    **details: Any,
) -> Law:
    """Declare a law: an id, a formula, its relation, the domain and typical range of each symbol, its source.

    >>> rate = law("my-rate", "c * d**(-b)", relation="~", domain={"d": (1, "oo"), "b": (0, 4), "c": (0, "oo")})
    >>> rate(c=2, d=100, b=1)
    0.02
    >>> rate.exponent("d")
    -b
    """
    if not isinstance(id, str) or not id:
        raise ValueError(f"a law's id must be a non-empty string; got {id!r}")
    if relation not in RELATIONS:
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}; got {relation!r}")
    domains = {name: as_domain(name, spec) for name, spec in domain.items()}
    ranges = dict(typical or {})
    for name, ends in ranges.items():
        if name not in domains:
            raise ValueError(unknown_name(f"parameter of law {id!r}", name, list(domains)))
        for end in ends:
            domains[name].check(f"the typical range of {name}", end)
        if not ends[0] <= ends[1]:
            raise ValueError(f"the typical range of {name} must be (low, high) with low <= high; got {ends!r}")
    where = source if isinstance(source, Source) else Source(str(source))
    declared = Law(
        id=id, expression=expression, relation=relation, domain=domains, typical=ranges, source=where, **details
    )
    if isinstance(expression, str):
        _compiles(id, expression)
    return declared


def _compiles(id: str, expression: str) -> None:
    # The cheap half of the check (SymPy's own comes when the formula is first used): a typo shows where it was made.
    try:
        compile(expression, "<law>", "eval")
    except SyntaxError:
        raise ValueError(f"the expression of law {id!r} is not a formula: {expression!r}") from None
