// SPDX-License-Identifier: Apache-2.0
// Columns by which rows of one table find their row in another: their names and types are equal,
// and together they have another value in each row of the other table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/session.h"

namespace protium {

struct LookedTable;

struct SharedKey {
  std::vector<std::string> left, right;  // The key's columns in the one table and in the other.
  double found = 0;                      // The share of the left table's rows that have a match.
};

struct KeySearch {
  std::optional<SharedKey> key;
  std::string says;  // What was found, or why nothing was, for people.
};

// Searches for the key with the fewest columns and, among those, for the one by which most rows of
// `left` find a row, measured on at most its first 50,000 rows. Both tables are known to the
// session by their names. "customer_id" and the "id" of "customers" count as equal names; two
// columns "id" do not. The column `label` of the left table is never part of a key: whatever it
// finds would give it away.
Result<KeySearch> FindSharedKey(Session& session, const LookedTable& left, const LookedTable& right,
                                const std::string& label);

}  // namespace protium
