"""The sites of mutation of a module: each is one small change of its source.

The operators are mutmut's, with five of our own: a condition that is forced, a raise or a call
that is left out, a keyword that is left out, a text without blanks that is another one. Left out
by rule are annotations, decorators, docstrings, imports, and texts with a blank in them: those are
sentences, which snapshots and the documents compare as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import ndiff
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import libcst as cst
from attrs import evolve, frozen
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "trente_rules"


@frozen
class Site:
    """One change: where it is, the lines before and after, and the text to put in.

    ``function`` is a qualified name, empty at the level of the module. ``start`` and ``end`` are
    places in the source; ``nth`` counts equal changes of one function, from 0. ``within`` is a hash
    of the function's source: a result holds for as long as it is the same.
    """

    module: str
    function: str
    line: int
    was: str
    now: str
    start: int
    end: int
    text: str
    last: int = 0
    nth: int = 0
    within: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names a change for as long as its lines are as they are: no number is in it."""
        return (self.module, self.function, self.was, self.now)

    @property
    def name(self) -> str:
        """A short name of the change: the same as long as its key is."""
        told = "\n".join((*self.key, str(self.nth)))
        return sha256(told.encode()).hexdigest()[:10]

    @property
    def place(self) -> str:
        """The file and the line, as a reader looks them up."""
        return f"src/trente_rules/{self.module.replace('.', '/')}.py:{self.line}"

    def mutated(self, source: str) -> str:
        """Return the source of the module with the change in it."""
        return source[: self.start] + self.text + source[self.end :]

    def diff(self) -> str:
        """Return the change as lines with a minus and a plus."""
        minus = [f"- {line}" for line in self.was.splitlines()]
        plus = [f"+ {line}" for line in self.now.splitlines()]
        return "\n".join(minus + plus)


def path_of(module: str) -> Path:
    """Return the file of a module that is named as ``core.settlement``."""
    return PACKAGE / f"{module.replace('.', '/')}.py"


def modules_of(folders: Iterable[str]) -> tuple[str, ...]:
    """Return the modules in folders of the package, by name; those without code are left out."""
    files = (file for folder in folders for file in sorted((PACKAGE / folder).rglob("*.py")))
    return tuple(
        ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
        for file in files
        if file.name != "__init__.py"
    )


def sites_of(module: str, source: str | None = None) -> tuple[Site, ...]:
    """Return every site of a module, in the order of its source."""
    text = path_of(module).read_text("utf-8") if source is None else source
    wrapper = MetadataWrapper(cst.parse_module(text))
    finder = _Finder(wrapper, module, text)
    wrapper.visit(finder)
    counted: dict[tuple[str, str, str, str], int] = {}
    found = []
    for site in sorted(finder.sites, key=lambda site: (site.start, site.end, site.text)):
        nth = counted.get(site.key, 0)
        counted[site.key] = nth + 1
        found.append(evolve(site, nth=nth))
    return tuple(found)


# --- operators ---------------------------------------------------------------------------------

_Operator = Callable[[Any], Iterable[cst.CSTNode]]
_OF_MUTMUT: Final[Sequence[tuple[type, _Operator]]] = (
    (cst.BaseNumber, mutators.operator_number),
    (cst.Name, mutators.operator_name),
    (cst.Assign, mutators.operator_assignment),
    (cst.AnnAssign, mutators.operator_assignment),
    (cst.AugAssign, mutators.operator_augmented_assignment),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.Call, mutators.operator_symmetric_string_methods_swap),
    (cst.Call, mutators.operator_unsymmetrical_string_methods_swap),
    (cst.Lambda, mutators.operator_lambda),
    (cst.CSTNode, mutators.operator_keywords),
    (cst.CSTNode, mutators.operator_swap_op),
    (cst.IfExp, mutators.operator_if_exp),
)


def _other_text(node: cst.SimpleString) -> Iterator[cst.CSTNode]:
    """Yield another text; one with a blank is a sentence, and stays."""
    value = node.evaluated_value
    if any(each.isspace() for each in (value if isinstance(value, str) else "")):
        return
    inner = node.raw_value
    yield node.with_changes(value=f"{node.prefix}{node.quote}XX{inner}XX{node.quote}")


def _left_out(node: cst.Call) -> Iterator[cst.CSTNode]:
    """Yield the call without each of its keywords."""
    for n, argument in enumerate(node.args):
        if argument.keyword is not None:
            rest = [*node.args[:n], *node.args[n + 1 :]]
            if rest and n == len(node.args) - 1:
                rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            yield node.with_changes(args=rest)


def _forced(node: cst.BaseExpression) -> Iterator[cst.CSTNode]:
    """Yield a condition that always holds, and one that never does."""
    if not isinstance(node, cst.Name) or node.value not in {"True", "False"}:
        yield cst.Name("True")
        yield cst.Name("False")


_CALLS_LEFT_ALONE: Final = frozenset({"cast", "TypeVar", "ParamSpec", "NewType", "getLogger"})


class _Finder(cst.CSTVisitor):
    """Collects the sites of one module."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, wrapper: MetadataWrapper, module: str, source: str) -> None:
        super().__init__()
        self.sites: list[Site] = []
        self._tree = wrapper.module
        self._module = module
        self._source = source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._within: list[tuple[str, str]] = []
        self._indents = [0]

    # --- what is walked

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Add the sites of a node; return whether its children are looked at."""
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self._indents.append(self.get_metadata(PositionProvider, node).start.column)
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            outer = f"{self._within[-1][0]}." if self._within else ""
            text = self._tree.code_for_node(node)
            self._within.append(
                (f"{outer}{node.name.value}", sha256(text.encode()).hexdigest()[:10])
            )
        if _is_left_alone(node):
            return False
        for mutated in _mutations(node):
            self._add(node, mutated)
        if isinstance(node, cst.If | cst.While | cst.CompIf | cst.Assert):
            for mutated in _forced(node.test):
                self._add(node.test, mutated)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Leave a function or a class."""
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self._within.pop()
        if isinstance(original_node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self._indents.pop()

    # --- what is found

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def _add(self, node: cst.CSTNode, mutated: cst.CSTNode) -> None:
        place: CodeRange = self.get_metadata(PositionProvider, node)
        start = self._offset(place.start.line, place.start.column)
        end = self._offset(place.end.line, place.end.column)
        before = self._tree.code_for_node(node)
        text = self._tree.code_for_node(mutated)
        here = self._source[start:end]
        if here != before:  # blanks around it are part of the node, or it has lines of a block
            indent = "\n" + " " * self._indents[-1]
            if here == before.strip():
                text = text.strip()
            elif here == before.strip().replace("\n", indent):
                text = text.strip().replace("\n", indent)
            else:
                start, end, text = self._by_replacing(node, mutated)
        if text == self._source[start:end]:
            return
        first, last = place.start.line, place.end.line
        old = "".join(self._lines[first - 1 : last])
        head = self._source[self._starts[first - 1] : start]
        new = head + text + self._source[end : self._starts[last]]
        was, now, skipped = _narrowed(old, new)
        function, within = self._within[-1] if self._within else ("", "")
        line = first + skipped
        self.sites.append(
            Site(self._module, function, line, was, now, start, end, text, last=last, within=within)
        )

    def _by_replacing(self, node: cst.CSTNode, mutated: cst.CSTNode) -> tuple[int, int, str]:
        """Return a change found by comparing the whole source before and after it."""
        replaced = self._tree.deep_replace(node, mutated)
        whole = replaced.code if isinstance(replaced, cst.Module) else self._source
        source = self._source
        start = 0
        least = min(len(source), len(whole))
        while start < least and source[start] == whole[start]:
            start += 1
        end = 0
        while end < least - start and source[-1 - end] == whole[-1 - end]:
            end += 1
        return start, len(source) - end, whole[start : len(whole) - end]


def _mutations(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield what a node is replaced by, one after the other."""
    for kind, operator in _OF_MUTMUT:
        if isinstance(node, kind):
            yield from operator(node)
    if isinstance(node, cst.SimpleString):
        yield from _other_text(node)
    if isinstance(node, cst.Call):
        yield from _left_out(node)
    if isinstance(node, cst.Raise):
        yield cst.Pass()
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        yield cst.Pass()


def _is_left_alone(node: cst.CSTNode) -> bool:
    """Return whether a node, with all in it, has no sites."""
    if isinstance(node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom):
        return True
    if isinstance(node, cst.Expr):  # a docstring, or the three dots of a protocol
        return not isinstance(node.value, cst.Call | cst.Await | cst.Yield)
    if isinstance(node, cst.If):
        return isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING"
    if isinstance(node, cst.FunctionDef):
        return any(
            isinstance(each.decorator, cst.Name) and each.decorator.value == "overload"
            for each in node.decorators
        )
    if isinstance(node, cst.Assign | cst.AnnAssign):
        target = node.targets[0].target if isinstance(node, cst.Assign) else node.target
        return isinstance(target, cst.Name) and target.value in {"__all__", "LOGGER"}
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in _CALLS_LEFT_ALONE
    if isinstance(node, cst.Subscript):  # a text in it names a type, not a value
        return isinstance(node.value, cst.Name) and node.value.value in {"Literal", "Annotated"}
    return False


def _narrowed(old: str, new: str) -> tuple[str, str, int]:
    """Return the lines that differ, before and after, and how many lines are before the first."""
    before, after = old.splitlines(), new.splitlines()
    was, now = [], []
    skipped: int | None = None
    passed = 0
    for line in ndiff(before, after):
        if line.startswith("- "):
            skipped = passed if skipped is None else skipped
            was.append(line[2:].strip())
            passed += 1
        elif line.startswith("+ "):
            skipped = passed if skipped is None else skipped
            now.append(line[2:].strip())
        elif line.startswith("  "):
            passed += 1
    return "\n".join(was), "\n".join(now), skipped or 0
