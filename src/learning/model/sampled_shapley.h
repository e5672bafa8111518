// SPDX-License-Identifier: Apache-2.0
// Shapley values of any model, compared with background rows.
//
// 1. Players are sources: features with one source are taken from one row or the other together.
// 2. A set of sources is worth the mean output, over the background rows, of a row with these
//    sources from the explained row and all others from the background row.
// 3. With few sources the values are computed over all sets. Otherwise orders of the sources are
//    drawn: for each background row `samples` orders and their reverses (Mitchell et al., "Sampling
//    Permutations for Shapley Value Estimation", 2022). From the background row to the explained
//    one the sources are exchanged in that order, and what the output changes by is the source's.
//    The orders are order(0, sample, background row, sources) of docs/rows.md, for every row.
//
// Either way a row's values and the mean add up to its output, up to rounding as double, and depend
// on nothing but the row, the model and the background. Of a model that is a sum over sources, such
// as a linear net, they are exact. If an output depends on the row alone, so do they.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/status.h"
#include "pipeline/estimator_kind.h"
#include "rows/packed.h"

namespace protium {

// Fills `out` [rows, outputs of a row].
using PredictPacked = std::function<Status(const PackedRows& rows, std::span<float> out)>;

// The most sources whose values are computed over all sets.
inline constexpr size_t kMostEnumerated = 6;

// Explains the output outputs[i] of row i of `rows`, which have the layout of `by.background`, with
// `width` outputs each. The value of a source is that of its first feature; its other features have
// 0. Calls `predict` in this thread, a few thousand rows at a time: for each of `rows` one row and
// background * 2 * samples * (sources - 1) more, or background * 2^sources.
Result<RowExplanations> SampleShapley(const PackedRows& rows, std::span<const int32_t> outputs,
                                      int32_t width, const ExplainBy& by,
                                      const PredictPacked& predict);

// The same for rows of a batch, which are packed as `schema` says; refuses unknown categories.
Result<RowExplanations> ExplainPacked(const RowSchema& schema,
                                      std::span<const int64_t> cardinalities,
                                      const arrow::RecordBatch& batch,
                                      std::span<const int32_t> outputs, int32_t width,
                                      const ExplainBy& by, const PredictPacked& predict);

}  // namespace protium
