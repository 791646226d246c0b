"""The formats that this library ships: each file of this folder names its own in ``FORMATS``.

A format is a name and a function from a report to text: ``core.plugins.hookspecs.Format``. Plugins
add more by the hook ``trente_formats``; every command takes them.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from trente_rules.core.plugins.hookspecs import Format

FORMATS: Final[tuple[Format, ...]] = tuple(
    form
    for module in iter_modules(__path__, f"{__name__}.")
    for form in import_module(module.name).FORMATS
)
