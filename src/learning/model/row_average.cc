// SPDX-License-Identifier: Apache-2.0
#include "model/row_average.h"

#include <arrow/record_batch.h>

#include <utility>

#include "model/average_file.h"
#include "model/average_options.h"
#include "model/forest_config.h"
#include "model/row_forest.h"
#include "model/row_net.h"

namespace protium {
namespace {

using Members = std::vector<std::shared_ptr<const RowPredictor>>;

class RowAverage : public RowPredictor {
 public:
  RowAverage(Members members, std::vector<double> weights)
      : members_(std::move(members)), weights_(std::move(weights)) {}

  Result<std::vector<float>> Outputs(const arrow::RecordBatch& rows) const override {
    std::vector<std::vector<float>> outputs;
    for (const auto& member : members_) {
      PT_LET(outputs.emplace_back(), member->Outputs(rows));
    }
    return Blended(outputs, weights_);
  }

  // Shapley values of a sum are the sums of Shapley values.
  Result<RowExplanations> Explain(const arrow::RecordBatch& rows, std::span<const int32_t> outputs,
                                  const ExplainBy& by) const override {
    RowExplanations sum;
    for (size_t m = 0; m < members_.size(); ++m) {
      PT_LET(const RowExplanations own, members_[m]->Explain(rows, outputs, by));
      AddTimes(weights_[m], own.mean, sum.mean);
      AddTimes(weights_[m], own.by_feature, sum.by_feature);
    }
    return sum;
  }

 private:
  static void AddTimes(double weight, const std::vector<double>& own, std::vector<double>& sum) {
    sum.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) sum[i] += weight * own[i];
  }

  Members members_;
  std::vector<double> weights_;
};

Result<Members> MakeMembers(const NetConfig& config, std::vector<Safetensors> files,
                            const std::string& where) {
  Members members;
  for (size_t m = 0; m < files.size(); ++m) {
    const NetConfig own = MemberConfig(config, m);
    PT_LET(members.emplace_back(), own.net.name == kForest ? MakeRowForest(own, files[m], where)
                                                           : MakeRowNet(own, files[m], where));
  }
  return members;
}

}  // namespace

std::vector<float> Blended(std::span<const std::vector<float>> outputs,
                           std::span<const double> weights) {
  std::vector<float> blended(outputs.front().size());
  for (size_t i = 0; i < blended.size(); ++i) {
    double sum = 0;
    for (size_t m = 0; m < weights.size(); ++m) sum += weights[m] * double(outputs[m][i]);
    blended[i] = float(sum);
  }
  return blended;
}

Result<std::shared_ptr<const RowPredictor>> OpenRowAverage(const NetConfig& config,
                                                           const std::filesystem::path& weights) {
  PT_LET(AverageFile file, ReadAverage(weights, CountMembers(config.net)));
  PT_LET(Members members, MakeMembers(config, std::move(file.members), weights.string()));
  return std::make_shared<const RowAverage>(std::move(members), std::move(file.weights));
}

Result<Members> OpenMembers(const NetConfig& config, const std::filesystem::path& weights) {
  PT_LET(AverageFile file, ReadAverage(weights, CountMembers(config.net)));
  return MakeMembers(config, std::move(file.members), weights.string());
}

}  // namespace protium
