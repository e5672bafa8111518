// SPDX-License-Identifier: Apache-2.0
// Joins as SQL that names every column: the results of USING and * differ between engines.
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "column/cells.h"
#include "frame/verbs.h"
#include "plan/aggregates.h"

namespace protium {
namespace {

// The tables, called l and r in the text, and the keys as the caller spells them.
struct Joined {
  SchemaPtr left, right;
  std::vector<JoinKey> on;
};

// Signed integers of any width compare alike on every engine. Other pairs would be converted by
// rules that differ.
Status CheckKeyTypes(const arrow::Field& left, const arrow::Field& right) {
  if (left.type()->Equals(*right.type())) return Status::OK();
  if (arrow::is_signed_integer(left.type()->id()) && arrow::is_signed_integer(right.type()->id())) {
    return Status::OK();
  }
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("join on \"{}\": it is {} in the left table, and {} in the right",
                           left.name(), TypeText(*left.type()), TypeText(*right.type())),
       .fix = "convert one of them first, by cast_string or its like in WithColumns()"});
}

// Returns the keys as the tables spell them.
Result<std::vector<JoinKey>> FindKeys(const Joined& tables) {
  std::vector<JoinKey> keys;
  for (const JoinKey& key : tables.on) {
    PT_LET(const int left, FindColumn(*tables.left, key.left, "join on", "the left table"));
    PT_LET(const int right, FindColumn(*tables.right, key.right, "join on", "the right table"));
    PT_TRY(CheckKeyTypes(*tables.left->field(left), *tables.right->field(right)));
    keys.emplace_back(tables.left->field(left)->name(), tables.right->field(right)->name());
  }
  return keys;
}

Status CheckOptions(const JoinOptions& options) {
  if (options.how == JoinKind::kCross && !options.on.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a cross join pairs all rows and takes no keys",
                 .fix = "leave out \"on\", or choose another kind"});
  }
  if (options.how != JoinKind::kCross && options.on.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a join needs at least one key",
                 .fix = "name the columns that both tables share: {.on = {\"day\"}}"});
  }
  return Status::OK();
}

std::string Condition(const std::vector<JoinKey>& keys) {
  std::string text;
  for (const JoinKey& key : keys) {
    text += fmt::format("{}l.{} = r.{}", text.empty() ? "" : " AND ", InQuotes(key.left, '\"'),
                        InQuotes(key.right, '\"'));
  }
  return text;
}

// The key of a row that only the right table has is taken from there.
std::string KeyText(const JoinKey& key, JoinKind how) {
  const std::string left = "l." + InQuotes(key.left, '\"'),
                    right = "r." + InQuotes(key.right, '\"');
  const std::string name = " AS " + InQuotes(key.left, '\"');
  if (how == JoinKind::kRight) return right + name;
  if (how == JoinKind::kFull) return "coalesce(" + left + ", " + right + ")" + name;
  return left + name;
}

// Returns the keys, then the left table's other columns in their order, then the right table's.
// Names are compared in lower case, as in SQL.
Result<std::string> ColumnsText(const Joined& tables, const std::vector<JoinKey>& keys,
                                JoinKind how) {
  std::string list;
  std::set<std::string> names;
  for (const JoinKey& key : keys) {
    // A column that equals several of the right table is listed once.
    if (!names.insert(Lower(key.left)).second) continue;
    list += (list.empty() ? "" : ", ") + KeyText(key, how);
  }
  std::set<std::string> right_keys;
  for (const JoinKey& key : keys) right_keys.insert(Lower(key.right));
  for (const auto& field : tables.left->fields()) {
    if (!names.insert(Lower(field->name())).second) continue;
    list += (list.empty() ? "" : ", ") + ("l." + InQuotes(field->name(), '\"'));
  }
  for (const auto& field : tables.right->fields()) {
    if (right_keys.contains(Lower(field->name()))) continue;
    if (!names.insert(Lower(field->name())).second) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("join: both tables have a column \"{}\"", field->name()),
                   .fix = "Rename() or Drop() one of them, or join on it"});
    }
    list += ", r." + InQuotes(field->name(), '\"');
  }
  return list;
}

constexpr const char* JoinWords(JoinKind how) {
  switch (how) {
    case JoinKind::kLeft:
      return "LEFT JOIN";
    case JoinKind::kRight:
      return "RIGHT JOIN";
    case JoinKind::kFull:
      return "FULL JOIN";
    case JoinKind::kCross:
      return "CROSS JOIN";
    default:
      return "JOIN";
  }
}

Result<std::string> JoinText(const Joined& tables, JoinKind how) {
  PT_LET(const std::vector<JoinKey> keys, FindKeys(tables));
  // EXISTS returns a left row once, however many match it. NOT IN would return no row at all if one
  // key on the right is NULL.
  if (how == JoinKind::kSemi || how == JoinKind::kAnti) {
    return fmt::format("SELECT * FROM l WHERE {}EXISTS (SELECT 1 FROM r WHERE {})",
                       how == JoinKind::kAnti ? "NOT " : "", Condition(keys));
  }
  PT_LET(const std::string columns, ColumnsText(tables, keys, how));
  const std::string on = keys.empty() ? "" : " ON " + Condition(keys);
  return fmt::format("SELECT {} FROM l {} r{}", columns, JoinWords(how), on);
}

std::string Name(const JoinOptions& options) {
  // In the order of JoinKind.
  constexpr const char* kKinds[] = {"", "left ", "right ", "full ", "semi ", "anti ", "cross "};
  Columns names;
  for (const JoinKey& key : options.on) names.push_back(key.left);
  return fmt::format("{}join{}{}", kKinds[static_cast<size_t>(options.how)],
                     names.empty() ? "" : " on ", fmt::join(names, ", "));
}

}  // namespace

DataFrame DataFrame::Join(const DataFrame& right, const JoinOptions& options) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_TRY(CheckOptions(options));
    Joined tables{.on = options.on};
    PT_LET(tables.left, Schema());
    PT_LET(tables.right, right.Schema());
    PT_LET(std::string text, JoinText(tables, options.how));
    return SqlPlan(std::move(text), {"l", "r"}, {plan_, right.plan_}, Name(options));
  });
}

}  // namespace protium
