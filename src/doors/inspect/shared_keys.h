// SPDX-License-Identifier: Apache-2.0
// Columns by which one table's rows find their row in another: of equal names and types, together
// of another value in each row of the other table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/session.h"

namespace protium {

struct LookedTable;

struct SharedKey {
  std::vector<std::string> left, right;  // The columns in the one table and in the other.
  double found = 0;                      // The share of the left table's rows that have a match.
};

struct KeySearch {
  std::optional<SharedKey> key;
  std::string says;  // What was found, or why there is none, for people.
};

// Looks for the key of fewest columns, and among those for the one that most rows of `left` find,
// as measured on at most 50,000 of its first rows. Both tables are known to the session by their
// names. "customer_id" and the "id" of "customers" count as equal names; two columns "id" do not.
// The column `label` of the left table is no key: what is found by it would tell it.
Result<KeySearch> FindSharedKey(Session& session, const LookedTable& left, const LookedTable& right,
                                const std::string& label);

}  // namespace protium
