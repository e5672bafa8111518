// SPDX-License-Identifier: Apache-2.0
#include "engine/key_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/fault.h"
#include "sources/source.h"

namespace protium {
namespace {

Status RefuseKeys(const Store& store, std::string what, std::string fix) {
  return Fail({.exit = Exit::kInput,
               .what = std::move(what),
               .where = DescribeSource(store.target),
               .fix = std::move(fix),
               .kept = "the table as it was"});
}

}  // namespace

Status RefuseNullKeys(const Store& store, const std::string& key, const std::string& nulls) {
  return RefuseKeys(
      store,
      fmt::format("{} of the rows to upsert {} no {}", nulls, nulls == "1" ? "has" : "have", key),
      fmt::format("leave them out in the SQL: WHERE {} IS NOT NULL", key));
}

Status RefuseEqualKeys(const Store& store, const std::string& values) {
  return RefuseKeys(store,
                    fmt::format("two of the rows to upsert have the same {}: {}",
                                fmt::join(store.keys, ", "), values),
                    "name more columns in upsert, or keep one row for each in the SQL");
}

}  // namespace protium
