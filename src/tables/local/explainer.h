// SPDX-License-Identifier: Apache-2.0
// Says what a plan would do on the embedded engine, without running it: for `protium plan`.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "local/questions.h"
#include "local/stored_tables.h"
#include "sql/writer.h"
#include "workers/workers.h"

namespace protium {

// Walks a plan as the engine would run it. Whatever would be evaluated separately becomes a
// temporary view for the questions that follow, so DuckDB checks all SQL that it has not checked
// before, and no data moves. Used once.
class Explainer {
 public:
  // `workers` may be null: then gangs have no placement; so may `stored`: then nothing is kept.
  Explainer(Questions& questions, Workers* workers, StoredTables* stored, Call call)
      : questions_(questions), workers_(workers), stored_(stored), call_(std::move(call)) {}

  Result<EnginePlan> Explain(const Plan& plan);

 private:
  // Visits inputs first. `whole` is the plan being explained: splits above a kept table decide
  // which marks the table gets.
  Status Visit(const Plan& plan, const Plan& whole);
  // Notes how the rows of `plan` are made, with the marks that `rows` asks for, and makes a view
  // under the name in `rows`, if any. Returns what may differ in them between
  // two runs.
  Result<std::vector<std::string>> Show(const Plan& plan, const std::string& title, KeptRows& rows);
  Result<RelationSql> Write(const Plan& plan);
  // Makes a view that stands for the keys of a lookup; empty, since only its columns matter.
  Result<std::string> NoKeys();
  Status Seat(const MapTask& task);
  std::string NewName(const std::string& wanted);

  Questions& questions_;
  Workers* workers_;
  StoredTables* stored_;
  const Call call_;
  std::unordered_map<const Node*, KeptRows> views_;
  std::set<std::string> names_;
  std::vector<Source> sources_;
  EnginePlan said_;
};

}  // namespace protium
