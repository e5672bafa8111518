// SPDX-License-Identifier: Apache-2.0
// Traces the columns that stages make back to the table's columns, which users know.
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/fault.h"
#include "pipeline/chain.h"
#include "stages/history_stage.h"

namespace protium {
namespace {

bool IsNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Replaces `from` only as a whole name: "temp__fill" must not match inside "temp__fill__scale".
void ReplaceName(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at)) {
    const size_t end = at + from.size();
    const bool inside =
        (at > 0 && IsNamePart(text[at - 1])) || (end < text.size() && IsNamePart(text[end]));
    if (!inside) text.replace(at, from.size(), to);
    at += inside ? 1 : to.size();
  }
}

}  // namespace

// Follows the first input of each output to the table. Outputs of the estimator have a maker beyond
// the stages and count as their own source.
std::string FindSource(const Chain& chain, const std::string& column) {
  const StageColumn* const at = chain.Find(column);
  const bool made = at != nullptr && at->maker >= 0 && size_t(at->maker) < chain.stages.size();
  if (!made) return column;
  const Stage& maker = *chain.stages[at->maker].stage;
  const auto& outputs = maker.outputs();
  const auto output = std::find(outputs.begin(), outputs.end(), column) - outputs.begin();
  return FindSource(chain, maker.inputs()[maker.inputs_of(size_t(output)).front()]);
}

namespace {

// Adds the table columns that `column` is made from to `sources`. `seen`: columns already visited,
// since many columns may be made from one.
void AddSources(const Chain& chain, const std::string& column, std::set<std::string>& seen,
                std::set<std::string>& sources) {
  if (!seen.insert(column).second) return;
  const StageColumn* const at = chain.Find(column);
  const bool made = at != nullptr && at->maker >= 0 && size_t(at->maker) < chain.stages.size();
  // What comes from earlier rows is no value of this one.
  const HistoryStage* const history = made ? chain.stages[at->maker].stage->history() : nullptr;
  if (!made || (history != nullptr && !history->sees_own_row())) {
    sources.insert(column);
    return;
  }
  const Stage& maker = *chain.stages[at->maker].stage;
  const auto& outputs = maker.outputs();
  const auto output = std::find(outputs.begin(), outputs.end(), column) - outputs.begin();
  for (const size_t i : maker.inputs_of(size_t(output))) {
    AddSources(chain, maker.inputs()[i], seen, sources);
  }
}

// A single walk, however many columns the table has: it may have thousands.
std::set<std::string> SourcesOf(const Chain& chain, const std::string& column) {
  std::set<std::string> seen, sources;
  AddSources(chain, column, seen, sources);
  return sources;
}

}  // namespace

bool IsMadeFrom(const Chain& chain, const std::string& column, const std::string& source) {
  return SourcesOf(chain, column).contains(source);
}

std::string NameOfSources(const Chain& chain, const std::string& column) {
  constexpr size_t kMost = 3;
  const std::set<std::string> made_from = SourcesOf(chain, column);
  std::string names;
  size_t count = 0;
  for (const std::string& source : chain.sources) {
    if (!made_from.contains(source)) continue;
    names += (names.empty() ? "" : ", ") + source;
    ++count;
  }
  return count == 0 || count > kMost ? column : names;
}

// Covers every text of the fault, since `where` and the advice may also name a column.
Status WithSourceNames(const Chain& chain, const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  for (const StageColumn& each : chain.columns) {
    const std::string source = FindSource(chain, each.name);
    if (source == each.name) continue;
    for (std::string* text : {&fault.what, &fault.where, &fault.why, &fault.fix}) {
      ReplaceName(*text, each.name, source);
    }
  }
  return Fail(std::move(fault));
}

}  // namespace protium
