// SPDX-License-Identifier: Apache-2.0
// What stands behind protium/kept.h: a kept table is an object of the store with one Parquet file,
// and a ref, "table/NAME", stands for the newest of its name. It is flushed to the disk, does not
// give way, and says what it was made of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protium/csv.h"
#include "protium/fields.h"
#include "protium/frame.h"

namespace protium {

// The kind of its objects, and what the names of its refs begin with.
inline constexpr const char* kSnapshotKind = "snapshot";
inline constexpr const char* kTableRef = "table/";

// What the place of a table begins with that is a kept one: "kept:clean".
inline constexpr std::string_view kKeptPlace = "kept:";
bool IsKeptPlace(std::string_view place);
// Kept() of a place. Refuses options and partitions, which only files have.
DataFrame OpenKeptPlace(Session& session, const std::string& place, const CsvOptions& options,
                        const Columns& partitions);

// The same plan, which keeps something else for as long as it is used: the lease of a kept table.
Plan Holding(Plan plan, std::shared_ptr<const void> held);

// What the manifest of such an object says; its inputs are those of the manifest.
struct SnapshotFacts {
  std::string name;
  int64_t rows = 0;
  std::string plan;                 // Its texts of SQL and Explain(), or their beginning.
  std::string varies;               // Why its SQL may make other rows in the next run; or empty.
  std::vector<std::string> others;  // What was read beside the manifest's inputs, for people.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("rows", rows);
    visit("plan", plan);
    visit("varies", varies);
    visit("others", others);
  }
};

}  // namespace protium
