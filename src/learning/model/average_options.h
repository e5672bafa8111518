// SPDX-License-Identifier: Apache-2.0
// What the estimator "average", its training and its task "outputs" (src/learning/tasks) all know.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"

namespace protium {

inline constexpr const char* kAverageEstimator = "average";
// The name of averages in NetConfig::net, whose option "of" lists what the members predict with.
inline constexpr const char* kAverage = "average";
inline constexpr const char* kOutputsTask = "outputs";

// Several estimators that learn the same from the same columns.
struct AverageOptions {
  EstimatorOptions common;
  std::vector<Choice> of;  // Kinds of estimators, each with the options that are its own.
  template <class Visit>
  void Fields(Visit& visit) {
    common.Fields(visit);
    visit("of", of,
          {.help = "the estimators to blend, at least two: their kinds as names, with the options "
                   "of each that the others do not share"});
  }
};

// One of the estimators, as if it were alone.
struct AverageMember {
  std::string stage;  // Its kind: "tree_estimator".
  std::shared_ptr<const EstimatorKind> kind;
  AnyOptions options;  // Complete, if those of the average are.
};
// Fails with Exit::kUsage, at `at` + "of.N", for a kind that cannot be blended and for an option
// that is the average's to set.
Result<AverageMember> MemberOf(const AverageOptions& average, size_t member, const std::string& at);

// The number of members that such a net has, from its options.
size_t CountMembers(const Choice& average);
// The config of one of them.
NetConfig MemberConfig(const NetConfig& average, size_t member);

// The config of the task "outputs", which emits for each row its labels (as metrics compare them),
// its weight, and the outputs of all members, one member after the other.
struct OutputsConfig {
  NetConfig net;
  std::string weights;  // Path of the members' weights (average_file.h).
  std::string weight;   // The column of row weights; empty: 1.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("weights", weights);
    visit("weight", weight);
  }
};

}  // namespace protium
