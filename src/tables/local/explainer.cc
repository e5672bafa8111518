// SPDX-License-Identifier: Apache-2.0
#include "local/explainer.h"

#include <algorithm>

#include "base/fault.h"
#include "local/inputs.h"
#include "local/source_reads.h"
#include "local/sql_reader.h"

// Walks the plan as the engine does (QueryTables), with views in place of tables: a view checks the
// SQL and supplies the types that the nodes above it need.

namespace protium {

Result<EnginePlan> Explainer::Explain(const Plan& plan) {
  said_.placement = Json::array();
  sources_ = ListSources(plan);
  if (stored_ != nullptr) said_.kept = Json::array();
  PT_TRY(Visit(plan, plan));
  KeptRows result;
  if (views_.count(plan.get()) == 0) PT_TRY(Show(plan, "result", result));
  auto& notes = said_.not_exact;
  std::sort(notes.begin(), notes.end());
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
  return std::move(said_);
}

Status Explainer::Visit(const Plan& plan, const Plan& whole) {
  if (views_.count(plan.get()) > 0) return Status::OK();
  for (const Plan& input : plan->inputs) PT_TRY(Visit(input, whole));
  if (const auto* kept = std::get_if<Materialize>(&plan->verb)) {
    KeptRows rows{.table = NewName(kept->name), .marks = FindCuts(whole, plan.get())};
    PT_LET(const auto varies, Show(plan->inputs.front(), "materialize " + kept->name, rows));
    if (stored_ != nullptr) {
      const auto name = [this](const Source& source) { return questions_.SourceName(source); };
      said_.kept.push_back(stored_->Describe(plan, name, varies, call_));
    }
    views_[plan.get()] = std::move(rows);
  }
  if (const auto* task = std::get_if<MapTask>(&plan->verb)) {
    PT_CHECK(plan->inputs.size() == 1);
    KeptRows rows;
    PT_TRY(Show(plan->inputs.front(), "input of task " + task->task, rows));
    PT_TRY(Seat(*task));
    PT_LET(const RelationSql sql, Write(plan));
    const std::string view = NewName(task->task);
    views_[plan.get()] = {.table = view};
    return questions_.View(view, sql.text);
  }
  return Status::OK();
}

Result<RelationSql> Explainer::Write(const Plan& plan) {
  return WriteFor(questions_, plan, views_, [this](const Lookup&) { return NoKeys(); });
}

Result<std::string> Explainer::NoKeys() {
  const std::string view = NewName("keys");
  PT_TRY(questions_.View(view, "SELECT '' AS pt_key, 0 AS pt_position WHERE 1 = 0"));
  return view;
}

Result<std::vector<std::string>> Explainer::Show(const Plan& plan, const std::string& title,
                                                 KeptRows& rows) {
  PT_LET(const RelationSql sql, Write(plan));
  const auto plain = questions_.PlainTypes(sql.text);
  // DuckDB's message points into the text that it was given; the user is shown the position in the
  // text that was written.
  PT_TRY(PlaceInOriginal(plain.status(), sql.text, sql.texts));
  PT_LET(KeptSelect kept, WriteKept(questions_, *plain, std::move(rows.marks)));
  auto& notes = said_.not_exact;
  notes.insert(notes.end(), sql.not_exact.begin(), sql.not_exact.end());
  notes.insert(notes.end(), kept.not_exact.begin(), kept.not_exact.end());
  if (!sources_.empty()) {
    PT_LET(const auto* const connection, questions_.Connection());
    AddReads(*connection, kept.text, sources_, said_.reads);
  }
  said_.sql += "-- " + title + "\n" + kept.text + ";\n";
  kept.rows.table = std::move(rows.table);
  rows = std::move(kept.rows);
  if (!rows.table.empty()) {
    PT_TRY(questions_.View(rows.table, kept.text));
  }
  return sql.varies;
}

Status Explainer::Seat(const MapTask& task) {
  if (!task.gang || workers_ == nullptr) return Status::OK();
  PT_LET(Json ranks, workers_->Placement(*task.gang));
  said_.placement.push_back({{"task", task.task}, {"ranks", std::move(ranks)}});
  return Status::OK();
}

std::string Explainer::NewName(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !names_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return QuoteName(name, DuckDbDialect());
}

}  // namespace protium
