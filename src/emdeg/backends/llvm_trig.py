"""Sines and cosines in LLVM: both at once, to one unit in the last place, for any argument.

The angle less the nearest multiple k of pi/2 (in three parts, after Cody and Waite), then a polynomial of each function
on [-pi/4, pi/4] (the coefficients of fdlibm; in single precision those of Cephes), then the quadrant. Beyond the reach
of the three parts a cold function reduces lane by lane with the bits of 2/pi (Payne and Hanek). Infinite and undefined
angles give NaN on the common path.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from emdeg.backends.llvm_text import Body, Lanes, Precision, nearest

REDUCE = "emdeg_reduce"
MEND = "emdeg_mend"
WAVES = "emdeg_waves"

SINE = {
    "float64": (
        -1.66666666666666324348e-01,
        8.33333333332248946124e-03,
        -1.98412698298579493134e-04,
        2.75573137070700676789e-06,
        -2.50507602534068634195e-08,
        1.58969099521155010221e-10,
    ),
    "float32": (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
}
COSINE = {
    "float64": (
        -0.5,
        4.16666666666666019037e-02,
        -1.38888888888741095749e-03,
        2.48015872894767294178e-05,
        -2.75573143513906633035e-07,
        2.08757232129817482790e-09,
        -1.13596475577881948265e-11,
    ),
    "float32": (-0.5, 4.166664568298827e-02, -1.388731625493765e-03, 2.443315711809948e-05),
}
REACH = {("float64", True): 26, ("float32", True): 12, ("float64", False): 16, ("float32", False): 8}
"""Three parts of pi/2 reduce angles below this power of two; with and without a fused multiply-add."""


@cache
def half_pi() -> Fraction:
    """pi/2 to 1400 bits, by Machin's formula."""
    one = 1 << 1420

    def inverse_tangent(x: int) -> int:
        total, term, k = 0, one // x, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= x * x
            k += 2
        return total

    return Fraction(8 * inverse_tangent(5) - 2 * inverse_tangent(239), one)


def parts(precision: Precision, fused: bool) -> tuple[float, float, float]:
    """pi/2 in three numbers: k times the second is exact, and times the first unless that is fused with a sum."""
    digits = 53 if precision == "float64" else 24
    short = digits - REACH[precision, fused]
    first, rest = _leading(half_pi(), digits if fused else short)
    second, rest = _leading(rest, short)
    return first, second, nearest(rest, precision)


def _leading(value: Fraction, digits: int) -> tuple[float, Fraction]:
    """A number rounded to so many binary digits, and the rest."""
    unit = Fraction(2) ** (math.frexp(float(value))[1] - digits)
    leading = round(value / unit) * unit
    return float(leading), value - leading


@dataclass(frozen=True)
class Reduced:
    """An angle less k pi/2: as the sum of a number and what it lacks, and k in the low bits of an integer."""

    r: str
    low: str
    k: str


def sines_and_cosines(body: Body, lanes: Lanes, angles: Sequence[str], fused: bool) -> list[tuple[str, str]]:
    """The sine and cosine of each angle."""
    return [evaluated(body, lanes, angle) for angle in reduced(body, lanes, angles, fused)]


def reduced(body: Body, lanes: Lanes, angles: Sequence[str], fused: bool) -> list[Reduced]:
    """Each angle less a multiple of pi/2; one branch for all of them leads to the reduction of huge ones."""
    reach = 2.0 ** REACH[lanes.precision, fused]
    near = [_reduce(body, lanes, angle, fused) for angle in angles]
    far = ""
    for angle in angles:
        size = body.call(lanes, "fabs", [angle])
        beyond = body.let(f"fcmp ogt {lanes.real} {size}, {lanes.number(reach)}")
        far = body.let(f"or {lanes.truth} {far}, {beyond}") if far else beyond
    if lanes.width > 1:
        gathered = body.let(f"bitcast {lanes.truth} {far} to i{lanes.width}")
        far = body.let(f"icmp ne i{lanes.width} {gathered}, 0")
    return _mend(body, lanes, angles, near, far)


def called(body: Body, lanes: Lanes, angles: Sequence[str]) -> list[tuple[str, str]]:
    """The same by a call of the function below."""
    n = len(angles)
    for place, angle in enumerate(angles):
        body.store(lanes, angle, "%angles", place)
    body.do(f"call void @{WAVES}{lanes.width}_{n}(ptr %angles)")
    return [
        (body.load(lanes, "%angles", n + 2 * place), body.load(lanes, "%angles", n + 2 * place + 1))
        for place in range(n)
    ]


def waves_function(lanes: Lanes, n: int, fused: bool, attributes: str) -> str:
    """A function for `n` stored angles, whose sines and cosines it stores behind them."""
    body = Body()
    body.do(angles_place(lanes, n))
    angles = [body.load(lanes, "%waves", place) for place in range(n)]
    for place, (sine, cosine) in enumerate(sines_and_cosines(body, lanes, angles, fused)):
        body.store(lanes, sine, "%waves", n + 2 * place)
        body.store(lanes, cosine, "%waves", n + 2 * place + 1)
    head = f"define internal void @{WAVES}{lanes.width}_{n}(ptr %waves) noinline {attributes}"
    return f"{head} {{\nentry:\n" + "\n".join(body.lines) + "\n  ret void\n}\n"


def angles_place(lanes: Lanes, n: int) -> str:
    """The room on the stack that `n` angles need."""
    return f"%angles = alloca [{4 * n * lanes.width} x i{lanes.bits}], align 64"


def _reduce(body: Body, lanes: Lanes, x: str, fused: bool) -> Reduced:
    """Cody and Waite's reduction: the first step is exact, and what the second rounds away is kept."""
    magic = 1.5 * 2.0 ** (52 if lanes.bits == 64 else 23)
    turns = body.call(lanes, "fmuladd", [x, lanes.number(1 / half_pi()), lanes.number(magic)])
    k = body.let(f"bitcast {lanes.real} {turns} to {lanes.integer}")
    whole = body.let(f"fsub {lanes.real} {turns}, {lanes.number(magic)}")
    one, two, three = (lanes.number(-part) for part in parts(lanes.precision, fused))
    near = body.call(lanes, "fmuladd", [whole, one, x])
    r = body.call(lanes, "fmuladd", [whole, two, near])
    moved = body.let(f"fsub {lanes.real} {near}, {r}")
    lost = body.call(lanes, "fmuladd", [whole, two, moved])
    return Reduced(r, body.call(lanes, "fmuladd", [whole, three, lost]), k)


def _mend(body: Body, lanes: Lanes, angles: Sequence[str], near: Sequence[Reduced], far: str) -> list[Reduced]:
    """What was reduced, or where an angle is out of reach, reduced anew by the cold function."""
    n, label, before = len(angles), body.fresh()[1:], body.block
    body.do(f"br i1 {far}, label %{label}_far, label %{label}, !prof !0")
    body.label(f"{label}_far")
    for place, (x, angle) in enumerate(zip(angles, near, strict=True)):
        body.store(lanes, x, "%angles", place)
        body.store(lanes, angle.r, "%angles", n + place)
        body.store(lanes, angle.low, "%angles", 2 * n + place)
        body.store(lanes, angle.k, "%angles", 3 * n + place, lanes.integer)
    body.do(f"call void @{MEND}_{lanes.element}(ptr %angles, i64 {n * lanes.width})")
    mended = [
        Reduced(
            body.load(lanes, "%angles", n + place),
            body.load(lanes, "%angles", 2 * n + place),
            body.load(lanes, "%angles", 3 * n + place, lanes.integer),
        )
        for place in range(n)
    ]
    body.do(f"br label %{label}")
    body.label(label)

    def joined(kind: str, one: str, two: str) -> str:
        return body.let(f"phi {kind} [ {one}, %{before} ], [ {two}, %{label}_far ]")

    return [
        Reduced(
            joined(lanes.real, one.r, two.r),
            joined(lanes.real, one.low, two.low),
            joined(lanes.integer, one.k, two.k),
        )
        for one, two in zip(near, mended, strict=True)
    ]


def evaluated(body: Body, lanes: Lanes, angle: Reduced) -> tuple[str, str]:
    """The sine and cosine: sin = r + (low + r^3 S(r^2)), cos = 1 + r (r C(r^2) - low), then the quadrant."""
    r, k = angle.r, angle.k
    square = body.let(f"fmul {lanes.real} {r}, {r}")

    def polynomial(coefficients: Sequence[float]) -> str:
        value = lanes.number(coefficients[-1])
        for coefficient in coefficients[-2::-1]:
            value = body.call(lanes, "fmuladd", [value, square, lanes.number(coefficient)])
        return value

    cube = body.let(f"fmul {lanes.real} {square}, {r}")
    small = body.call(lanes, "fmuladd", [polynomial(SINE[lanes.precision]), cube, angle.low])
    s = body.let(f"fadd {lanes.real} {r}, {small}")
    minus = body.let(f"fneg {lanes.real} {angle.low}")
    slope = body.call(lanes, "fmuladd", [polynomial(COSINE[lanes.precision]), r, minus])
    c = body.call(lanes, "fmuladd", [slope, r, lanes.number(1)])
    odd_bit = body.let(f"and {lanes.integer} {k}, {lanes.whole(1)}")
    odd = body.let(f"icmp ne {lanes.integer} {odd_bit}, {lanes.whole(0)}")
    sine = body.let(f"select {lanes.truth} {odd}, {lanes.real} {c}, {lanes.real} {s}")
    cosine = body.let(f"select {lanes.truth} {odd}, {lanes.real} {s}, {lanes.real} {c}")
    after = body.let(f"add {lanes.integer} {k}, {lanes.whole(1)}")
    return _signed(body, lanes, sine, k), _signed(body, lanes, cosine, after)


def _signed(body: Body, lanes: Lanes, value: str, k: str) -> str:
    """A value, negated where bit 1 of k is set."""
    sign = body.let(f"and {lanes.integer} {k}, {lanes.whole(2)}")
    sign = body.let(f"shl {lanes.integer} {sign}, {lanes.whole(lanes.bits - 2)}")
    pattern = body.let(f"bitcast {lanes.real} {value} to {lanes.integer}")
    flipped = body.let(f"xor {lanes.integer} {pattern}, {sign}")
    return body.let(f"bitcast {lanes.integer} {flipped} to {lanes.real}")


def cold_functions(precision: Precision, fused: bool) -> str:
    """The reduction of one huge angle, and the loop that applies it to stored lanes."""
    lanes = Lanes(precision)
    bits = int((1 << 1216) / half_pi())
    words = [bits >> 64 * (18 - place) & (1 << 64) - 1 for place in range(19)]
    table = ", ".join(f"i64 {word}" for word in [0, *words])
    return _COLD % {
        "table": table,
        "words": len(words) + 1,
        "half_pi": int(half_pi() * (1 << 63)),
        "real": lanes.element,
        "integer": f"i{lanes.bits}",
        "bytes": lanes.bytes,
        "reach": lanes.number(2.0 ** REACH[precision, fused]),
        "infinity": "0x7FF0000000000000",
        "fabs": f"llvm.fabs.f{lanes.bits}",
        "widen": "fadd double %x, 0x8000000000000000" if lanes.bits == 64 else "fpext float %x to double",
        "narrow": _SAME if lanes.bits == 64 else _SHORTER,
        "reduce": REDUCE,
        "mend": MEND,
    }


_SAME = """\
  %r = fadd double %rd, 0x8000000000000000
  %low = fadd double %lowd, 0x8000000000000000
  %k = add i64 %kd, 0"""
_SHORTER = """\
  %r = fptrunc double %rd to float
  %again = fpext float %r to double
  %rest = fsub double %rd, %again
  %low = fptrunc double %rest to float
  %k = trunc i64 %kd to i32"""
_COLD = """\
@two_over_pi = internal unnamed_addr constant [%(words)d x i64] [%(table)s]

; the angle is m 2^e; a window of 192 bits of 2/pi holds all that matters of it modulo four quadrants
define internal { double, double, i64 } @%(reduce)s(double %%x) noinline cold nounwind {
  %%pattern = bitcast double %%x to i64
  %%biased = lshr i64 %%pattern, 52
  %%exponent = and i64 %%biased, 2047
  %%fraction = and i64 %%pattern, 4503599627370495
  %%m = or i64 %%fraction, 4503599627370496
  %%first = add i64 %%exponent, -1013
  %%word = lshr i64 %%first, 6
  %%shift = and i64 %%first, 63
  %%at0 = getelementptr i64, ptr @two_over_pi, i64 %%word
  %%at1 = getelementptr i64, ptr %%at0, i64 1
  %%at2 = getelementptr i64, ptr %%at0, i64 2
  %%at3 = getelementptr i64, ptr %%at0, i64 3
  %%w0 = load i64, ptr %%at0
  %%w1 = load i64, ptr %%at1
  %%w2 = load i64, ptr %%at2
  %%w3 = load i64, ptr %%at3
  %%l0 = call i64 @llvm.fshl.i64(i64 %%w0, i64 %%w1, i64 %%shift)
  %%l1 = call i64 @llvm.fshl.i64(i64 %%w1, i64 %%w2, i64 %%shift)
  %%l2 = call i64 @llvm.fshl.i64(i64 %%w2, i64 %%w3, i64 %%shift)
  %%a0 = zext i64 %%l0 to i192
  %%a1 = zext i64 %%l1 to i192
  %%a2 = zext i64 %%l2 to i192
  %%b0 = shl i192 %%a0, 128
  %%b1 = shl i192 %%a1, 64
  %%b01 = or i192 %%b0, %%b1
  %%window = or i192 %%b01, %%a2
  %%wide = zext i64 %%m to i192
  %%product = mul i192 %%window, %%wide
  %%half = shl i192 1, 189
  %%up = add i192 %%product, %%half
  %%quadrant = lshr i192 %%up, 190
  %%k = trunc i192 %%quadrant to i64
  %%whole = shl i192 %%quadrant, 190
  %%rest = sub i192 %%product, %%whole
  %%below = icmp slt i192 %%rest, 0
  %%negative = sub i192 0, %%rest
  %%size = select i1 %%below, i192 %%negative, i192 %%rest
  %%zeros = call i192 @llvm.ctlz.i192(i192 %%size, i1 false)
  %%aligned = shl i192 %%size, %%zeros
  %%top = lshr i192 %%aligned, 128
  %%leading = trunc i192 %%top to i64
  %%one = zext i64 %%leading to i128
  %%scaled = mul i128 %%one, %(half_pi)d
  %%high = lshr i128 %%scaled, 64
  %%digits = trunc i128 %%high to i64
  %%mantissa = uitofp i64 %%digits to double
  %%places = trunc i192 %%zeros to i64
  %%power = sub i64 962, %%places
  %%factor = shl i64 %%power, 52
  %%unit = bitcast i64 %%factor to double
  %%back = fptoui double %%mantissa to i64
  %%lost = sub i64 %%digits, %%back
  %%lostd = sitofp i64 %%lost to double
  %%angle = fmul double %%mantissa, %%unit
  %%lack = fmul double %%lostd, %%unit
  %%backwards = icmp slt i64 %%pattern, 0
  %%flip = xor i1 %%below, %%backwards
  %%opposite = fneg double %%angle
  %%r = select i1 %%flip, double %%opposite, double %%angle
  %%lackopposite = fneg double %%lack
  %%low = select i1 %%flip, double %%lackopposite, double %%lack
  %%minus = sub i64 0, %%k
  %%kk = select i1 %%backwards, i64 %%minus, i64 %%k
  %%pair = insertvalue { double, double, i64 } poison, double %%r, 0
  %%two = insertvalue { double, double, i64 } %%pair, double %%low, 1
  %%both = insertvalue { double, double, i64 } %%two, i64 %%kk, 2
  ret { double, double, i64 } %%both
}

define internal void @%(mend)s_%(real)s(ptr %%angles, i64 %%n) noinline cold nounwind {
entry:
  br label %%next
next:
  %%i = phi i64 [ 0, %%entry ], [ %%after, %%done ]
  %%at = getelementptr %(real)s, ptr %%angles, i64 %%i
  %%x = load %(real)s, ptr %%at
  %%size = call %(real)s @%(fabs)s(%(real)s %%x)
  %%far = fcmp ogt %(real)s %%size, %(reach)s
  %%finite = fcmp one %(real)s %%size, %(infinity)s
  %%huge = and i1 %%far, %%finite
  br i1 %%huge, label %%mend, label %%done
mend:
  %%xd = %(widen)s
  %%both = call { double, double, i64 } @%(reduce)s(double %%xd)
  %%rd = extractvalue { double, double, i64 } %%both, 0
  %%lowd = extractvalue { double, double, i64 } %%both, 1
  %%kd = extractvalue { double, double, i64 } %%both, 2
%(narrow)s
  %%j = add i64 %%i, %%n
  %%atr = getelementptr %(real)s, ptr %%angles, i64 %%j
  store %(real)s %%r, ptr %%atr, align %(bytes)d
  %%jj = add i64 %%j, %%n
  %%atl = getelementptr %(real)s, ptr %%angles, i64 %%jj
  store %(real)s %%low, ptr %%atl, align %(bytes)d
  %%jjj = add i64 %%jj, %%n
  %%atk = getelementptr %(integer)s, ptr %%angles, i64 %%jjj
  store %(integer)s %%k, ptr %%atk, align %(bytes)d
  br label %%done
done:
  %%after = add i64 %%i, 1
  %%more = icmp ult i64 %%after, %%n
  br i1 %%more, label %%next, label %%end
end:
  ret void
}
"""
