// SPDX-License-Identifier: Apache-2.0
// The rows that a net reads and the meaning of its outputs, from its configuration.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nets/target.h"
#include "pipeline/torch_task.h"
#include "rows/packed.h"

namespace protium {

// Returns the layout of packed rows for a net of this configuration. It includes the labels, unless
// `labels` is false (for scoring), and the weights in the column `weight` if that is not empty.
// Numbers in `scaled` are made from the columns that they name. With `missing` the features may be
// missing (RowField::missing). `group`: the column of groups; empty: there are none.
RowSchema NetRows(const NetConfig& config, const std::vector<ScaledNumber>& scaled,
                  const std::string& weight, bool labels, bool missing = false,
                  const std::string& group = {});
// The cardinality of each categorical column but those of ids, in the order of the field
// "categories".
std::vector<int64_t> Cardinalities(const NetConfig& config);
// What the net's outputs mean: scales, logarithm and classes of the objective.
Target MakeTarget(const Objective& objective);

// Packs the rows of a batch, checks their categories, and passes them on in order, block by block.
Status ForPackedRows(const RowSchema& schema, std::span<const int64_t> cardinalities,
                     const arrow::RecordBatch& batch,
                     const std::function<Status(const PackedRows& block)>& visit);

}  // namespace protium
