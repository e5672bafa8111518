// SPDX-License-Identifier: Apache-2.0
// The columns that explain predictions: how much each column of the table adds to one, compared
// with the mean prediction (docs/trees.md, "Explanations").
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>

#include "pipeline/chain.h"
#include "pipeline/torch_task.h"
#include "protium/pipeline.h"

namespace protium {

// The names of the table's columns that the model's features are made from (NameOfSources), one for
// each feature: numbers, categories, then lists, in the order of `config`.
Columns SourcesOfFeatures(const Chain& chain, const NetConfig& config);

// The different names among ExplainConfig::sources, in order.
Columns ExplainedSources(const ExplainConfig& config);

// The columns that explanations add after the predictions, in order; none if config.columns is 0.
//
// Of the N columns that matter most to a row: because_1 (the column, text) and because_1_by
// (double), ..., because_others_by and because_mean. Of every column: because_of_COLUMN for each,
// and because_mean. All numbers of a row add up to what is explained (model/explanations.h).
arrow::FieldVector ExplainedFields(const ExplainConfig& config);

}  // namespace protium
