// SPDX-License-Identifier: Apache-2.0
#include "app/export/agreement.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "app/torch_library.h"
#include "base/fault.h"
#include "model/background.h"
#include "model/model_folder.h"
#include "model/row_graph.h"
#include "rows/packed.h"

namespace protium {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostCompared = 10'000, kComparedAtOnce = 1'000;
constexpr std::chrono::seconds kLongEnough{4};
constexpr double kMostApart = 1e-5;

// The background rows of a model, then rows whose every value is that of some background row.
// Without a background: numbers between -3 and 3, lists of whole numbers below 256.
class DrawnRows {
 public:
  DrawnRows(const NetConfig& config, std::shared_ptr<const Background> background)
      : config_(config), background_(std::move(background)) {
    if (background_ != nullptr) kept_ = background_->rows().size();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (size_t j = 0; j < config_.numeric.size(); ++j) {
      fields.push_back(arrow::field(config_.numeric[j], arrow::float32()));
      PT_LET(columns.emplace_back(), Numbers(int64_t(j)));
    }
    for (size_t c = 0; c < config_.categorical.size(); ++c) {
      fields.push_back(arrow::field(config_.categorical[c].column, arrow::int64()));
      PT_LET(columns.emplace_back(), Categories(config_.categorical[c].cardinality));
    }
    for (const ListInput& each : config_.lists) {
      fields.push_back(arrow::field(each.column, arrow::list(arrow::float32())));
      PT_LET(columns.emplace_back(), Lists(each));
    }
    begin_ += kComparedAtOnce;
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), kComparedAtOnce,
                                    std::move(columns));
  }

 private:
  int64_t Below(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most - 1)(random_);
  }
  // The background row that row i of the batch, or a value of it, is taken from.
  int64_t RowFor(int64_t i) { return begin_ + i < kept_ ? begin_ + i : Below(kept_); }

  Result<std::shared_ptr<arrow::Array>> Numbers(int64_t at) {
    arrow::FloatBuilder builder;
    std::uniform_real_distribution<float> any(-3, 3);
    for (int64_t i = 0; i < kComparedAtOnce; ++i) {
      PT_TRY(builder.Append(
          kept_ == 0 ? any(random_) : background_->rows().floats(kNumericField).at(RowFor(i))[at]));
    }
    return builder.Finish();
  }

  // All of them, also those that are rare.
  Result<std::shared_ptr<arrow::Array>> Categories(int64_t cardinality) {
    arrow::Int64Builder builder;
    for (int64_t i = 0; i < kComparedAtOnce; ++i) {
      PT_TRY(builder.Append(Below(std::max<int64_t>(1, cardinality))));
    }
    return builder.Finish();
  }

  Result<std::shared_ptr<arrow::Array>> Lists(const ListInput& list) {
    const auto values = std::make_shared<arrow::FloatBuilder>();
    arrow::ListBuilder builder(arrow::default_memory_pool(), values);
    for (int64_t i = 0; i < kComparedAtOnce; ++i) {
      PT_TRY(builder.Append());
      const bool own = begin_ + i < kept_;
      for (int64_t j = 0; j < list.length; ++j) {
        PT_TRY(values->Append(
            kept_ == 0
                ? float(Below(256))
                : background_->rows().floats(list.column).at(own ? begin_ + i : Below(kept_))[j]));
      }
    }
    return builder.Finish();
  }

  const NetConfig& config_;
  const std::shared_ptr<const Background> background_;
  int64_t kept_ = 0;   // Background rows.
  int64_t begin_ = 0;  // Rows of the batches before.
  std::mt19937_64 random_{1};
};

// How far outputs are apart, as a share of the row's largest one if that is beyond 1.
double Apart(const std::vector<float>& ours, const std::vector<float>& torch, size_t width) {
  double most = 0;
  for (size_t row = 0; row < ours.size(); row += width) {
    double largest = 1, apart = 0;
    for (size_t i = row; i < row + width; ++i) {
      largest = std::max(largest, std::abs(double(torch[i])));
      const double own = std::abs(double(ours[i]) - double(torch[i]));
      // A NaN is not equal to anything.
      if (std::isnan(own)) return std::numeric_limits<double>::infinity();
      apart = std::max(apart, own);
    }
    most = std::max(most, apart / largest);
  }
  return most;
}

Result<std::string> Compare(const NetConfig& config, const ModelFiles& files) {
  const auto kept = files.others.find(kBackgroundFile);
  PT_LET(auto background,
         ReadBackground(kept == files.others.end() ? "" : kept->second.string(), config));
  PT_LET(const auto graph, OpenRowGraph(config, files.weights));
  DrawnRows drawn(config, std::move(background));
  const auto begin = Clock::now();
  int64_t rows = 0;
  double most = 0;
  while (rows < kMostCompared && Clock::now() - begin < kLongEnough) {
    PT_LET(const auto batch, drawn.Next());
    PT_LET(const std::vector<float> ours, graph->Outputs(*batch));
    PT_LET(const std::vector<float> torch, NetOutputs({config, files.weights, batch}));
    most = std::max(most, Apart(ours, torch, size_t(config.objective.outputs())));
    rows += batch->num_rows();
    if (most <= kMostApart) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the graph of the net {} is {:.1e} away from what LibTorch "
                                     "computes",
                                     config.net.name, most),
                 .why = fmt::format("no more than {:.0e} is explained by rounding", kMostApart),
                 .kept = "nothing was written"});
  }
  return fmt::format("outputs of the net are within {:.1e} of LibTorch's, on {} rows", most, rows);
}

}  // namespace

Result<std::optional<std::string>> CheckAgreement(const std::filesystem::path& model) {
  PT_LET(const ModelFiles files, ReadModelFolder(model));
  const auto net = files.json.find("net.json");
  if (net == files.json.end() || files.version != kModelVersion) return std::nullopt;
  NetConfig config;
  PT_TRY(FieldsFromJson(net->second, "net.json", config));
  if (!IsRunAsGraph(config.net.name)) return std::nullopt;
  PT_LET(std::string note, Compare(config, files));
  return std::optional(std::move(note));
}

}  // namespace protium
