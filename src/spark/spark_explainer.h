// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/engine.h"
#include "engine/spark_settings.h"
#include "spark/connect/session.h"
#include "spark/lowering.h"
#include "spark/slots.h"

namespace protium {

// Says what a plan will be on Spark. Makes views of the session, which move no data.
class SparkExplainer {
 public:
  SparkExplainer(SparkSession& session, const SparkSettings& settings, LoweringContext context,
                 const Call& call)
      : session_(session), settings_(settings), context_(std::move(context)), call_(call) {}

  Result<EnginePlan> Explain(const Plan& plan);

 private:
  Status Visit(const Plan& plan);
  Status Show(const Plan& plan, const Plan& shown, const std::string& title);
  Status Name(const Plan& plan, const connect::Relation& relation, const std::string& name);
  Status Seat(const MapTask& task);

  SparkSession& session_;
  const SparkSettings& settings_;
  LoweringContext context_;
  const Call call_;
  EnginePlan said_;
  int views_ = 0;
};

}  // namespace protium
