"""Operations of formulas that another program wrote, one assignment a line, by the rule of `emdeg count`.

    python benchmarks/published.py RX90_idm.txt --outputs 'GAM' --zero 'F[SVXYZ]\\d' 'C[XYZ]6'
    python benchmarks/published.py puma560.c --outputs 'g\\[' --constants 'parms.*'

Reads `name = formula` as OpenSYMORO writes it and `const double name = formula;` as SymPyBotics does. Each binary *
and each binary + or - counts as one where it stands, a square is one multiplication, changes of sign are free; sines
and cosines are counted apart, one pair for each angle. Only what `--outputs` need is counted, a pattern of the start of
their names. Names that match a pattern of `--zero` are zero, and so is what is multiplied by them; those that match one
of `--constants` are numbers that are known beforehand, and operations between numbers are free.
"""

import argparse
import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ASSIGNMENT = re.compile(r"\s*(?:const\s+)?(?:double\s+)?([A-Za-z_]\w*(?:\[\d+\])?)\s*=\s*([^=;]+);?\s*$")
Node = ast.expr


@dataclass(frozen=True)
class Cost:
    multiplications: int
    additions: int
    sincos: int

    def __str__(self) -> str:
        total = self.multiplications + self.additions
        return f"{self.multiplications} + {self.additions} = {total}, {self.sincos} sine-cosine pairs"


def assignments(text: str) -> dict[str, Node]:
    """The formulas by name, in their order."""
    found = {}
    for line in text.splitlines():
        if match := ASSIGNMENT.match(line):
            found[match[1]] = ast.parse(match[2], mode="eval").body
    return found


def simplified(node: Node, zeros: set[str]) -> Node | None:
    """The formula without what is zero; None if it is zero."""
    if isinstance(node, ast.Constant):
        return node if node.value else None
    if isinstance(node, ast.UnaryOp):
        inner = simplified(node.operand, zeros)
        return None if inner is None else ast.UnaryOp(node.op, inner)
    if isinstance(node, ast.BinOp):
        left, right = simplified(node.left, zeros), simplified(node.right, zeros)
        if isinstance(node.op, ast.Mult | ast.Pow):
            return None if left is None or right is None else ast.BinOp(left, node.op, right)
        if left is None and right is not None and isinstance(node.op, ast.Sub):
            return ast.UnaryOp(ast.USub(), right)
        return (left or right) if left is None or right is None else ast.BinOp(left, node.op, right)
    return None if isinstance(node, ast.Name | ast.Subscript) and ast.unparse(node) in zeros else node


def names(node: Node) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Subscript):
            yield ast.unparse(part)


def needed(formulas: dict[str, Node], outputs: str, patterns: Sequence[str]) -> dict[str, Node]:
    """The formulas that the outputs need, without what is zero."""
    zero = re.compile("|".join(f"(?:{p})" for p in patterns)) if patterns else None
    zeros: set[str] = set()
    kept = {}
    for name, formula in formulas.items():
        zeros |= {x for x in names(formula) if zero and x not in formulas and zero.fullmatch(x)}
        made = simplified(formula, zeros)
        if made is None:
            zeros.add(name)
        else:
            kept[name] = made
    wanted = {name for name in kept if re.match(outputs, name)}
    for name in reversed(kept):
        if name in wanted:
            wanted.update(names(kept[name]))
    return {name: formula for name, formula in kept.items() if name in wanted}


def constants(formulas: dict[str, Node], patterns: Sequence[str]) -> set[str]:
    """What is known beforehand: the names that match, and those that are made of such alone."""
    found: set[str] = set()
    for name, formula in formulas.items():
        used = set(names(formula))
        found |= {x for x in used if x not in formulas and any(re.fullmatch(p, x) for p in patterns)}
        if used <= found:
            found.add(name)
    return found


def cost(formulas: dict[str, Node], known: set[str]) -> Cost:
    multiplications = additions = 0
    angles = set()
    for formula in formulas.values():
        for part in ast.walk(formula):
            if set(names(part)) <= known:
                continue
            if isinstance(part, ast.Call):
                angles.add(ast.unparse(part.args[0]))
            elif isinstance(part, ast.BinOp):
                if isinstance(part.op, ast.Mult):
                    multiplications += 1
                elif isinstance(part.op, ast.Add | ast.Sub):
                    additions += 1
                elif isinstance(part.op, ast.Pow) and isinstance(part.right, ast.Constant) and part.right.value == 2:
                    multiplications += 1
                else:
                    raise SystemExit(f"an operation that the rule does not know: {ast.unparse(part)}")
    return Cost(multiplications, additions, len(angles))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--outputs", required=True)
    parser.add_argument("--zero", nargs="*", default=[])
    parser.add_argument("--constants", nargs="*", default=[])
    given = parser.parse_args()
    formulas = needed(assignments(given.file.read_text(encoding="utf-8")), given.outputs, given.zero)
    print(cost(formulas, constants(formulas, given.constants)))


if __name__ == "__main__":
    main()
