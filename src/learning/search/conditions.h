// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "search/tpe.h"

namespace protium {

struct Catalogue;

// If the space ranges over kinds of estimators: which of its options only some of these kinds have.
Result<std::vector<Condition>> ConditionsOf(const Space& space,
                                            const std::shared_ptr<const Catalogue>& own);

}  // namespace protium
