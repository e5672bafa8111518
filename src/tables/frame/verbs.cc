// SPDX-License-Identifier: Apache-2.0
// Verbs over the columns and rows of one table, or of two with the same columns. Most become
// projections or SQL texts of our own, which go through the same checks and spellings as a user's
// SQL; so they mean the same on every engine without engine code.
#include "frame/verbs.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "column/cells.h"
#include "column/schema.h"
#include "plan/aggregates.h"

namespace protium {

DataFrame BuildFrame(Session& session, const std::function<Result<Plan>()>& build) {
  Result<Plan> plan = build();
  return {session, plan.ok() ? std::move(plan).MoveValueUnsafe() : MakePlan(Broken{plan.status()})};
}

Result<int> FindColumn(const arrow::Schema& schema, const std::string& name,
                       const std::string& verb, const std::string& table) {
  const int at = FindField(schema, name);
  if (at >= 0) return at;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{} \"{}\": {} has no such column", verb, name, table),
               .fix = Suggest(name, schema.field_names())});
}

std::vector<NamedExpr> PlainColumns(const std::vector<std::string>& names) {
  std::vector<NamedExpr> columns;
  for (const std::string& name : names) columns.push_back({name, Col(name)});
  return columns;
}

std::vector<NamedExpr> MergedColumns(const arrow::Schema& schema,
                                     const std::vector<NamedExpr>& columns) {
  std::vector<NamedExpr> merged = PlainColumns(schema.field_names());
  for (const NamedExpr& column : columns) {
    // SQL's names ignore case: "Day" replaces "day" at its position, with the new spelling.
    const std::string lower = Lower(column.name);
    const auto old = std::find_if(merged.begin(), merged.end(),
                                  [&](const NamedExpr& each) { return Lower(each.name) == lower; });
    if (old == merged.end()) {
      merged.push_back(column);
    } else {
      *old = column;
    }
  }
  return merged;
}

Status CheckNewNames(const std::vector<NamedExpr>& columns, const std::string& verb) {
  std::set<std::string> seen;
  for (const NamedExpr& column : columns) {
    if (seen.insert(Lower(column.name)).second) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{}: two columns are called \"{}\"", verb, column.name),
                 .fix = "give one of them another name"});
  }
  return Status::OK();
}

Plan SqlPlan(std::string text, std::vector<std::string> names, std::vector<Plan> inputs,
             std::string verb) {
  return MakePlan(Sql{std::move(text), std::move(names), std::move(verb)}, std::move(inputs));
}

namespace {

// Returns the columns of the other table in the order of the first one's. Types must be equal: each
// engine would widen them by its own rules.
Result<Columns> SameColumns(const arrow::Schema& first, const arrow::Schema& other) {
  Columns columns;
  for (const auto& field : first.fields()) {
    PT_LET(const int at, FindColumn(other, field->name(), "union by", "the other table"));
    const arrow::Field& theirs = *other.field(at);
    columns.push_back(theirs.name());
    if (theirs.type()->Equals(*field->type())) continue;
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("union: column \"{}\" is {} here and {} in the other table",
                             field->name(), TypeText(*field->type()), TypeText(*theirs.type())),
         .fix = "convert one of them first, by cast_double or its like in WithColumns()"});
  }
  if (other.num_fields() == first.num_fields()) return columns;
  // All of the first are in the other, which has more: names the first of those.
  for (const auto& field : other.fields()) {
    PT_TRY(FindColumn(first, field->name(), "union by", "the first table").status());
  }
  return columns;
}

}  // namespace

DataFrame DataFrame::WithColumns(std::vector<NamedExpr> columns) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_TRY(CheckNewNames(columns, "with columns"));
    PT_LET(const SchemaPtr schema, Schema());
    return MakePlan(protium::Project{MergedColumns(*schema, columns)}, {plan_});
  });
}

DataFrame DataFrame::Select(const Columns& columns) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr schema, Schema());
    for (const std::string& name : columns) PT_TRY(FindColumn(*schema, name, "select").status());
    return MakePlan(protium::Project{PlainColumns(columns)}, {plan_});
  });
}

DataFrame DataFrame::Rename(const std::map<std::string, std::string>& old_to_new) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr schema, Schema());
    std::vector<NamedExpr> columns = PlainColumns(schema->field_names());
    for (const auto& [before, after] : old_to_new) {
      PT_LET(const int at, FindColumn(*schema, before, "rename"));
      // Found by the old names, so that two columns can swap names.
      columns[static_cast<size_t>(at)].name = after;
    }
    PT_TRY(CheckNewNames(columns, "rename"));
    return MakePlan(protium::Project{std::move(columns)}, {plan_});
  });
}

DataFrame DataFrame::Drop(const Columns& columns) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr schema, Schema());
    std::set<int> dropped;
    for (const std::string& name : columns) {
      PT_LET(const int at, FindColumn(*schema, name, "drop"));
      dropped.insert(at);
    }
    Columns kept;
    for (int i = 0; i < schema->num_fields(); ++i) {
      if (!dropped.contains(i)) kept.push_back(schema->field(i)->name());
    }
    if (kept.empty()) {
      return Fail({.exit = Exit::kUsage, .what = "drop: no column would be left"});
    }
    return MakePlan(protium::Project{PlainColumns(kept)}, {plan_});
  });
}

DataFrame DataFrame::Sort(const std::vector<SortKey>& keys) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    if (keys.empty()) return Fail({.exit = Exit::kUsage, .what = "sort: by no column"});
    PT_LET(const SchemaPtr schema, Schema());
    for (const SortKey& key : keys) PT_TRY(FindColumn(*schema, key.column, "sort by").status());
    return SqlPlan("SELECT * FROM t ORDER BY " + OrderList(keys), {"t"}, {plan_},
                   "sort by " + OrderList(keys));
  });
}

DataFrame DataFrame::Union(const DataFrame& other) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr first, Schema());
    PT_LET(const SchemaPtr second, other.Schema());
    PT_LET(const Columns columns, SameColumns(*first, *second));
    // UNION matches columns by position, so both sides list them in the order of the first.
    return SqlPlan("SELECT " + NameList(first->field_names()) + " FROM a UNION ALL SELECT " +
                       NameList(columns) + " FROM b",
                   {"a", "b"}, {plan_, other.plan_}, "union");
  });
}

DataFrame DataFrame::Distinct() const {
  return {*session_, SqlPlan("SELECT DISTINCT * FROM t", {"t"}, {plan_}, "distinct")};
}

DataFrame DataFrame::Sample(double share, int64_t seed, Columns by) const {
  // The side that Split() would call the test side: chosen by a hash of cells, the same on every
  // engine.
  return {*session_, MakePlan(protium::Split{.by = std::move(by),
                                             .part = share,
                                             .seed = seed,
                                             .side = protium::Split::Side::kPart},
                              {plan_})};
}

}  // namespace protium
