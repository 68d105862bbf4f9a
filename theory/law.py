"""A Law: a formula as a declaration, with everything that follows from it.

A law is declared by calling `law(...)`. Its expression is text (or a function that derives it) and becomes SymPy only
when somebody asks for it, so that listing laws costs nothing.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, TypedDict, Union, Unpack

from asymp.theory import evaluation
from asymp.theory.formula import check_formula, parsed
from asymp.theory.lazy import Digits, Expr, Lazy, Numbers, np, sympy
from asymp.theory.names import unknown_name
from asymp.theory.param import Domain, Pair, Param, as_param
from asymp.theory.sources import Condition, Erratum, Source

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from asymp.theory import indexed, pieces, typesetting, use
    from asymp.theory import regimes as growing
else:
    indexed, pieces, typesetting, use = (
        Lazy(f"asymp.theory.{name}") for name in ("indexed", "pieces", "typesetting", "use")
    )
    growing = Lazy("asymp.theory.regimes")

NOWHERE = Source("")
# Characters of MathML: a longer formula fills screens.
LONGEST_BROKEN = 40_000
"""Letters of a formula that is not looked at for pieces: it would need dozens."""
LONGEST_SHOWN = 40_000

# "<~" and ">~" are the sources' bounds up to a constant; "~" is equality to leading order or up to a constant.
RELATIONS = {"=": "=", "<=": r"\le", ">=": r"\ge", "~": r"\asymp", "<~": r"\lesssim", ">~": r"\gtrsim"}

Expression = Union[str, Callable[..., "sympy.Expr"], "sympy.Expr"]
"""A formula: its text, a SymPy expression, or a function that derives it and takes the words (inputs='sphere') as arguments."""

Params = Mapping[str, Param | Domain | Pair] | Sequence[Param]
"""The parameters as they are declared: by letter, or as a sequence of parameters that know their letters."""


class Details(TypedDict, total=False):
    """What a law may have besides its formula, relation and parameters; `law` says what each is."""

    quantity: str
    title: str
    source: Source | str
    conventions: str
    notes: str | tuple[str, ...]
    errata: Erratum | tuple[Erratum, ...]
    conditions: Condition | tuple[Condition, ...]
    exponents: Mapping[str, str]
    numeric: Callable[..., Numbers] | None
    exact: Callable[..., Digits] | None
    typeset: str | None
    indices: str


class Changes(Details, total=False):
    """What `Law.but` may change."""

    relation: str
    params: Params


class _OfEach:
    """An attribute that `inspect` and `help` ask for, with a value of its own for each law and one for the class."""

    def __init__(self, make: "Callable[[Law], object]", of_class: str | None = None) -> None:
        self.make, self.of_class = make, of_class

    def __get__(self, law: "Law | None", owner: type) -> object:
        if law is not None:
            return self.make(law)
        if self.of_class is None:
            raise AttributeError("the class has the signature of its constructor")
        return self.of_class


@dataclass(frozen=True, eq=False)
class Law:
    """A formula with its relation, parameters, source and conventions; call it with numbers, arrays or SymPy symbols.

    A law of vectors or matrices has parameters with indices, and `indices` of its own if its value is an array. It is
    called with arrays whose last axes are the indices; axes before them belong to independent draws.

    Made by `asymp.theory.law`, which says what the fields mean: `id`, `expression`, `relation`, `params`, `quantity`,
    `title`, `source`, `conventions`, `notes`, `errata`, `conditions`, `exponents`, `numeric`, `exact`, `typeset`,
    `indices`.
    """

    id: str
    expression: Expression
    relation: str
    params: Mapping[str, Param]
    quantity: str = "E"
    title: str = ""
    source: Source = NOWHERE
    conventions: str = ""
    notes: tuple[str, ...] = ()
    errata: tuple[Erratum, ...] = ()
    conditions: tuple[Condition, ...] = ()
    exponents: Mapping[str, str] = field(default_factory=dict)
    numeric: Callable[..., Numbers] | None = None
    exact: Callable[..., Digits] | None = None
    typeset: str | None = None
    indices: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise ValueError(f"a law's id must be a non-empty string; got {self.id!r}")
        if self.relation not in RELATIONS:
            raise ValueError(f"relation must be one of {', '.join(RELATIONS)}; got {self.relation!r}")
        if isinstance(self.expression, str):
            # A typo shows at once; SymPy comes when the formula is first used.
            check_formula(self.expression, self._letters, f"law {self.id!r}")
        elif not _derives(self.expression) and not hasattr(self.expression, "free_symbols"):
            raise ValueError(
                f"the expression of law {self.id!r} must be text, a SymPy expression or a function; got {self.expression!r}"
            )
        elif not _derives(self.expression):
            formula: Any = self.expression
            for name in sorted(getattr(s, "name", "") for s in formula.free_symbols):
                if name not in self.params:
                    raise ValueError(
                        f"the expression of law {self.id!r} uses {name}, which its parameters do not declare"
                    )
        for variable, text in self.exponents.items():
            check_formula(text, self.params, f"law {self.id!r}, exponent in {variable},")

    def but(self, id: str, expression: Expression | None = None, **changes: Unpack[Changes]) -> "Law":
        """A variant of this law: another id, and what else is given; all the rest as in this one.

        A new formula inherits nothing that belongs to the old one: notes, errata, exponents, routines of its own.

        >>> rate = law("my-rate", "d**(-b)", relation="~", params={"d": (1, "oo"), "b": (0, 4)})
        >>> rate.but("my-slow-rate", "d**(-b/2)")
        <Law my-slow-rate: E ~ d**(-b/2)>
        """
        new: dict[str, Any] = {}
        if expression is not None:
            new = {"expression": expression, "notes": (), "errata": (), "exponents": {}}
            new |= {"numeric": None, "exact": None, "typeset": None}
        return replace(self, **{**new, "id": id, **_fields(changes)})

    # -- the parameters ----------------------------------------------------------------------------------------------

    @cached_property
    def domain(self) -> dict[str, Domain]:
        """The domain of each parameter."""
        return {name: p.domain for name, p in self.params.items()}

    @cached_property
    def typical(self) -> dict[str, tuple[float, float]]:
        """The typical range of each parameter that has one."""
        return {name: p.typical for name, p in self.params.items() if p.typical is not None}

    @cached_property
    def defaults(self) -> dict[str, float | str]:
        """The default of each parameter that has one."""
        return {name: p.default for name, p in self.params.items() if p.default is not None}

    # -- the formula -------------------------------------------------------------------------------------------------

    @cached_property
    def symbols(self) -> "dict[str, sympy.Symbol]":
        """The SymPy symbol of every parameter that is not a word; with indices it is an IndexedBase."""
        numbers = {name: p for name, p in self.params.items() if p.domain.kind != "choice"}
        return {n: sympy.IndexedBase(n) if p.indices else p.domain.symbol(n) for n, p in numbers.items()}

    @cached_property
    def of_arrays(self) -> bool:
        """Whether the law is one of vectors or matrices: a parameter has indices."""
        return any(p.indices for p in self.params.values())

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        """The parameters that are words, with the words they may be."""
        return {name: d.choices for name, d in self.domain.items() if d.kind == "choice"}

    @property
    def expr(self) -> Expr:
        """The SymPy expression, for the default words."""
        return self.variant()

    @property
    def definitions(self) -> tuple[str, ...]:
        """A sentence for every special function of the formula whose letter alone would not say what it is."""
        functions = self.expr.atoms(sympy.Function)
        found = {getattr(f.func, "definition", "") for f in functions}
        if any(f.func.__name__ == "N_half" for f in functions):
            found.add("N_(1/2) is the number of items at which half of them are lost; it has no closed form.")
        return tuple(sorted(found - {""}))

    def variant(self, **words: str) -> Expr:
        """The SymPy expression for given words, such as inputs='sphere'."""
        chosen = {
            name: str(evaluation.word(words.get(name, self.defaults.get(name, options[0])), options))
            for name, options in self.words.items()
        }
        for name in words:
            if name not in chosen:
                raise ValueError(unknown_name("word parameter", name, list(chosen)))
        for name, word in chosen.items():
            self.domain[name].check(name, word)
        key = tuple(chosen.items())
        if key not in self._variants:
            self._variants[key] = evaluation.written_out(self._build(chosen))
        return self._variants[key]

    @cached_property
    def _variants(self) -> dict[tuple[tuple[str, str], ...], Expr]:
        return {}

    @cached_property
    def closed_form(self) -> bool:
        """Whether the law is computed as its formula stands: by no routine, and by no function that stands for a sum or root."""
        words = {name: str(self.defaults.get(name, options[0])) for name, options in self.words.items()}
        return self.numeric is None and self._build(words) == self.variant(**words)

    def _build(self, words: Mapping[str, str]) -> Expr:
        if not isinstance(self.expression, str):
            # A derivation uses symbols of its own; ours carry the assumptions of the domain.
            given: Any = self.expression
            derived = given(**words) if _derives(given) else given
            own = {name: symbol for name, symbol in self.symbols.items() if not self.params[name].indices}
            return derived.xreplace({s: own[s.name] for s in derived.free_symbols if s.name in own})
        return parsed(self.expression, self.symbols, self._letters, f"law {self.id!r}")

    @property
    def _letters(self) -> set[str]:
        """What the formula may name: parameters, their indices, and how far an index runs, as in Sum(p[z], (z, 1, N))."""
        return {*self.params, *"".join(p.indices for p in self.params.values()), *("NMnd" if self.of_arrays else "")}

    # -- evaluation --------------------------------------------------------------------------------------------------

    def __call__(self, **values: object) -> Any:
        """The law at given values: a float, an array if any value is one, a SymPy expression if any is symbolic."""
        full = self._complete(values)
        if any(evaluation.symbolic(v) for v in full.values()):
            return self._substitute(full)
        with evaluation.computing(f"law {self.id!r}", values):
            result = self._numbers(full)
            result = evaluation.real(result)
        if not np.isfinite(result).all():
            raise ValueError(f"law {self.id!r} is not finite at {evaluation.spell(values)}")
        return result

    def _numbers(self, full: Mapping[str, Any]) -> Any:
        """The law at numbers, in float64."""
        words = {k: str(full[k]) for k in self.words}
        arrays = {k: np.asarray(v, dtype=float) for k, v in full.items() if k not in words}
        if self.numeric is not None:
            return self.numeric(**words, **arrays)
        if self.of_arrays:
            return indexed.evaluate(self.expr, arrays, indices=tuple(self.indices))
        result = self._compiled(evaluation.numpy_function, words)(*arrays.values())
        # A formula that does not use all parameters still has the shape of all of them together.
        return np.broadcast_to(result, np.broadcast_shapes(*(a.shape for a in arrays.values())))

    def evaluate(self, *, digits: int = 15, **values: object) -> Digits:
        """The law at given numbers to `digits` digits, every one of them right."""
        if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 100_000:
            raise ValueError(f"digits must be an integer from 1 to 100000; got {digits!r}")
        full = self._complete(values)
        words = {k: str(full[k]) for k in self.words}
        numbers = {k: v for k, v in full.items() if k not in words}
        for name, value in numbers.items():
            if evaluation.symbolic(value) or getattr(value, "ndim", False) or isinstance(value, list):
                raise ValueError(f"{name} must be one number to be evaluated to {digits} digits; got {value!r}")

        def once(precision: int) -> Digits:
            exact = {k: evaluation.as_mpf(v) for k, v in numbers.items()}
            if self.exact is not None:
                return self.exact(digits=precision, **words, **exact)
            # Numbers of the formula are made at every call, so that one function serves every precision.
            return self._compiled(evaluation.digits_function, words)(*exact.values())

        sizes = map(evaluation.as_mpf, numbers.values())
        with evaluation.computing(f"law {self.id!r}", values):
            return evaluation.settled(once, digits, sizes, f"law {self.id!r}", values)

    def _compiled(self, compile: Callable[..., Callable[..., Any]], words: Mapping[str, str]) -> Callable[..., Any]:
        """The formula for these words as a function of the other parameters in their order."""
        key = compile.__name__, *words.items()
        if key not in self._functions:
            self._functions[key] = compile([*self.symbols.values()], self._build(words))
        return self._functions[key]

    @cached_property
    def _functions(self) -> dict[tuple[object, ...], Callable[..., Any]]:
        return {}

    def _substitute(self, full: Mapping[str, object]) -> Expr:
        words = {k: str(v) for k, v in full.items() if k in self.words}
        numbers = {self.symbols[k]: sympy.sympify(v) for k, v in full.items() if k not in self.words}
        return self.variant(**words).subs(numbers, simultaneous=True)

    # -- validation --------------------------------------------------------------------------------------------------

    def check_names(self, names: Sequence[str]) -> None:
        """Raise ValueError, saying the nearest name, for a name that is not a parameter."""
        for name in names:
            if name not in self.params:
                raise ValueError(unknown_name(f"parameter of law {self.id!r}", name, list(self.params)))

    def validate(self, **values: object) -> None:
        """Raise ValueError for an unknown name, or a value outside the domain."""
        self._complete(values)

    def _complete(self, values: Mapping[str, object]) -> dict[str, Any]:
        self.check_names(list(values))
        full = {name: values.get(name, p.default) for name, p in self.params.items()}
        full |= {name: evaluation.word(full[name], words) for name, words in self.words.items()}
        missing = [name for name, value in full.items() if value is None]
        if missing:
            raise ValueError(
                f"law {self.id!r} needs {', '.join(f'{n} ({self.domain[n].describe()})' for n in missing)}"
            )
        numbers = {k: v for k, v in full.items() if not evaluation.symbolic(v)}
        for name, value in numbers.items():
            self.domain[name].check(name, value)
        if len(numbers) == len(full) and not self.of_arrays:
            self._check_together(numbers, values)
        return full

    def _check_together(self, numbers: Mapping[str, Any], values: Mapping[str, object]) -> None:
        arrays = {k: v if k in self.words else np.asarray(v, dtype=float) for k, v in numbers.items()}
        try:
            np.broadcast_shapes(*(np.shape(a) for k, a in arrays.items() if k not in self.words))
        except ValueError:
            shapes = ", ".join(f"{k} {np.shape(a)}" for k, a in arrays.items() if np.ndim(a))
            raise ValueError(f"the arrays given to law {self.id!r} do not fit together: {shapes}") from None
        for condition in self.conditions:
            if not np.all(condition.holds(arrays)):
                raise ValueError(f"{condition.message}; got {evaluation.spell(values)}")

    # -- what follows from the formula -------------------------------------------------------------------------------

    def exponent(self, variable: str, **values: object) -> Expr:
        """The exponent of growth in a variable, with its regimes as Max; values make it a number."""
        self.check_names([variable, *values])
        if variable in self.words:
            sizes = ", ".join(self.symbols) or "none: it has words only"
            raise ValueError(f"{variable} of law {self.id!r} is a word, not a size; an exponent is in one of {sizes}")
        infinite = {n: p.default for n, p in self.params.items() if p.default == math.inf and n != variable}
        words, numbers = self._given(infinite | values)
        finite = {s: v for s, v in numbers.items() if v != sympy.oo}
        if variable in self.exponents:
            return parsed(
                self.exponents[variable], self.symbols, self.params, f"law {self.id!r}, exponent in {variable},"
            ).subs(finite)
        expr = self.variant(**words).subs(finite)
        beyond = [s for s in numbers if s not in finite and expr.has(s)]
        return growing.growth(expr, self.symbols[variable], beyond, growing.letters_of(self.params, self.symbols))

    def regimes(self, *, sizes: Sequence[str] = (), **values: object) -> "tuple[growing.Regime, ...]":
        """The regimes of growth in the law's sizes, with their boundaries.

        Args:
            sizes: parameters that are large, besides those that may be infinite or are studied at values of 100 and more.
            **values: numbers for some of the law's parameters.
        """
        return self._growth(values, sizes).regimes()

    def implies(self, conclusion: str, *, given: str | Sequence[str] = "", **values: object) -> "growing.Answer":
        """Whether the law implies a comparison, for large values of all parameters that are compared.

        Args:
            conclusion: the comparison, such as "d >> sqrt(N)".
            given: others that hold, as a list or in one text with commas.
            **values: numbers for some of the law's parameters.
        """
        premises = growing.comparisons(given)
        return self._growth(values, growing.compared([conclusion, *premises])).implies(conclusion, premises)

    def enough(self, premise: str, *, given: str | Sequence[str] = "", **values: object) -> "growing.Answer":
        """Whether a comparison is enough for the law to hold, for large values of all parameters that are compared.

        Args:
            premise: the comparison, such as "d >> sqrt(N)".
            given: others that hold, as a list or in one text with commas.
            **values: numbers for some of the law's parameters.
        """
        premises = growing.comparisons(given)
        return self._growth(values, growing.compared([premise, *premises])).enough(premise, premises)

    def _growth(self, values: Mapping[str, object], sizes: Sequence[str]) -> "growing.Growth":
        words, numbers = self._given(values)
        return growing.Growth(
            self.variant(**words).subs(numbers), self.params, self.symbols, self.relation, self.quantity, sizes
        )

    def _given(self, values: Mapping[str, object]) -> "tuple[dict[str, str], dict[sympy.Symbol, Expr]]":
        """Words, and numbers by symbol, from values for some parameters; values outside of the domain are an error."""
        self.check_names(list(values))
        for name, value in values.items():
            if not evaluation.symbolic(value):
                self.domain[name].check(name, evaluation.word(value, self.words.get(name, ())))
        words = {name: str(value) for name, value in values.items() if name in self.words}
        return words, {self.symbols[n]: sympy.nsimplify(v) for n, v in values.items() if n not in words}

    def solve(
        self,
        variable: "str | sympy.Symbol",
        *,
        value: float,
        between: tuple[float, float] | None = None,
        **values: object,
    ) -> float:
        """Where the law has a value: the smallest such value of a parameter, which may be any real number there.

        >>> law("gap", "1/(n + 1)", relation="=", params={"n": (1, "oo")}).solve("n", value=0.1)
        9.0

        Args:
            variable: the parameter that is sought.
            value: what the law is to say.
            between: where it is sought; its domain, if nothing is given.
            **values: the other parameters.
        """
        return use.solve(self, str(variable), value, between, values)

    def diff(self, variable: "str | sympy.Symbol") -> "Law":
        """The derivative in a parameter, as a law of its own; a plain SymPy symbol names the parameter too."""
        found: Law = use.derivative(self, str(variable))
        return found

    def relaxed(self, *names: str) -> "Law":
        """The same law for real values of its whole-numbered parameters: of those named, or of all."""
        found: Law = use.relaxed(self, names)
        return found

    def plot(self, variable: str, *, between: tuple[float, float] | None = None, **values: object) -> "Figure":
        """A figure of the law over a parameter.

        `between`: from where to where; its typical range, if nothing is given. `values`: the other parameters, one of which may
        have a list of them, each a line; the middle of their typical range, if nothing is given.
        """
        return use.plot(self, variable, between, values)

    def latex(self, **words: str) -> str:
        """The statement in LaTeX, relation and left side included."""
        left = self.typeset or typesetting.quantity_latex(self.quantity)
        main, found = self._in_pieces(words)
        written = f"{left} {RELATIONS[self.relation]} {sympy.latex(main)}"
        return written + "".join(rf", \quad {sympy.latex(name)} = {sympy.latex(part)}" for name, part in found)

    def mathml(self, **words: str) -> str:
        """The statement in presentation MathML, a whole <math> element."""
        return typesetting.statement_mathml(self.quantity, self.relation, *self._in_pieces(words))

    def _in_pieces(self, words: "Mapping[str, str]") -> "tuple[Expr, pieces.Pieces]":
        """The formula, with named pieces where it is wider than a screen; what no page shows stays whole."""
        expr = self.variant(**words)
        return pieces.named_pieces(expr) if len(str(expr)) < LONGEST_BROKEN else (expr, [])

    def _repr_html_(self) -> str:
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


def _derives(expression: Expression) -> bool:
    """Whether it is a function that derives a formula; SymPy's own symbols may be called too."""
    return callable(expression) and not hasattr(expression, "free_symbols")


def _signature(law: Law) -> Signature:
    """The parameters that a law is called with, all by keyword."""
    return Signature(
        [
            Parameter(name, Parameter.KEYWORD_ONLY, default=Parameter.empty if p.default is None else p.default)
            for name, p in law.params.items()
        ]
    )


def _description(law: Law) -> str:
    """Title, formula, parameters and source of a law as a docstring."""
    formula = f"{law.quantity} {law.relation} {law.expression}"
    if _derives(law.expression):
        formula = f"{law.quantity} {law.relation} ... {(law.expression.__doc__ or '').strip()}"
    lines = [law.title or law.id, "", formula, "", "Args:"]
    for name, p in law.params.items():
        lines.append(f"    {name}: {', '.join(w for w in (p.meaning, p.domain.describe()) if w)}")
    about = [str(law.source) and f"Source: {law.source}", law.conventions]
    return "\n".join([*lines, *(f"\n{words}" for words in about if words)])


setattr(Law, "__signature__", _OfEach(_signature))  # noqa: B010
setattr(Law, "__doc__", _OfEach(_description, Law.__doc__))  # noqa: B010


def law(id: str, expression: Expression, *, relation: str, params: Params, **details: Unpack[Details]) -> Law:
    """Declare a law.

    >>> rate = law("my-rate", "c * d**(-b)", relation="~", params={"d": (1, "oo"), "b": (0, 4), "c": (0, "oo")})
    >>> rate(c=2, d=100, b=1)
    0.02
    >>> rate.exponent("d")
    -b

    Args:
        id: its name.
        expression: the formula as text (`asymp.theory.formula` says what it may contain), or a function that returns it as
            a SymPy expression.
        relation: how the quantity relates to the formula: "=", "<=", ">=", "~" (up to a constant), "<~" or ">~".
        params: its parameters: for each letter a domain such as (1, "oo"), or a Param with typical range and default.
        quantity: the letter on the left side.
        title: what it says, in a few words.
        source: where it is stated.
        conventions: what the letters and the setting are.
        notes: remarks for a reader, one or several.
        errata: where the source's statement is wrong, in one place or several.
        conditions: conditions on several parameters together, one or several.
        exponents: the exponent of growth in a variable, where it cannot be read off the formula.
        numeric: the values in float64 by a routine, where the formula itself is no way to compute them.
        exact: the same to any number of digits; it also takes `digits`.
        typeset: the left side in LaTeX, if it is more than a letter.
        indices: the letters of the value's indices, where the law is one of vectors or matrices.
    """
    return Law(id=id, expression=expression, **_fields({"relation": relation, "params": params, **details}))


def _fields(given: Changes) -> dict[str, Any]:
    """Fields of a law from what a user writes: parameters by letter, the source as one, one note as several."""
    fields: dict[str, Any] = dict(given)
    if "params" in given:
        params = given["params"]
        named = params if isinstance(params, Mapping) else {p.name: p for p in params}
        fields["params"] = {name: as_param(name, p) for name, p in named.items()}
    if isinstance(fields.get("source"), str):
        fields["source"] = Source(fields["source"])
    for name in {"notes", "errata", "conditions"} & fields.keys():
        fields[name] = fields[name] if isinstance(fields[name], tuple) else (fields[name],)
    return fields
