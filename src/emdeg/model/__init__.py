"""The explicit model: derivation, base parameters, inertia constants, Christoffel symbols, printing."""
