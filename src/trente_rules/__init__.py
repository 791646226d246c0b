"""Trente et quarante (rouge et noir): a rules engine in which a house is one TOML file.

``load_house`` reads a house, ``settle`` settles a coup, ``refusals`` says which stakes a house does
not accept, ``Table`` is a live table. Public are the names of this package and of ``core``,
``fair``, ``odds``, ``table``, ``records``, ``simulation``, ``players``, ``reports``, ``service``
and ``testing``; other modules may change. Each package lists its public names once, in the
``__init__.pyi`` next to it, where type checkers find them too; a name is imported from its module
when it is first asked for, so ``import trente_rules`` is cheap.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
