"""Pinocchio and MuJoCo as judges: they are handed the arm that `independent` reads, and asked for A, bias and g."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Answer:
    """A, bias = B[qd qd] + C[qd²] + g, and g."""

    mass_matrix: np.ndarray
    bias: np.ndarray
    gravity: np.ndarray


def pinocchio_model(arm):
    """The model, and where each moving joint's coordinate stands in it: joints depth first, as Pinocchio demands."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = arm.gravity
    homes = {-1: (0, pin.SE3.Identity())}
    armature = []
    for k in arm.depth_first():
        joint = arm.joints[k]
        parent, before = homes[joint.parent]
        placement = before * pin.SE3(joint.placement)
        if joint.type == "fixed":
            homes[k] = (parent, placement)
            continue
        along_z = np.array_equal(joint.axis, [0, 0, 1])
        if joint.type == "revolute":
            kind = pin.JointModelRZ() if along_z else pin.JointModelRevoluteUnaligned(joint.axis)
        else:
            kind = pin.JointModelPZ() if along_z else pin.JointModelPrismaticUnaligned(joint.axis)
        homes[k] = (model.addJoint(parent, kind, placement, joint.name), pin.SE3.Identity())
        armature.append(joint.armature)
    for body in arm.bodies:
        home, placement = homes[body.joint]
        if home:
            model.appendBodyToJoint(home, pin.Inertia(body.mass, body.center, body.inertia), placement)
    model.armature = np.array(armature)
    return model, [model.idx_vs[homes[k][0]] for k in arm.moving]


def pinocchio_answer(arm, q, qd):
    import pinocchio as pin

    model, places = pinocchio_model(arm)
    data = model.createData()
    position, speed = np.zeros((2, model.nv))
    position[places], speed[places] = q, qd
    upper = np.triu(pin.crba(model, data, position))
    matrix = upper + np.triu(upper, 1).T
    bias = pin.nonLinearEffects(model, data, position, speed)[places]
    gravity = pin.computeGeneralizedGravity(model, data, position)[places]
    return Answer(matrix[np.ix_(places, places)], bias, gravity)


def mujoco_text(arm):
    """The arm in MJCF, every body a child of the body that carries it."""
    children = {k: [] for k in range(-1, len(arm.joints))}
    for k, joint in enumerate(arm.joints):
        children[joint.parent].append(k)

    def text(entries):
        return " ".join(repr(float(x)) for x in np.ravel(entries))

    def place(frame):
        return f'pos="{text(frame[:3, 3])}" quat="{text(quaternion(frame[:3, :3]))}"'

    def inertial(body):
        moments, axes = np.linalg.eigh(body.inertia)
        axes = axes * np.linalg.det(axes)
        center = f'pos="{text(body.center)}" quat="{text(quaternion(axes))}"'
        return f'<body><inertial mass="{body.mass!r}" {center} diaginertia="{text(moments)}"/></body>'

    def element(k):
        joint = arm.joints[k]
        inner = ""
        if joint.type != "fixed":
            kind = "hinge" if joint.type == "revolute" else "slide"
            inner = (
                f'<joint name="{joint.name}" type="{kind}" axis="{text(joint.axis)}" armature="{joint.armature!r}"/>'
            )
        inner += "".join(inertial(body) for body in arm.bodies if body.joint == k)
        return f"<body {place(joint.placement)}>{inner}{''.join(element(c) for c in children[k])}</body>"

    bodies = "".join(element(k) for k in children[-1])
    return f"""<mujoco><compiler angle="radian" balanceinertia="false"/>
    <option gravity="{text(arm.gravity)}"/><worldbody>{bodies}</worldbody></mujoco>"""


def quaternion(turn):
    """w, x, y, z of a rotation matrix, from the column of its 4×4 projector with the largest entry."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    table = np.array([
        [1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i],
    ])  # fmt: skip
    column = table[:, np.argmax(np.diag(table))]
    return column / np.linalg.norm(column)


def mujoco_answer(arm, q, qd):
    import mujoco

    model = mujoco.MjModel.from_xml_string(mujoco_text(arm))
    data = mujoco.MjData(model)
    places = [model.joint(arm.joints[k].name).dofadr[0] for k in arm.moving]
    data.qpos[places] = q
    mujoco.mj_forward(model, data)
    gravity = data.qfrc_bias[places].copy()
    data.qvel[places] = qd
    mujoco.mj_forward(model, data)
    bias = data.qfrc_bias[places].copy()
    matrix = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, matrix[k], unit)
    return Answer(matrix[np.ix_(places, places)], bias, gravity)
