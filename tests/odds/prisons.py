"""Prisons that no shipped house has, as exact odds of their worth and their hold need them."""

from __future__ import annotations

from trente_rules import House, loads_house

_HOUSE = """
[house]
name = "melting"
extends = "france-2007"
[refait]
rule = "custom"
[refait.machine.free]
refait = [{{ course = "in", staying = "1", state = "a" }}]
[refait.machine.a]
win = [{{ course = "out", returned = "1" }}]
apres = [{{ course = "down", staying = "{apres}", state = "a" }}]
refait = [{{ course = "on", staying = "{refait}", state = "a" }}]
close = [{{ course = "closed", returned = "1" }}]
"""


def melting(apres: str, refait: str) -> House:
    """Return a house of whose prisoners a tie and a refait leave these shares, such as "2/3"."""
    return loads_house(_HOUSE.format(apres=apres, refait=refait))
