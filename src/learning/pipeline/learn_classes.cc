// SPDX-License-Identifier: Apache-2.0
// Class labels: which classes exist, in which order, and how much each counts.
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/schema.h"
#include "pipeline/learn_label.h"

namespace protium {
namespace {

constexpr size_t kMostClasses = 10'000;  // With more, the label is probably an identifier.
constexpr size_t kMostShown = 10;        // Classes quoted in a message.

std::string Listed(const std::vector<std::string>& classes) {
  std::string text;
  for (size_t i = 0; i < std::min(classes.size(), kMostShown); ++i) {
    text += (i > 0 ? ", \"" : "\"") + classes[i] + "\"";
  }
  return classes.size() > kMostShown ? text + ", ..." : text;
}

Fault LabelFault(const EstimatorOptions& options, const std::string& says) {
  return {.exit = Exit::kInput, .what = "label \"" + ListLabels(options).front() + "\" " + says};
}

// Orders whole numbers in decimal by value (sign, then length, then digits, so that any width
// works), everything else by bytes, which puts "false" before "true".
bool InOrder(const std::string& a, const std::string& b, bool whole) {
  if (!whole) return a < b;
  const bool negative_a = a.starts_with('-'), negative_b = b.starts_with('-');
  if (negative_a != negative_b) return negative_a;
  const bool less = a.size() != b.size() ? a.size() < b.size() : a < b;
  return negative_a ? !less && a != b : less;
}

// Refuses a label whose classes cannot be distinguished, or that the loss cannot learn, with advice
// on what to do.
Status CheckClasses(const EstimatorOptions& options, const LossRow& loss,
                    const std::vector<std::string>& classes) {
  if (classes.size() > kMostClasses) {
    return Fail(LabelFault(options, "has " + std::to_string(classes.size()) +
                                        " different values, but at most " +
                                        std::to_string(kMostClasses) + " classes are supported"));
  }
  if (classes.empty()) return Fail(LabelFault(options, "has no value in the training rows"));
  if (classes.size() == 1) {
    return Fail(LabelFault(
        options, "is " + Listed(classes) + " in all training rows, so there is nothing to learn"));
  }
  if (loss.kind == TargetKind::kClasses || classes.size() == 2) return Status::OK();
  Fault fault =
      LabelFault(options, "has " + std::to_string(classes.size()) + " classes (" + Listed(classes) +
                              "), but " + options.loss.name + " learns two");
  fault.fix = "set loss = \"cross_entropy\", or reduce them to two in the SQL";
  return Fail(std::move(fault));
}

// The net's only output is the logit of the second class.
Status PutPositiveLast(const EstimatorOptions& options, std::vector<std::string>& classes) {
  if (options.positive.empty() || options.positive == classes[1]) return Status::OK();
  if (options.positive == classes[0]) {
    std::swap(classes[0], classes[1]);
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = "label \"" + options.label + "\" has no class \"" + options.positive + "\"",
               .where = "positive",
               .fix = Suggest(options.positive, classes)});
}

// "balanced" is n / (classes * n_of_class), as scikit-learn's class_weight of that name.
Result<std::vector<double>> WeighClasses(const Json& given, const std::vector<std::string>& classes,
                                         const std::vector<double>& shares) {
  std::vector<double> weights;
  if (given == "balanced") {
    for (const double share : shares) weights.push_back(1 / (share * double(classes.size())));
  }
  if (!given.is_object()) return weights;
  weights.assign(classes.size(), 1);
  for (const auto& [name, weight] : given.items()) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "the label has no class \"" + name + "\"",
                   .where = "loss.class_weights",
                   .fix = Suggest(name, classes)});
    }
    weights[size_t(found - classes.begin())] = weight.get<double>();
  }
  return weights;
}

}  // namespace

Result<Learned> LearnClasses(const EstimatorOptions& options, const LossRow& loss,
                             const TextCounts& counts, const arrow::DataType& type) {
  Learned learned;
  Objective& objective = learned.objective;
  objective.kind = loss.kind;
  objective.labels = {{.column = options.label}};
  PT_LET(objective.class_type, TypeName(type));
  objective.classes = counts.ByFrequency();
  std::sort(objective.classes.begin(), objective.classes.end(),
            [whole = arrow::is_integer(type.id())](const std::string& a, const std::string& b) {
              return InOrder(a, b, whole);
            });
  PT_TRY(CheckClasses(options, loss, objective.classes));
  PT_TRY(PutPositiveLast(options, objective.classes));
  int64_t rows = 0;
  for (const std::string& name : objective.classes) rows += counts.FindCount(name);
  learned.baseline.emplace();
  for (const std::string& name : objective.classes) {
    learned.baseline->shares.push_back(double(counts.FindCount(name)) / double(rows));
  }
  const Json weights = options.loss.options.value("class_weights", Json());
  PT_LET(objective.class_weights,
         WeighClasses(weights, objective.classes, learned.baseline->shares));
  return learned;
}

}  // namespace protium
