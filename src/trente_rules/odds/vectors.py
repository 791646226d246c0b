"""Vectors of the processor in compiled code: a numba type, and the functions that work on it.

Numba's own loops become vectors only where LLVM sees that they may; these are vectors whatever it
sees. LLVM lowers them to what the processor has: SSE2, AVX2, AVX-512 or NEON. A vector has the
element type of the array that it was read from, and a fixed number of lanes.

``constant``, ``everywhere``, ``start`` and ``at`` are for intrinsics elsewhere that write LLVM
themselves, as a whole step of a kernel does: what is unrolled there costs little to compile,
unlike a long text for numba. Numba's cache knows only the file of a compiled function: a
change here counts for other modules once their own files change, or the cache is emptied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

_LANE: Final = ir.IntType(32)
CONTRACT: Final = ("contract",)
"""The flag of a product whose sum may be one instruction: a fused one, where there is one."""


class Vector(types.Type):
    """The numba type of a vector: ``element`` is a numba number, in ``lanes`` places."""

    def __init__(self, element: Any, lanes: int) -> None:
        """Name the type by its element and its lanes, so that equal ones are the same."""
        self.element = element
        self.lanes = lanes
        super().__init__(name=f"{element}x{lanes}")

    @property
    def key(self) -> tuple[Any, int]:
        """The element and the lanes: two types with equal ones are the same."""
        return self.element, self.lanes


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    """A vector is an LLVM vector."""

    def __init__(self, manager: Any, vector: Vector) -> None:
        element = manager.lookup(vector.element).get_value_type()
        super().__init__(manager, vector, ir.VectorType(element, vector.lanes))


def constant(vector: Any, number: float) -> Any:
    """Return the LLVM constant with one number in all lanes of an LLVM vector type."""
    return ir.Constant(vector, [number] * vector.count)


def everywhere(builder: Any, vector: Any, number: Any) -> Any:
    """Return an LLVM vector with one LLVM number, of its element type, in all lanes."""
    empty = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(_LANE, 0))
    zeros = ir.Constant(ir.VectorType(_LANE, vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, empty, zeros)


def start(context: Any, builder: Any, array: Any, value: Any) -> Any:
    """Return the LLVM pointer to the first number of an array of the numba type ``array``."""
    return context.make_array(array)(context, builder, value).data


def at(builder: Any, pointer: Any, index: Any, vector: Any) -> Any:
    """Return the pointer to a vector that begins ``index`` numbers after a pointer to numbers."""
    if isinstance(index, int):
        index = ir.Constant(ir.IntType(64), index)
    return builder.bitcast(builder.gep(pointer, [index]), vector.as_pointer())


def written(*, literals: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator of a function that writes LLVM: numba's ``intrinsic``, seen as a call.

    ``literals`` lets it see the values of constants.
    """

    def decorated(typed: Callable[..., Any]) -> Callable[..., Any]:
        made: Callable[..., Any] = intrinsic(prefer_literal=literals)(typed)
        return made

    return decorated


def _bytes(context: Any, element: Any) -> int:
    """Return the size of a number, by which arrays are aligned."""
    return int(context.get_abi_sizeof(context.get_value_type(element)))


@written()
def compact(_typing: Any) -> Any:
    """Have the function that calls this compiled for size: LLVM unrolls none of its loops.

    Loops over vectors gain little by it, and take two to three times as long to compile.
    """

    def code(context: Any, builder: Any, _signature: Any, _values: Any) -> Any:
        builder.function.attributes.add("optsize")
        return context.get_dummy_value()

    return types.void(), code


@written(literals=True)
def load(_typing: Any, array: Any, _index: Any, lanes: Any) -> Any:
    """Return the vector of ``lanes`` (a constant) numbers of a flat array from an index on."""
    vector = Vector(array.dtype, lanes.literal_value)

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        place = start(context, builder, array, values[0])
        pointer = at(builder, place, values[1], context.get_value_type(vector))
        return builder.load(pointer, align=_bytes(context, vector.element))

    return vector(array, types.intp, lanes), code


@written()
def store(_typing: Any, array: Any, _index: Any, vector: Any) -> Any:
    """Write a vector into a flat array from an index on."""

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        place = start(context, builder, array, values[0])
        pointer = at(builder, place, values[1], context.get_value_type(vector))
        builder.store(values[2], pointer, align=_bytes(context, vector.element))
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), code


@written(literals=True)
def spread(_typing: Any, number: Any, lanes: Any) -> Any:
    """Return the vector with one number in all of ``lanes`` (a constant) lanes."""
    number = types.unliteral(number)
    vector = Vector(number, lanes.literal_value)

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return everywhere(builder, context.get_value_type(vector), values[0])

    return vector(number, lanes), code


def _pairwise(name: str, of_floats: str, of_integers: str, text: str) -> Callable[..., Any]:
    """Return the function of two vectors that one LLVM instruction is."""

    def typed(_typing: Any, one: Any, other: Any) -> Any:
        method = of_floats if isinstance(one.element, types.Float) else of_integers

        def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return getattr(builder, method)(*values)

        return one(one, other), code

    typed.__name__, typed.__doc__ = name, text
    return written()(typed)


add = _pairwise("add", "fadd", "add", "Return the sum of two vectors.")
subtract = _pairwise("subtract", "fsub", "sub", "Return one vector less another.")
multiply = _pairwise("multiply", "fmul", "mul", "Return the product of two vectors, by lanes.")


@written()
def negative(_typing: Any, one: Any) -> Any:
    """Return minus a vector of floats."""

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.fsub(constant(values[0].type, -0.0), values[0])

    return one(one), code


def product_added(builder: Any, one: Any, other: Any, more: Any) -> Any:
    """Return ``more + one * other`` of LLVM floats; rounded once or twice, whichever is faster."""
    return builder.fadd(builder.fmul(one, other, CONTRACT), more, CONTRACT)


def product_taken(builder: Any, one: Any, other: Any, more: Any) -> Any:
    """Return ``more - one * other`` of LLVM floats; rounded once or twice, whichever is faster."""
    return builder.fsub(more, builder.fmul(one, other, CONTRACT), CONTRACT)


@written()
def plus_product(_typing: Any, more: Any, one: Any, other: Any) -> Any:
    """Return ``more + one * other`` of vectors of floats, as fast as the processor can."""

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return product_added(builder, values[1], values[2], values[0])

    return more(more, one, other), code


@written()
def less_product(_typing: Any, more: Any, one: Any, other: Any) -> Any:
    """Return ``more - one * other`` of vectors of floats, as fast as the processor can."""

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return product_taken(builder, values[1], values[2], values[0])

    return more(more, one, other), code


@written()
def fused(_typing: Any, one: Any, other: Any, more: Any) -> Any:
    """Return ``one * other + more`` of vectors of floats, rounded once.

    A processor without such an instruction counts it in software, slowly; the answer is the same.
    """

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        vector = values[0].type
        bits = one.element.bitwidth
        name = f"llvm.fma.v{vector.count}f{bits}"
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), name
        )
        return builder.call(function, values)

    return one(one, other, more), code


@written()
def rounded(_typing: Any, one: Any) -> Any:
    """Return the whole numbers nearest to a vector of floats, halves to the even one."""

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        vector = values[0].type
        name = f"llvm.rint.v{vector.count}f{one.element.bitwidth}"
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector]), name
        )
        return builder.call(function, values)

    return one(one), code
