// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/prelude.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"

namespace protium {
namespace {

// Nulls are ordered as in Spark, and times are in UTC whatever the machine's zone is. Extensions
// are neither downloaded nor loaded automatically. Rows retain the order of their files, so that
// queries that leave an order open, such as LIMIT without ORDER BY, return the same in every run;
// that costs memory only if a result is larger than memory. Text leaves DuckDB as Arrow's utf8 with
// 32-bit offsets, which readers of our batches cast to arrow::StringArray.
constexpr std::string_view kSettings[] = {
    "SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc'",
    "SET GLOBAL TimeZone = 'UTC'",
    "SET GLOBAL autoinstall_known_extensions = false",
    "SET GLOBAL autoload_known_extensions = false",
    "SET GLOBAL preserve_insertion_order = true",
    "SET GLOBAL arrow_large_buffer_size = false",
    "SET GLOBAL produce_arrow_string_view = false",
};

// duckdb_query_progress() returns -1 while the progress bar is off; printing it is a separate
// setting.
constexpr std::string_view kConnectionSettings[] = {
    "SET enable_progress_bar = true",
    "SET enable_progress_bar_print = false",
};

// Sorts macros so that each comes after those that it calls: DuckDB binds the names in a macro's
// body when the macro is made, and refuses one that does not exist yet. A depth-first walk; a name
// before "(" that is not one of our macros is skipped. Macros do not call each other in circles.
class Ordered {
 public:
  explicit Ordered(const std::vector<Macro>& macros) {
    for (const Macro& macro : macros) open_.emplace(macro.name, macro);
    for (const Macro& macro : macros) Add(macro.name);
  }
  std::vector<Macro> Take() { return std::move(ordered_); }

 private:
  void Add(std::string_view name) {
    const auto found = open_.find(name);
    if (found == open_.end()) return;
    const Macro macro = found->second;
    open_.erase(found);
    size_t start = 0;
    for (size_t i = 0; i < macro.body.size(); ++i) {
      if (macro.body[i] == '(' && start < i) Add(macro.body.substr(start, i - start));
      if (!IsNameCharacter(macro.body[i])) start = i + 1;
    }
    ordered_.push_back(macro);
  }

  std::map<std::string_view, Macro> open_;
  std::vector<Macro> ordered_;
};

std::array<std::span<const Macro>, 10> Themes() {
  using namespace macros;
  return {Pieces(), Aggregates(), Conditions(), Dates(),    JsonTexts(),
          Lists(),  Numbers(),    Operators(),  Patterns(), Text()};
}

}  // namespace

std::span<const std::string_view> DuckDbSettings() { return kSettings; }
std::span<const std::string_view> DuckDbConnectionSettings() { return kConnectionSettings; }

std::vector<Macro> DuckDbMacros() {
  std::vector<Macro> all;
  for (const std::span<const Macro> theme : Themes()) {
    all.insert(all.end(), theme.begin(), theme.end());
  }
  return Ordered(all).Take();
}

const Macro* FindDuckDbMacro(std::string_view name) {
  for (const std::span<const Macro> theme : Themes()) {
    const auto found = std::ranges::find(theme, name, &Macro::name);
    if (found != theme.end()) return &*found;
  }
  return nullptr;
}

}  // namespace protium
