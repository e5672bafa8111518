// SPDX-License-Identifier: Apache-2.0
// Describes what running a plan on Spark will do, without running it: for `protium plan`.
#pragma once

#include <string>

#include "connect/session.h"
#include "engine/engine.h"
#include "engine/spark_settings.h"
#include "spark/engine/lowering.h"
#include "spark/engine/stored_parquet.h"
#include "spark/gang/capacity.h"

namespace protium {

// Returns a gang's table of ranks (PlacementOn), or a Fault that names the number that never fits.
Result<Json> PlanRanks(SparkSession& session, const SparkSettings& settings, const GangSpec& gang,
                       const Call& call);

// Walks a plan as the engine would run it and records its SQL, its gangs and what is not exact.
// Kept tables become temporary views of the session, which move no data. Used once.
class SparkExplainer {
 public:
  SparkExplainer(SparkSession& session, const SparkSettings& settings, LoweringContext context,
                 StoredParquet& stored, const Call& call)
      : session_(session),
        settings_(settings),
        context_(std::move(context)),
        stored_(stored),
        call_(call) {}

  Result<EnginePlan> Explain(const Plan& plan);

 private:
  // Visits inputs first. `whole` is the plan that is explained: cuts above a kept table decide
  // which marks it gets.
  Status Visit(const Plan& plan, const Plan& whole);
  // Mirrors the engine's Keep(): shows the table, then the table with the sides of its cuts.
  Status ShowKept(const Plan& plan, const Plan& whole);
  // Lowers `plan` and notes its SQL under `title`.
  Result<SparkTable> Show(const Plan& plan, const std::string& title);
  void Describe(const SparkTable& table, const std::string& title);
  // Makes a view stand for the plan's rows in everything above it.
  Status Name(const Plan& plan, KeptRelation kept, const std::string& name);
  Status Seat(const MapTask& task);

  SparkSession& session_;
  const SparkSettings& settings_;
  LoweringContext context_;
  StoredParquet& stored_;
  const Call call_;
  EnginePlan said_;
  int views_ = 0;
};

}  // namespace protium
