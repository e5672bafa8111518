// SPDX-License-Identifier: Apache-2.0
// What every engine refuses of rows that are to be upserted.
#pragma once

#include <string>

#include "base/status.h"
#include "plan/node.h"

namespace protium {

// `nulls` of the rows have NULL in the column `key`.
Status RefuseNullKeys(const Store& store, const std::string& key, const std::string& nulls);
// Two of the rows have the same values of the keys, written as `values`.
Status RefuseEqualKeys(const Store& store, const std::string& values);

}  // namespace protium
