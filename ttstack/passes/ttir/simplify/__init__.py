"""Algebra that holds on every target: identities, constants, parameters, the order of multiplies.

Nothing here recognizes a composite, or moves an element.
"""
