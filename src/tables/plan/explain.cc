// SPDX-License-Identifier: Apache-2.0
// Plans as text for people, in `protium plan` and in messages.
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

#include "base/fault.h"
#include "base/text.h"
#include "column/schema.h"
#include "plan/functions.h"
#include "plan/node.h"
#include "sources/source.h"

namespace protium {
namespace {

std::string By(const Columns& by) {
  return by.empty() ? "all columns" : fmt::format("{}", fmt::join(by, ", "));
}

std::string FormatName(Format format) { return FieldsToJson(format).get<std::string>(); }

// One line per verb; a new verb does not compile until it has one.
struct Line {
  std::string operator()(const Scan& scan) const {
    const std::string columns = scan.schema == nullptr ? "?" : Describe(*scan.schema);
    // `format` is that of the copies, not of the user's files, whose names say it.
    const bool copied = !scan.brought_from.empty();
    return fmt::format("scan {}{} [{}]: {}", scan.table,
                       copied ? "" : " " + FormatName(scan.format),
                       fmt::join(copied ? scan.brought_from : scan.paths, ", "), columns);
  }
  std::string operator()(const NamedTable& table) const {
    return table.source ? DescribeSource(*table.source) : "table " + table.name;
  }
  // The text itself is long, and `protium plan` shows the SQL that the engine makes from it.
  std::string operator()(const Sql& sql) const {
    if (!sql.verb.empty()) return sql.verb;
    return fmt::format("sql over {}", fmt::join(sql.names, ", "));
  }
  std::string operator()(const Filter& filter) const {
    return "filter " + ToText(filter.predicate);
  }
  std::string operator()(const Project& project) const {
    std::string text = "project ";
    for (const NamedExpr& column : project.columns) {
      if (&column != &project.columns.front()) text += ", ";
      // A column that is passed through is named once.
      const std::string value = ToText(column.expr);
      text += value == column.name ? value : column.name + " = " + value;
    }
    return text;
  }
  std::string operator()(const Split& split) const {
    const bool part = split.side == Split::Side::kPart;
    return fmt::format("split {} of {} by {} (seed {})", part ? "the part" : "the rest", split.part,
                       By(split.by), split.seed);
  }
  std::string operator()(const MarkSplit& split) const {
    return fmt::format("mark {} = {} by {} (seed {})", split.column, split.part, By(split.by),
                       split.seed);
  }
  // There may be many thousands of keys: only their number is shown.
  std::string operator()(const Lookup& lookup) const {
    return fmt::format("lookup {} = position of {} among {} keys", lookup.output, lookup.column,
                       lookup.keys == nullptr ? 0 : lookup.keys->size());
  }
  std::string operator()(const Materialize& kept) const { return "materialize " + kept.name; }
  std::string operator()(const Limit& limit) const { return fmt::format("limit {}", limit.rows); }
  std::string operator()(const MapTask& task) const {
    if (!task.groups.empty()) {
      return fmt::format("map_task {} over groups by {}", task.task, By(task.groups));
    }
    if (!task.gang) return fmt::format("map_task {}", task.task);
    const int32_t servers = task.gang->servers;
    return fmt::format(
        "map_task {} by a gang of {}{}", task.task, task.gang->workers.max,
        servers > 0 ? fmt::format(" and {} server{}", servers, PluralOf(servers)) : "");
  }
  std::string operator()(const Write& write) const {
    return fmt::format("write {} {}", FormatName(write.format), write.path);
  }
  std::string operator()(const Store& store) const {
    return fmt::format("{} {}", FieldsToJson(store.mode).get<std::string>(),
                       DescribeSource(store.target));
  }
  std::string operator()(const Broken& broken) const {
    return "broken: " + FaultOf(broken.status).what;
  }
};

// Draws a shared node in full once: otherwise the length would double at each node of a chain of
// shared ones.
void Draw(const Plan& plan, int depth, std::unordered_set<const Node*>& seen, std::string& out) {
  out.append(2 * depth, ' ');
  if (plan == nullptr) {
    out += "nothing\n";
    return;
  }
  out += std::visit(Line{}, plan->verb);
  const bool again = !seen.insert(plan.get()).second && !plan->inputs.empty();
  out += again ? " (as above)\n" : "\n";
  if (again) return;
  for (const Plan& input : plan->inputs) Draw(input, depth + 1, seen, out);
}

}  // namespace

std::string Explain(const Plan& plan) {
  std::string out;
  std::unordered_set<const Node*> seen;
  Draw(plan, 0, seen, out);
  return out;
}

}  // namespace protium
