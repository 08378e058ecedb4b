"""What the arguments and results of the functions of dynamics mean, with units, for the comments of generated text."""

from collections.abc import Sequence

_POSITION = "rad, m where a joint slides"
_FORCE = "N m, N where a joint slides"

MEANINGS = {
    "q": f"joint positions [{_POSITION}]",
    "qd": "joint velocities [rad/s, m/s where a joint slides]",
    "qdd": "joint accelerations [rad/s^2, m/s^2 where a joint slides]",
    "tau": f"joint torques [{_FORCE}]",
    "inverse_dynamics": f"joint torques [{_FORCE}]",
    "mass_matrix": "mass matrix, tau = mass_matrix qdd + ... [kg m^2; kg m, kg where joints slide]",
    "coriolis_matrix": "Coriolis matrix in Christoffel form, tau = coriolis_matrix qd + ... [SI]",
    "bias": f"joint torques at qdd = 0 [{_FORCE}]",
    "gravity": f"joint torques that hold the arm at rest [{_FORCE}]",
    "forward_dynamics": "joint accelerations [rad/s^2, m/s^2 where a joint slides]",
    "kinetic_energy": "kinetic energy [J]",
    "potential_energy": "potential energy, zero at the height of the base origin [J]",
    "regressor": "derivatives of the joint torques by the inertial parameters [SI]",
    "forward_kinematics": "homogeneous transform to the base frame [m]",
    "jacobian": "velocity of the frame by joint velocities, linear rows first, base axes [m, 1]",
    "dtau_dq": "derivatives of the joint torques by the joint positions [SI]",
    "dtau_dqd": "derivatives of the joint torques by the joint velocities [SI]",
    "coriolis": "coefficients of qd1 qd2, qd1 qd3, ..., qd(n-1) qdn in the joint torques [SI]",
    "centrifugal": "coefficients of qd1^2, ..., qdn^2 in the joint torques [SI]",
    "mass_matrix_absolute": "mass matrix in absolute angles of parallel joints [SI]",
    "coriolis_absolute": "coefficients of products of rates of absolute angles [SI]",
    "centrifugal_absolute": "coefficients of squares of rates of absolute angles [SI]",
    "gravity_absolute": "torques at absolute angles that hold the arm at rest [SI]",
    "constants": "what the parameters alone determine [SI]",
    "friction": f"joint torques of friction [{_FORCE}]",
}


def described(name: str, label: str, shape: tuple[int, ...], components: Sequence[str] = ()) -> str:
    """A line on an argument: its name in the text, its shape, what its components are, or what its `label` means."""
    size = " x ".join(map(str, shape)) if shape else "scalar"
    if components:
        return f"{name} ({size}): {', '.join(components)} [SI]"
    return f"{name} ({size}): {MEANINGS[label]}" if label in MEANINGS else f"{name} ({size}), in SI units"
