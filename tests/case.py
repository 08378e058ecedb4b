"""Small documents, and what is asked of the models that they become."""

import emdeg
from emdeg.model.base_parameters import counts

CONVENTIONS = ("modified-dh", "standard-dh", "khalil", "frames", "screws")
DOWN = [0, 0, -9.81]
POINT = {"xx": 0, "yy": 0, "zz": 0}


def document(*joints, convention="modified-dh", gravity=DOWN, **more):
    rows = [{"alpha": 0, "a": 0, "d": 0} | row if "dh" in convention else row for row in joints]
    return {"name": "case", "convention": convention, "gravity": gravity, "joint": rows, **more}


def derived(*joints, **more):
    return emdeg.derive(emdeg.load(document(*joints, **more)))


def base_counts(model):
    return counts(model.tree, model.ring, model.parameters)


def same(one, other, tolerance=1e-12):
    """Two evaluations agree within `tolerance` of the largest element of each part."""
    for name in ("mass_matrix", "coriolis", "centrifugal", "gravity", "torque"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert abs(mine - theirs).max() <= tolerance * abs(theirs).max(initial=0), name
