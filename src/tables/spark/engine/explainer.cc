// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/explainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "spark/engine/kept_steps.h"

// The walk is the engine's own: everything that would be evaluated separately is lowered and
// described by the server, which checks the SQL, and then becomes a temporary view that the nodes
// above it read. Nothing is run, so a task's result is an empty table of its types.

namespace protium {

Result<Json> PlanRanks(SparkSession& session, const SparkSettings& settings, const GangSpec& gang,
                       const Call& call) {
  PT_LET(const Capacity there, ReadCapacity(session, call));
  PT_LET(const Capacity capacity, CapacityOf(settings.executors, there));
  PT_TRY(CheckFits(gang, capacity));
  const std::string by = settings.rows == RowsBy::kAuto
                             ? "files, or by stream when there are few"
                             : std::string(settings.rows == RowsBy::kFiles ? "files" : "stream");
  return PlacementOn(gang, capacity, by);
}

Result<EnginePlan> SparkExplainer::Explain(const Plan& plan) {
  said_.placement = Json::array();
  if (stored_.has_store()) said_.kept = Json::array();
  PT_TRY(Visit(plan, plan));
  if (context_.kept.count(plan.get()) == 0) PT_TRY(Show(plan, "result").status());
  auto& notes = said_.not_exact;
  std::sort(notes.begin(), notes.end());
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
  return std::move(said_);
}

Status SparkExplainer::Visit(const Plan& plan, const Plan& whole) {
  if (context_.kept.count(plan.get()) > 0) return Status::OK();
  for (const Plan& input : plan->inputs) PT_TRY(Visit(input, whole));
  if (std::holds_alternative<Materialize>(plan->verb)) return ShowKept(plan, whole);
  if (const auto* task = std::get_if<MapTask>(&plan->verb)) {
    PT_CHECK(plan->inputs.size() == 1);
    PT_TRY(Show(plan->inputs.front(), "input of task " + task->task).status());
    PT_TRY(Seat(*task));
    // Without a task to run, it is lowered to a table of its types without rows.
    PT_LET(const SparkTable table, LowerPlan(plan, context_));
    return Name(plan, {.relation = table.relation}, task->task);
  }
  return Status::OK();
}

Status SparkExplainer::ShowKept(const Plan& plan, const Plan& whole) {
  const std::string& name = std::get<Materialize>(plan->verb).name;
  PT_LET(const SparkTable table, Show(plan->inputs.front(), "materialize " + name));
  KeptRelation kept{.rows = {.table = {}, .marks = CutsToMark(whole, plan.get(), table.schema)}};
  PT_LET(const SparkTable marked, LowerMarks(table, context_, kept.rows));
  if (!kept.rows.marks.empty()) Describe(marked, "the sides of its cuts");
  if (stored_.has_store()) {
    const RowsCause cause = stored_.CauseOf(plan, marked, kept.rows.marks, call_);
    said_.kept.push_back(stored_.Describe(name, cause));
  }
  kept.relation = marked.relation;
  return Name(plan, std::move(kept), name);
}

Result<SparkTable> SparkExplainer::Show(const Plan& plan, const std::string& title) {
  PT_LET(SparkTable table, LowerPlan(plan, context_));
  Describe(table, title);
  return table;
}

void SparkExplainer::Describe(const SparkTable& table, const std::string& title) {
  said_.not_exact.insert(said_.not_exact.end(), table.not_exact.begin(), table.not_exact.end());
  if (!table.sql.empty()) said_.sql += "-- " + title + "\n" + table.sql + ";\n";
}

Status SparkExplainer::Name(const Plan& plan, KeptRelation kept, const std::string& name) {
  const std::string view = fmt::format("pt_view_{}_{}", views_++, name);
  PT_TRY(
      session_.Command(connect::CreateView(kept.relation, view), {.name = "plan"}, call_).status());
  kept.relation = connect::Table(view);
  context_.kept[plan.get()] = std::move(kept);
  return Status::OK();
}

Status SparkExplainer::Seat(const MapTask& task) {
  if (!task.gang) return Status::OK();
  PT_LET(Json ranks, PlanRanks(session_, settings_, *task.gang, call_));
  said_.placement.push_back({{"task", task.task}, {"ranks", std::move(ranks)}});
  return Status::OK();
}

}  // namespace protium
