// SPDX-License-Identifier: Apache-2.0
// A linear model and a net of dense layers, added up.
#pragma once

#include <vector>

#include "recipe/nets.h"
#include "tensor/net.h"

namespace protium {

// The net `wide_and_deep` of recipe/nets.h (WideAndDeepOptions): the outputs of `linear` (linear.h)
// plus those of `tabular_mlp` (tabular_mlp.h), whose parameters it has under the names wide.* and
// deep.*, in this order. The embeddings deep.embedding.<c> count only the columns that are not
// among wide_only. Refuses columns that CheckWideAndDeep() refuses (recipe/net_columns.h), and
// wide_only columns that leave the deep part without any.
Result<std::unique_ptr<Net>> MakeWideAndDeep(const Json& options, const NetInputs& inputs);

// Makes the deep part over the categorical columns whose positions `categories` are.
using DeepPartBuilder = std::function<Result<std::unique_ptr<Net>>(
    const TabularMlpOptions& options, const NetInputs& inputs,
    const std::vector<int64_t>& categories)>;
// The same of parts made by others.
Result<std::unique_ptr<Net>> MakeWideAndDeepOf(const Json& options, const NetInputs& inputs,
                                               const NetBuilder& wide, const DeepPartBuilder& deep);

}  // namespace protium
