"""A small dense layer of integers as vector instructions: 96 inputs or the first 64 of them, blocks of 16 units.

LLVM does not find these by itself: written as loops, each unit is summed across the lanes of a vector at the end, which takes
longer than its products. Here a vector holds eight units and the inputs are spread over it two by two, so that a product and
half of the sum are one instruction where the machine has one (x86: vpmaddwd). Sums wrap at 32 bits and are exact before.
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

block_sum: Any
near_block_sum: Any

if COMPILED:
    from llvmlite.binding import get_host_cpu_features, get_process_triple
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    HAS_VPMADDWD = get_process_triple().startswith("x86_64") and get_host_cpu_features().get("avx2", False)

    def compiled_block_sum(inputs_used: int, typingctx: Any, x: Any, weights: Any, which: Any) -> Any:
        if not (isinstance(x, types.Record) and isinstance(weights, types.Record)):
            return None

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            from llvmlite import ir

            short, wide = ir.IntType(16), ir.IntType(32)
            eight, pairs = ir.VectorType(wide, LANES), ir.VectorType(short, 2 * LANES)
            if HAS_VPMADDWD:
                kind = ir.FunctionType(eight, [pairs, pairs])
                fused = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx2.pmadd.wd")

            def load(record: Any, kind: Any, offset: Any) -> Any:
                place = builder.bitcast(builder.gep(record, [offset]), kind.as_pointer())
                loaded = builder.load(place)
                loaded.align = 1
                return loaded

            def at(number: int) -> Any:
                return ir.Constant(ir.IntType(64), number)

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

            base = {name: signature.args[1].offset(name) for name in ("linear", "first", "bias", "second")}
            xs = signature.args[0].offset("x")
            record = builder.bitcast(args[1], ir.IntType(8).as_pointer())
            inputs = builder.bitcast(args[0], ir.IntType(8).as_pointer())
            net, block = builder.extract_value(args[2], 0), builder.extract_value(args[2], 1)
            blocks = signature.args[1].typeof("first").shape[1]
            index = builder.add(builder.mul(net, at(blocks)), block)
            first = builder.add(at(base["first"]), builder.mul(index, at(INPUTS * BLOCK * 2)))
            bias = builder.add(at(base["bias"]), builder.mul(index, at(BLOCK * 4)))
            second = builder.add(at(base["second"]), builder.mul(index, at(BLOCK * 4)))
            units = [load(record, eight, builder.add(bias, at(4 * LANES * part))) for part in range(BLOCK // LANES)]
            for pair in range(inputs_used // 2):
                two = builder.bitcast(spread(load(inputs, wide, at(xs + 4 * pair))), pairs)
                for part in range(BLOCK // LANES):
                    place = builder.add(first, at(pair * BLOCK * 4 + part * LANES * 4))
                    units[part] = builder.add(units[part], products(two, load(record, pairs, place)))
            zero = ir.Constant(eight, [0] * LANES)
            total = zero
            for part in range(BLOCK // LANES):
                positive = builder.select(builder.icmp_signed(">", units[part], zero), units[part], zero)
                small = builder.ashr(positive, ir.Constant(eight, [SHIFT] * LANES))
                weight = load(record, eight, builder.add(second, at(4 * LANES * part)))
                total = builder.add(total, builder.mul(small, weight))
            sums = [builder.extract_element(total, ir.Constant(wide, lane)) for lane in range(LANES)]
            while len(sums) > 1:
                sums = [builder.add(sums[k], sums[k + 1]) for k in range(0, len(sums), 2)]
            return sums[0]

        return types.int32(x, weights, types.UniTuple(types.int64, 2)), codegen

    @intrinsic
    def block_sum(typingctx: Any, x: Any, weights: Any, which: Any) -> Any:
        return compiled_block_sum(INPUTS, typingctx, x, weights, which)

    @intrinsic
    def near_block_sum(typingctx: Any, x: Any, weights: Any, which: Any) -> Any:
        return compiled_block_sum(NEAR_INPUTS, typingctx, x, weights, which)

else:

    def plain_block_sum(x: Any, weights: Any, which: tuple[int, int], inputs: int = INPUTS) -> int:
        net, block = which
        pairs = np.asarray(x.x[:inputs], np.int64).reshape(-1, 1, 2)
        units = weights.bias[net, block] + (weights.first[net, block, : inputs // 2].astype(np.int64) * pairs).sum(axis=(0, 2))
        return int((np.maximum(units, 0) >> SHIFT) @ weights.second[net, block].astype(np.int64))

    block_sum = plain_block_sum

    def near_block_sum(x: Any, weights: Any, which: tuple[int, int]) -> int:
        return plain_block_sum(x, weights, which, NEAR_INPUTS)


@kernel
def layered(x, weights, net):
    """Return the sum of second[j] * relu(bias[j] + first[j] . x) over the units j of a net, int64.

    x: record with a field x, int16 (96,); weights: record with the fields wide, int64 (nets,): whether more than the first 64
    inputs count; blocks, int64 (nets,): blocks of 16 units in use; first, int16 (nets, blocks, 48, 16, 2): for every two inputs
    the weights of every unit; bias and second, int32 (nets, blocks, 16). Weights are in units of 1/2048, bias in those of
    weight times input.
    """
    total = np.int64(0)
    if weights.wide[net]:
        for block in range(weights.blocks[net]):
            total += np.int64(block_sum(x, weights, (net, block)))
    else:
        for block in range(weights.blocks[net]):
            total += np.int64(near_block_sum(x, weights, (net, block)))
    return total
