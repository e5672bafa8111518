// SPDX-License-Identifier: Apache-2.0
// A table that is yet to be made: a plan and the session that can run it. Public API.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "plan/node.h"

namespace protium {

class Session;
class Writer;
struct Sides;

struct SplitOptions {
  Columns by;         // Rows that agree in these fall on one side; empty: all columns.
  double test = 0.2;  // Expected share of the second side.
  int64_t seed = 0;
};

// Cheap to copy. Verbs build and never fail: an error waits for the first action. The session must
// live longer.
class DataFrame {
 public:
  DataFrame(Session& session, Plan plan) : session_(&session), plan_(std::move(plan)) {}
  const Plan& plan() const { return plan_; }
  Session& session() const { return *session_; }

  DataFrame Filter(Expr predicate) const;
  DataFrame Select(const Columns& columns) const;
  DataFrame Project(std::vector<NamedExpr> columns) const;
  DataFrame Limit(int64_t rows) const;
  // Is evaluated once; everything built on the result reads what was kept.
  DataFrame Materialize(std::string name) const;
  DataFrame Map(MapTask task) const;
  // auto [train, test] = frame.Split({.by = {"day"}, .test = 0.2}). Evaluates the frame once.
  Sides Split(const SplitOptions& options) const;

  // Actions.
  Result<SchemaPtr> Schema() const;
  Result<BatchStreamPtr> Stream() const;
  // Runs it for its effect, such as the metrics of rows scored, and keeps nothing; gives the number
  // of rows.
  Result<int64_t> Run() const;
  Result<int64_t> Count() const;
  Writer Write() const;

 private:
  Session* session_;
  Plan plan_;
};

struct Sides {
  DataFrame train;
  DataFrame test;
};

// Writes a frame as one file, whole or not at all; relative paths lie in the run folder. Inputs are
// never written to, and a file of others only by a session that is forced to.
class Writer {
 public:
  explicit Writer(DataFrame frame) : frame_(std::move(frame)) {}
  Status Parquet(const std::string& path) const;
  Status Csv(const std::string& path) const;

 private:
  Status File(Format format, const std::string& path) const;
  DataFrame frame_;
};

}  // namespace protium
