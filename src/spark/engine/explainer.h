// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/engine.h"
#include "engine/spark_settings.h"
#include "spark/connect/session.h"
#include "spark/engine/lowering.h"
#include "spark/gang/capacity.h"

namespace protium {

// The table of ranks of a gang, or a fault that says which number can never fit.
Result<Json> RanksOf(SparkSession& session, const SparkSettings& settings, const GangSpec& gang,
                     const Call& call);

// Says what a plan will be on Spark. Makes views of the session, which move no data.
class SparkExplainer {
 public:
  SparkExplainer(SparkSession& session, const SparkSettings& settings, LoweringContext context,
                 const Call& call)
      : session_(session), settings_(settings), context_(std::move(context)), call_(call) {}

  Result<EnginePlan> Explain(const Plan& plan);

 private:
  // `whole` is the plan that is explained.
  Status Visit(const Plan& plan, const Plan& whole);
  Status ShowKept(const Plan& plan, const Plan& whole);
  Result<SparkTable> Show(const Plan& plan, const std::string& title);
  void Tell(const SparkTable& table, const std::string& title);
  // Lets a view stand for the plan's rows.
  Status Name(const Plan& plan, KeptRelation kept, const std::string& name);
  Status Seat(const MapTask& task);

  SparkSession& session_;
  const SparkSettings& settings_;
  LoweringContext context_;
  const Call call_;
  EnginePlan said_;
  int views_ = 0;
};

}  // namespace protium
