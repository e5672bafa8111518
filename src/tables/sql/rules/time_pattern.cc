// SPDX-License-Identifier: Apache-2.0
// date_format(x, 'yyyy'), to_date(s, 'dd/MM/yyyy') and the like with a pattern: they become our own
// functions, which read Java's letters as ReadJavaPattern() splits them. Only constant patterns are
// accepted, so that an unknown letter is refused before any row is read. Without a pattern these
// names are macros (sql/duckdb/macros/dates.cc).
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"
#include "sql_words/java_pattern.h"

namespace protium {
namespace {

struct ByPattern {
  std::string_view spark;
  const char* duckdb;
  PatternUse use;
};

constexpr ByPattern kByPattern[] = {
    {"date_format", "pt_format_time", PatternUse::kWrite},
    {"from_unixtime", "pt_format_seconds", PatternUse::kWrite},
    {"to_date", "pt_parse_date", PatternUse::kRead},
    {"to_timestamp", "pt_parse_time", PatternUse::kRead},
    {"to_unix_timestamp", "pt_parse_seconds", PatternUse::kRead},
    {"try_to_date", "pt_try_parse_date", PatternUse::kRead},
    {"try_to_timestamp", "pt_try_parse_time", PatternUse::kRead},
    {"unix_timestamp", "pt_parse_seconds", PatternUse::kRead},
};

const ByPattern* FindByPattern(const tree::View& node) {
  if (!node.Is(tree::Kind::kFunction)) return nullptr;
  const auto* const found = std::ranges::find(kByPattern, node.function(), &ByPattern::spark);
  return found == std::end(kByPattern) ? nullptr : found;
}

Status RefusePattern(std::string_view function, const std::string& pattern) {
  return Fail(
      {.exit = Exit::kUsage,
       .what = std::string(function) + " is not the same on every engine for the pattern '" +
               pattern + "'",
       .why = "it has a letter of Java's patterns that the embedded engine does not support",
       .fix = "use only y M d H h k K m s S a D X x Z, and for writing also E Q L F O VV z"});
}

// mm/dd/yyyy reads minutes, and yields a day in January.
bool ReadsMinutesForMonths(const std::vector<TimeField>& fields) {
  const auto has = [&](std::string_view letters) {
    return std::ranges::any_of(fields, [&](const TimeField& field) {
      return field.letter != 0 && letters.find(field.letter) != std::string_view::npos;
    });
  };
  return has("m") && has("y") && !has("MD") && !has("HhKk");
}

Status RefuseMinutes(std::string_view function, const std::string& pattern) {
  return Fail({.exit = Exit::kUsage,
               .what = std::string(function) + " with '" + pattern + "' reads no month",
               .why = "m stands for minutes, M for months",
               .fix = "write MM for the month"});
}

}  // namespace

Rule TimePatternRule() {
  return {.name = "time pattern",
          .matches =
              [](const tree::View& node) {
                return FindByPattern(node) != nullptr && node.num_arguments() == 2;
              },
          .apply =
              [](Json& node) {
                const tree::View view(node);
                const ByPattern& found = *FindByPattern(view);
                const std::string* const pattern = view.ArgumentText(1);
                // A computed pattern is known only when rows are read.
                if (pattern == nullptr) return RefusePattern(found.spark, "...");
                const auto fields = ReadJavaPattern(*pattern, found.use);
                if (!fields) return RefusePattern(found.spark, *pattern);
                if (found.use == PatternUse::kRead && ReadsMinutesForMonths(*fields)) {
                  return RefuseMinutes(found.spark, *pattern);
                }
                tree::Replace(node, tree::Call(found.duckdb, node["children"], node));
                return Status::OK();
              }};
}

}  // namespace protium
