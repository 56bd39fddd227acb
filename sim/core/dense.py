"""A small dense layer of integers as vector instructions: 96 inputs or the first 64 of them, one or two blocks of 16 units.

LLVM does not find these by itself: written as loops, each unit is summed across the lanes of a vector at the end, which takes
longer than its products. Here a vector holds eight units and the inputs are spread over it two by two, so that a product and
half of the sum are one instruction where the machine has one (x86: vpmaddwd). Sums wrap at 32 bits and are exact before.
Weights lie in whole lines of the cache (`sim.core.lines`): every other vector of them would be read from two otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.core.jit import COMPILED, kernel

INPUTS = 96
NEAR_INPUTS = 64
BLOCK = 16
LANES = 8
SHIFT = 11
"""Weights are in units of 2**-SHIFT; units are shifted back by it before the second layer."""

one_block: Any
two_blocks: Any
near_one_block: Any
near_two_blocks: Any

if COMPILED:
    from llvmlite.binding import get_host_cpu_features, get_process_triple
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    HAS_VPMADDWD = get_process_triple().startswith("x86_64") and get_host_cpu_features().get("avx2", False)

    def sum_function(module: Any, inputs_used: int, blocks: int) -> Any:
        """Return an LLVM function from the addresses of inputs and of a net's weights (see `where`) to its sum, int32.

        It is not inlined: its callers would hold inputs in vectors that the next call needs again, and lack those for the sums.
        """
        from llvmlite import ir

        short, wide, byte = ir.IntType(16), ir.IntType(32), ir.IntType(8).as_pointer()
        eight, pairs = ir.VectorType(wide, LANES), ir.VectorType(short, 2 * LANES)
        kind = ir.FunctionType(wide, [byte] * 5)
        function = cgutils.get_or_insert_function(module, kind, f"ringsim_dense_{inputs_used}_{blocks}")
        if not function.is_declaration:
            return function
        function.linkage = "linkonce_odr"
        function.attributes.add("noinline")
        function.attributes.add("nounwind")
        builder = ir.IRBuilder(function.append_basic_block())
        inputs, linear, first, bias, second = function.args
        if HAS_VPMADDWD:
            kind = ir.FunctionType(eight, [pairs, pairs])
            fused = cgutils.get_or_insert_function(module, kind, "llvm.x86.avx2.pmadd.wd")

        def at(number: int) -> Any:
            return ir.Constant(ir.IntType(64), number)

        def load(record: Any, kind: Any, offset: int) -> Any:
            loaded = builder.load(builder.bitcast(builder.gep(record, [at(offset)]), kind.as_pointer()))
            loaded.align = 1
            return loaded

        def spread(value: Any) -> Any:
            empty = ir.Constant(eight, ir.Undefined)
            one = builder.insert_element(empty, value, ir.Constant(wide, 0))
            return builder.shuffle_vector(one, empty, ir.Constant(eight, [0] * LANES))

        def products(a: Any, b: Any) -> Any:
            """Return the sums of neighbouring products of two vectors of 16 int16: 8 int32."""
            if HAS_VPMADDWD:
                return builder.call(fused, [a, b])
            halves = []
            for parity in (0, 1):
                pick = ir.Constant(eight, [2 * lane + parity for lane in range(LANES)])
                left, right = (builder.sext(builder.shuffle_vector(v, v, pick), eight) for v in (a, b))
                halves.append(builder.mul(left, right))
            return builder.add(*halves)

        parts = range(blocks * BLOCK // LANES)
        units = [load(bias, eight, 4 * LANES * part) for part in parts]
        for pair in range(inputs_used // 2):
            two = builder.bitcast(spread(load(inputs, wide, 4 * pair)), pairs)
            for part in parts:
                block, within = divmod(part * LANES, BLOCK)
                place = (block * INPUTS // 2 + pair) * BLOCK * 4 + within * 4
                units[part] = builder.add(units[part], products(two, load(first, pairs, place)))
        zero = ir.Constant(eight, [0] * LANES)
        total = zero
        for place in range(0, 2 * inputs_used, 4 * LANES):
            total = builder.add(total, products(load(inputs, pairs, place), load(linear, pairs, place)))
        for part in parts:
            positive = builder.select(builder.icmp_signed(">", units[part], zero), units[part], zero)
            small = builder.ashr(positive, ir.Constant(eight, [SHIFT] * LANES))
            total = builder.add(total, builder.mul(small, load(second, eight, 4 * LANES * part)))
        lanes = LANES
        while lanes > 1:
            lanes //= 2
            picks = [ir.Constant(ir.VectorType(wide, lanes), [start + lane for lane in range(lanes)]) for start in (0, lanes)]
            total = builder.add(*(builder.shuffle_vector(total, total, pick) for pick in picks))
        builder.ret(builder.extract_element(total, ir.Constant(wide, 0)))
        return function

    def compiled_sum(inputs_used: int, blocks: int, typingctx: Any, x: Any, weights: Any, net: Any) -> Any:
        if not (isinstance(x, types.Record) and isinstance(weights, types.Record)):
            return None

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            from llvmlite import ir

            kinds = signature.args[1]
            byte, number = ir.IntType(8).as_pointer(), ir.IntType(64)
            inputs, record = builder.bitcast(args[0], byte), builder.bitcast(args[1], byte)
            where = [builder.gep(inputs, [ir.Constant(number, signature.args[0].offset("x"))])]
            for name in ("linear", "first", "bias", "second"):
                start, step = (ir.Constant(number, n) for n in (kinds.offset(name), kinds.typeof(name).strides[0]))
                where.append(builder.gep(record, [builder.add(start, builder.mul(args[2], step))]))
            return builder.call(sum_function(builder.module, inputs_used, blocks), where)

        return types.int32(x, weights, types.int64), codegen

    @intrinsic
    def one_block(typingctx: Any, x: Any, weights: Any, net: Any) -> Any:
        return compiled_sum(INPUTS, 1, typingctx, x, weights, net)

    @intrinsic
    def two_blocks(typingctx: Any, x: Any, weights: Any, net: Any) -> Any:
        return compiled_sum(INPUTS, 2, typingctx, x, weights, net)

    @intrinsic
    def near_one_block(typingctx: Any, x: Any, weights: Any, net: Any) -> Any:
        return compiled_sum(NEAR_INPUTS, 1, typingctx, x, weights, net)

    @intrinsic
    def near_two_blocks(typingctx: Any, x: Any, weights: Any, net: Any) -> Any:
        return compiled_sum(NEAR_INPUTS, 2, typingctx, x, weights, net)

else:

    def plain_sum(inputs_used: int, blocks: int) -> Any:
        def plain(x: Any, weights: Any, net: int) -> int:
            values = np.asarray(x.x[:inputs_used], np.int64)
            first = weights.first[net, :blocks, : inputs_used // 2].astype(np.int64)
            units = weights.bias[net, :blocks] + (first * values.reshape(-1, 1, 2)).sum(axis=(1, 3))
            second = weights.second[net, :blocks].astype(np.int64)
            linear = weights.linear[net, :inputs_used].astype(np.int64)
            return int(((np.maximum(units, 0) >> SHIFT) * second).sum() + linear @ values)

        return plain

    one_block, two_blocks = plain_sum(INPUTS, 1), plain_sum(INPUTS, 2)
    near_one_block, near_two_blocks = plain_sum(NEAR_INPUTS, 1), plain_sum(NEAR_INPUTS, 2)


@kernel
def score(x, weights, net):
    """Return linear . x + the sum of second[j] * relu(bias[j] + first[j] . x) over the units j of a net, int64.

    x: record with a field x, int16 (96,); weights: record with the fields wide, int64 (nets,): whether more than the first 64
    inputs count; blocks, int64 (nets,): blocks of 16 units in use, of which the first always counts; linear, int16 (nets, 96);
    first, int16 (nets, 2, 48, 16, 2): for every two inputs the weights of every unit of a block; bias and second, int32 (nets, 2,
    16). Weights are in units of 1/2048, bias and the result in those of weight times input.
    """
    if weights.wide[net]:
        if weights.blocks[net] > 1:
            return np.int64(two_blocks(x, weights, net))
        return np.int64(one_block(x, weights, net))
    if weights.blocks[net] > 1:
        return np.int64(near_two_blocks(x, weights, net))
    return np.int64(near_one_block(x, weights, net))
