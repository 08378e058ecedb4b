"""Mechanics a second time, exact, over the plain joint angles: 4×4 matrices, energies and their derivatives.

No cumulative angles, no groups of parallel axes, no partial velocities: only the joints' placements in their order.
"""

from fractions import Fraction
from functools import reduce

from emdeg.algebra import TrigRing
from emdeg.quantity import Angle
from emdeg.robot import BASE


class JointAngles:
    """The ring of q1 ... qn and all letters, and what a robot is in it."""

    def __init__(self, model):
        self.model, self.robot, self.tree = model, model.robot, model.tree
        robot = self.robot
        bodies = [*robot.links, *(body for _, body in robot.payloads)]
        placements = [robot.base, *(joint.placement for joint in robot.joints), *(body.frame for body in bodies)]
        angles = [angle for placement in placements for _, angle in placement.rotation.factors]
        angles += [joint.offset for joint in robot.joints]
        turning = {name for angle in angles for name, _ in angle.letters}
        coordinates = [f"q{k + 1}" for k in range(len(self.tree))]
        kinds = [self.robot.joints[index].type for index in self.robot.moving]
        turns = [q for q, kind in zip(coordinates, kinds, strict=True) if kind == "revolute"]
        slides = [q for q in coordinates if q not in turns]
        free = [name for name in self.robot.symbols if name not in turning]
        self.ring = TrigRing([*turns, *sorted(turning)], [*slides, *free])
        self.coordinates = coordinates
        self.letters = self.ring.letters

    # forms of the model

    def of(self, form):
        """A form of the model with its parameters' definitions put in."""
        chosen = self.model.parameters
        own = [self.letters[name] for name in chosen.letters.names]
        images = [self._image(name) for name in self.model.ring.names]
        total = self.ring.zero
        for key, coefficient in form.terms.items():
            definition = self._composed(chosen.definitions[key], own)
            total = total + self._composed(coefficient, images) * definition
        return self.ring.reduce(total)

    def _composed(self, polynomial, images):
        return self.ring.reduce(polynomial.compose(*images)) if images else polynomial

    def _image(self, name):
        """A generator of the model's ring: sines and cosines of sums of angles are expanded."""
        if name in self.letters:
            return self.letters[name]
        angle = next(angle for angle in self.tree.angles if angle.name == name[4:-1])
        c, s = self._cosine_and_sine(angle.constant)
        for k, sign in angle.coordinates:
            ck, sk = self.letters[f"cos(q{k + 1})"], self.letters[f"sin(q{k + 1})"] * sign
            c, s = c * ck - s * sk, s * ck + c * sk
        return self.ring.reduce(s if name.startswith("sin") else c)

    def _cosine_and_sine(self, angle):
        pairs = {name: (self.letters[f"cos({name})"], self.letters[f"sin({name})"]) for name, _ in angle.letters}
        return angle.cosine_and_sine(pairs, self.ring.number)

    def derivative(self, polynomial, k):
        """With respect to coordinate k."""
        name = self.coordinates[k]
        if name in self.ring.pairs:
            return self.ring.reduce(self.ring.angle_derivative(polynomial, self.ring.pairs.index(name)))
        return self.ring.free_derivative(polynomial, name)

    # 4×4 matrices

    def product(self, *matrices):
        return reduce(self._product, matrices)

    def _product(self, m, n):
        return [
            [self.ring.reduce(sum((m[i][k] * n[k][j] for k in range(4)), self.ring.zero)) for j in range(4)]
            for i in range(4)
        ]

    def expression(self, entry):
        return self.ring.reduce(entry.evaluate(self.letters, self.ring.number) + self.ring.zero)

    def _unit(self):
        return [[self.ring.one if i == j else self.ring.zero for j in range(4)] for i in range(4)]

    def turn(self, axis, c, s):
        matrix = self._unit()
        i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        matrix[i][i] = matrix[j][j] = c
        matrix[i][j], matrix[j][i] = -s, s
        return matrix

    def placement(self, placement):
        matrix = self._unit()
        for i, entry in enumerate(placement.translation):
            matrix[i][3] = self.expression(entry)
        for axis, angle in placement.rotation.factors:
            assert isinstance(angle, Angle)
            matrix = self.product(matrix, self.turn(axis, *self._cosine_and_sine(angle)))
        return matrix

    def links(self):
        """Our frame of each link in the base frame."""
        frames, coordinates = [], iter(self.coordinates)
        for joint in self.robot.joints:
            parent = self.placement(self.robot.base) if joint.parent == BASE else frames[joint.parent]
            frame = self.product(parent, self.placement(joint.placement))
            frame = self.product(frame, self.turn("z", *self._cosine_and_sine(joint.offset)))
            if joint.type != "fixed":
                name = next(coordinates)
                motion = self._unit()
                if joint.type == "revolute":
                    motion = self.turn("z", self.letters[f"cos({name})"], self.letters[f"sin({name})"])
                else:
                    motion[2][3] = self.letters[name]
                frame = self.product(frame, motion)
            frames.append(frame)
        return frames

    def bodies(self):
        """(frame in the base frame, pseudo-inertia matrix) of every body."""
        links = self.links()
        found = [*enumerate(self.robot.links), *self.robot.payloads]
        return [
            (self.product(links[k], self.placement(body.frame)), self._pseudo_inertia(body.inertia))
            for k, body in found
        ]

    def _pseudo_inertia(self, inertia):
        """The integral of (x, y, z, 1)(x, y, z, 1)ᵀ dm."""
        mass = self.expression(inertia.mass)
        xx, xy, xz, yy, yz, zz = (self.expression(entry) for entry in inertia.second_moments)
        half = self.ring.number(Fraction(1, 2))
        table = [
            [half * (yy + zz - xx), -xy, -xz],
            [-xy, half * (xx + zz - yy), -yz],
            [-xz, -yz, half * (xx + yy - zz)],
        ]
        if inertia.first_moments is not None:
            h = [self.expression(entry) for entry in inertia.first_moments]
        else:
            r = [self.expression(entry) for entry in inertia.center_of_mass]
            h = [mass * x for x in r]
            if inertia.about == "center_of_mass":
                table = [[table[i][j] + mass * r[i] * r[j] for j in range(3)] for i in range(3)]
        return [[*table[i], h[i]] for i in range(3)] + [[*h, mass]]

    # energies

    def potential(self):
        """-sum of m gᵀ p."""
        g = [self.expression(entry) for entry in self.robot.gravity]
        total = self.ring.zero
        for frame, pseudo in self.bodies():
            for i in range(3):
                total = total - g[i] * sum((frame[i][k] * pseudo[k][3] for k in range(4)), self.ring.zero)
        return self.ring.reduce(total)

    def mass_matrix(self):
        """sum of the traces of ∂T/∂q_i J ∂Tᵀ/∂q_j, and the drives."""
        count = len(self.coordinates)
        matrix = [[self.ring.zero] * count for _ in range(count)]
        for frame, pseudo in self.bodies():
            slopes = [[[self.derivative(x, k) for x in row] for row in frame] for k in range(count)]
            for j in range(count):
                moved = self.product(slopes[j], pseudo)
                for i in range(j + 1):
                    trace = sum((slopes[i][a][b] * moved[a][b] for a in range(4) for b in range(4)), self.ring.zero)
                    matrix[i][j] = matrix[i][j] + trace
        for k, index in enumerate(self.robot.moving):
            drive = self.robot.joints[index].drive
            if drive is not None:
                matrix[k][k] = matrix[k][k] + self.expression(drive.reflected)
        return {(i, j): self.ring.reduce(matrix[i][j]) for i in range(count) for j in range(i, count)}
