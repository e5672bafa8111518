// SPDX-License-Identifier: Apache-2.0
// A dense layer with weights of 8 bits as nodes of a graph: the steps of nets/int8_panels.h, each
// rounded as there, so that the whole numbers that are multiplied and the outputs are the same to
// the bit for the same inputs.
//
// Not by DynamicQuantizeLinear: it takes one scale for all rows of a computation, so that what a
// row is rounded to would depend on the rows beside it.
#pragma once

#include "nets/int8_weights.h"
#include "onnx_graph/graph.h"

namespace protium::onnx {

// sums + x weights; x is float32 [rows, inputs], `sums` [rows, outputs] or [outputs].
Value AddInInt8(Graph& graph, const Value& x, const Int8Weights& weights, const Value& sums);

}  // namespace protium::onnx
