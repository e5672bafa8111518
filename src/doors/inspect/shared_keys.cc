// SPDX-License-Identifier: Apache-2.0
#include "inspect/shared_keys.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "inspect/first_source.h"
#include "inspect/sql_names.h"
#include "run/terminal.h"

namespace protium {
namespace {

using Pair = std::pair<const ColumnProfile*, const ColumnProfile*>;

constexpr size_t kMostShared = 6;  // Shared columns considered for composite keys.
constexpr double kLeastFound = 0.1;
constexpr int64_t kSampledRows = 50'000;

// Whether values of the types are equal only if they mean the same.
bool MayBeKeys(const arrow::DataType& a, const arrow::DataType& b) {
  using arrow::Type;
  const auto whole = [](const arrow::DataType& type) {
    return type.id() == Type::INT32 || type.id() == Type::INT64;
  };
  if (whole(a) && whole(b)) return true;
  return a.id() == b.id() &&
         (a.id() == Type::STRING || a.id() == Type::DATE32 || a.id() == Type::TIMESTAMP);
}

// Matches "customer_id" with the table "customers" or "customer".
bool NamesTable(const std::string& column, const std::string& table) {
  const std::string name = Lower(table);
  const std::string one = name.ends_with('s') ? name.substr(0, name.size() - 1) : name;
  return Lower(column) == name + "_id" || Lower(column) == one + "_id" ||
         Lower(column) == one + "id";
}

std::vector<Pair> SharedColumns(const LookedTable& left, const LookedTable& right,
                                const std::string& label) {
  std::vector<Pair> shared;
  for (const ColumnProfile& a : left.look.table.columns) {
    for (const ColumnProfile& b : right.look.table.columns) {
      const bool ids = Lower(b.name) == "id";
      const bool same = ids ? NamesTable(a.name, right.place.name) : Lower(a.name) == Lower(b.name);
      const bool tells = a.distinct > 1 && b.distinct > 1 && a.name != label;
      if (same && tells && MayBeKeys(*a.type, *b.type)) shared.emplace_back(&a, &b);
    }
  }
  return shared;
}

// Returns the only row of whole numbers that a query gives.
Result<std::vector<int64_t>> Numbers(Session& session, const std::string& sql) {
  PT_LET(const BatchStreamPtr rows, session.Sql(sql).Stream());
  PT_LET(const auto batch, rows->Next());
  std::vector<int64_t> numbers;
  for (int i = 0; batch && i < batch->num_columns(); ++i) {
    numbers.push_back(static_cast<const arrow::Int64Array&>(*batch->column(i)).Value(0));
  }
  return numbers;
}

std::string Listed(const std::vector<Pair>& key, bool right, const char* format) {
  std::vector<std::string> names;
  for (const auto& [a, b] : key) {
    names.push_back(fmt::format(fmt::runtime(format), SqlName(right ? b->name : a->name)));
  }
  return fmt::format("{}", fmt::join(names, *format == '{' ? ", " : " AND "));
}

// Whether no two rows of the right table agree in the key, ignoring rows with a NULL in it.
Result<bool> IsUnique(Session& session, const LookedTable& right, const std::vector<Pair>& key) {
  const std::string columns = Listed(key, true, "{}");
  PT_LET(const auto twice,
         Numbers(session,
                 fmt::format("SELECT count(*) AS n FROM (SELECT {0} FROM {1} WHERE {2} GROUP BY "
                             "{0} HAVING count(*) > 1) AS t",
                             columns, SqlName(right.place.name),
                             Listed(key, true, " {} IS NOT NULL"))));
  return !twice.empty() && twice[0] == 0;
}

Result<double> ShareFound(Session& session, const LookedTable& left, const LookedTable& right,
                          const std::vector<Pair>& key) {
  std::string left_names, right_names, on;
  for (size_t i = 0; i < key.size(); ++i) {
    const char* const comma = i == 0 ? "" : ", ";
    left_names += fmt::format("{}{} AS l{}", comma, SqlName(key[i].first->name), i);
    right_names += fmt::format("{}{} AS r{}", comma, SqlName(key[i].second->name), i);
    on += fmt::format("{}a.l{} = b.r{}", i == 0 ? "" : " AND ", i, i);
  }
  PT_LET(const auto counts,
         Numbers(session, fmt::format("SELECT count(*) AS n, count(b.r0) AS found FROM (SELECT {} "
                                      "FROM {} LIMIT {}) AS a LEFT JOIN (SELECT {} FROM {}) AS b "
                                      "ON {}",
                                      left_names, SqlName(left.place.name), kSampledRows,
                                      right_names, SqlName(right.place.name), on)));
  if (counts.size() < 2 || counts[0] == 0) return 0.0;
  return double(counts[1]) / double(counts[0]);
}

// Returns all ways to choose `size` of the shared columns.
std::vector<std::vector<Pair>> Choices(const std::vector<Pair>& shared, size_t size) {
  std::vector<std::vector<Pair>> choices;
  for (size_t mask = 1; mask < (size_t{1} << shared.size()); ++mask) {
    std::vector<Pair> choice;
    for (size_t i = 0; i < shared.size(); ++i) {
      if ((mask >> i & 1) != 0) choice.push_back(shared[i]);
    }
    if (choice.size() == size) choices.push_back(std::move(choice));
  }
  return choices;
}

SharedKey KeyOf(const std::vector<Pair>& pairs, double found) {
  SharedKey key{.found = found};
  for (const auto& [a, b] : pairs) {
    key.left.push_back(a->name);
    key.right.push_back(b->name);
  }
  return key;
}

// Returns the unique key of that many columns by which most rows find a match.
Result<std::optional<SharedKey>> BestKey(Session& session, const LookedTable& left,
                                         const LookedTable& right,
                                         const std::vector<std::vector<Pair>>& choices) {
  std::optional<SharedKey> best;
  for (const std::vector<Pair>& choice : choices) {
    PT_LET(const bool unique, IsUnique(session, right, choice));
    if (!unique) continue;
    PT_LET(const double found, ShareFound(session, left, right, choice));
    if (!best || found > best->found) best = KeyOf(choice, found);
  }
  return best;
}

std::string Joined(const LookedTable& left, const LookedTable& right, const SharedKey& key) {
  const std::string& name = right.place.name;
  return fmt::format("{} is joined by {}: one row for each, found for {:.0f}% of the rows of {}",
                     name, fmt::join(key.left, ", "), 100 * key.found, left.place.name);
}

}  // namespace

Result<KeySearch> FindSharedKey(Session& session, const LookedTable& left, const LookedTable& right,
                                const std::string& label) {
  const std::string& name = right.place.name;
  std::vector<Pair> shared = SharedColumns(left, right, label);
  if (shared.empty()) {
    return KeySearch{.says = fmt::format("{} is not joined: it shares no column with {}", name,
                                         left.place.name)};
  }
  if (shared.size() > kMostShared) shared.resize(kMostShared);
  const std::string columns = Listed(shared, false, "{}");
  PT_LET(const bool any, IsUnique(session, right, shared));
  if (!any) {
    return KeySearch{.says = fmt::format("{} is not joined: it has several rows for each {}; "
                                         "aggregate them with GROUP BY in the job's SQL",
                                         name, columns)};
  }
  double most = 0;
  for (size_t size = 1; size <= shared.size(); ++size) {
    PT_LET(auto key, BestKey(session, left, right, Choices(shared, size)));
    if (key) most = std::max(most, key->found);
    if (!key || key->found < kLeastFound) continue;
    std::string says = Joined(left, right, *key);
    return KeySearch{std::move(key), std::move(says)};
  }
  return KeySearch{.says =
                       fmt::format("{} is not joined: by {} it is found for {:.0f}% of the rows",
                                   name, columns, 100 * most)};
}

}  // namespace protium
