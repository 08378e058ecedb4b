"""Expressions: read, folded, printed, evaluated; hostile text refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emdeg.errors import InputError
from emdeg.quantity import Expression, parse_expression

LETTERS = {"a": Fraction(2, 3), "b": Fraction(-5, 7), "c2": Fraction(11, 2)}


def value(text: str) -> Fraction:
    return parse_expression(text).evaluate(LETTERS, Fraction)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.4318", Fraction(4318, 10000)),
        ("1e-3", Fraction(1, 1000)),
        (".5 + 1.", Fraction(3, 2)),
        ("-2**2", Fraction(-4)),
        ("2**3**2", Fraction(512)),
        ("2**-1", Fraction(1, 2)),
        ("6/2*3", Fraction(9)),
        ("1 - 2 - 3", Fraction(-4)),
        ("--1 + +2", Fraction(3)),
        ("2*-3", Fraction(-6)),
        ("a*b - b*a", Fraction(0)),
        ("(a + b)*c2/2", (Fraction(2, 3) - Fraction(5, 7)) * Fraction(11, 4)),
        ("a^2", Fraction(4, 9)),
        ("a² · 2", Fraction(8, 9)),
        ("1/a/b", 1 / (LETTERS["a"] * LETTERS["b"])),
    ],
)
def test_precedence_and_exactness(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("a2*(m4 + m5) - 3*a/2", "a2*(m4 + m5) - 3*a/2"),
        ("0.5*m1*l**2", "m1*l**2/2"),
        ("1/(2*a**2*b)", "1/(2*a**2*b)"),
        ("0*x + y*1 + 0", "y"),
        ("-(-g)", "g"),
        ("x**1", "x"),
        ("x**0", "1"),
        ("(x**2)**3", "x**6"),
        ("2*(3*x)", "6*x"),
        ("x*y*x", "x**2*y"),
        ("(a + b)*(a + b)*x/x", "(a + b)**2"),
    ],
)
def test_text_and_folding(text, printed):
    assert str(parse_expression(text)) == printed


def test_zero_and_number_are_seen():
    assert parse_expression("0*a + 3 - 3").is_zero
    assert parse_expression("(1/2 + 1/2)**5").is_number
    assert parse_expression("3/6").as_fraction() == Fraction(1, 2)
    assert parse_expression("m3*a2 - 4*m3").letters == {"m3", "a2"}
    with pytest.raises(ValueError, match="not a number"):
        parse_expression("a").as_fraction()


def test_operators_and_hash():
    a, b = Expression.letter("a"), Expression.letter("b")
    assert 2 * a + 1 - b / 2 == parse_expression("2*a + 1 - b/2")
    assert 1 - a == parse_expression("1 - a") and Fraction(1, 2) / a == parse_expression("1/2/a")
    assert len({a * b, a * b, b * a}) == 2
    with pytest.raises(TypeError):
        a + 0.5


def test_evaluate_needs_only_plus_and_times_without_divisions():
    class Modular:
        def __init__(self, n):
            self.n = n % 97

        def __add__(self, other):
            return Modular(self.n + other.n)

        def __mul__(self, other):
            return Modular(self.n * other.n)

    letters = {"a": Modular(5), "b": Modular(9)}
    number = lambda x: Modular(x.numerator * pow(x.denominator, -1, 97))  # noqa: E731
    assert parse_expression("a**5*b - 2*(a - b/3)").evaluate(letters, number).n == (5**5 * 9 - 2 * (5 - 3)) % 97


def test_missing_letter():
    with pytest.raises(InputError, match="letter z has no value"):
        value("a + z")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a letter, a number or '\\(' at column 1, found the end"),
        ("a +", "at column 4, found the end"),
        ("a b", "expected an operator or the end at column 3, found 'b'"),
        ("(a", "expected '\\)' at column 3"),
        ("a)", "at column 2, found '\\)'"),
        ("2 $ 3", "'\\$' at column 3 has no meaning"),
        ("a.b", "'.' at column 2"),
        ("a[0]", "'\\[' at column 2"),
        ("f(x)", "functions are not allowed"),
        ("__import__('os').system('true')", "functions are not allowed"),
        ("lambda: 0", "':' at column 7"),
        ("a if b else c", "at column 3, found 'if'"),
        ("x = 3", "'=' at column 3"),
        ("a**b", "the exponent at column 4 is not an integer"),
        ("a**0.5", "not an integer"),
        ("1/0", "division by zero"),
        ("1/(2-2)", "division by zero"),
        ("2**(10**9)", "exponent at column 4 is too large"),
        ("9**9**9", "too large"),
        ("a**65", "exponent 65 is too large"),
        ("((((2**64)**64)**64)**64)", "too large"),
        ("1e999999", "too long or too large"),
        ("9" * 400, "too long or too large"),
        ("(" * 50_000, "50000 characters"),
        ("(" * 5_000 + "a" + ")" * 5_000, "nested parentheses"),
        ("2" + "**2" * 3_000, "nested parentheses or powers"),
    ],
)
def test_hostile_and_broken_text(text, message):
    with pytest.raises(InputError, match=message):
        parse_expression(text)


def test_long_flat_text_is_fine():
    sums = parse_expression("+".join(["a"] * 5_000))
    assert sums.evaluate(LETTERS, Fraction) == 5_000 * LETTERS["a"]
    assert parse_expression("-" * 5_000 + "a") == Expression.letter("a")
    assert parse_expression("/".join(["a"] * 60)).letters == {"a"}
    hash(sums)
    for factor in ("a", "(a + b)", "b**2"):
        product = parse_expression("*".join([factor] * 2_000))
        assert product.evaluate({"a": 1, "b": 0}, int) == (factor != "b**2")
    assert len(parse_expression("*".join(f"a{k}" for k in range(3_000))).letters) == 3_000


def trees(depth: int = 3) -> st.SearchStrategy[Expression]:
    numbers = st.fractions(min_value=-9, max_value=9, max_denominator=12).map(Expression.number)
    leaves = st.one_of(numbers, st.sampled_from(sorted(LETTERS)).map(Expression.letter))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
            st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
            st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
            st.tuples(inner, st.integers(0, 3)).map(lambda pair: pair[0] ** pair[1]),
        ),
        max_leaves=8,
    )


@given(trees())
def test_printed_text_means_the_same(expression):
    again = parse_expression(str(expression))
    assert again.evaluate(LETTERS, Fraction) == expression.evaluate(LETTERS, Fraction)


@given(trees())
def test_printed_text_is_python(expression):
    shown = eval(str(expression), {}, {name: float(value) for name, value in LETTERS.items()})
    assert shown == pytest.approx(float(expression.evaluate(LETTERS, Fraction)), rel=1e-9, abs=1e-9)
