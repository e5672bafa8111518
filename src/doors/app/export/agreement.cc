// SPDX-License-Identifier: Apache-2.0
#include "app/export/agreement.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "app/torch_library.h"
#include "base/fault.h"
#include "model/background.h"
#include "model/model_folder.h"
#include "model/rounded.h"
#include "model/row_graph.h"
#include "model/row_net.h"
#include "os/file.h"
#include "rows/packed.h"

namespace protium {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostCompared = 10'000, kComparedAtOnce = 1'000;
constexpr std::chrono::seconds kLongEnough{4};
constexpr double kMostApart = 1e-5;
// In int8: of a row in which a value went to another level, and the share of such rows.
constexpr double kMostLevelApart = 0.05, kMostOnOtherLevels = 0.05;
constexpr double kEndless = std::numeric_limits<double>::infinity();

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

// How far outputs were apart, each as a share of its row's largest one if that is beyond 1.
struct Apart {
  int64_t rows = 0;
  int64_t beyond = 0;   // Rows further apart than rounding explains.
  double most = 0;      // Of all rows.
  double rounding = 0;  // Of the others.

  void Add(const float* graph, const float* net, size_t width) {
    double largest = 1, apart = 0;
    for (size_t i = 0; i < width; ++i) {
      largest = std::max(largest, std::abs(double(net[i])));
      // A NaN is not equal to anything.
      const double own = std::abs(double(graph[i]) - double(net[i]));
      apart = std::isnan(own) ? kEndless : std::max(apart, own);
    }
    const double share = std::isinf(apart) ? apart : apart / largest;
    ++rows;
    most = std::max(most, share);
    if (share > kMostApart) ++beyond;
    if (share <= kMostApart) rounding = std::max(rounding, share);
  }
};

// What a net makes of rows.
using Outputs =
    std::function<Result<std::vector<float>>(const std::shared_ptr<arrow::RecordBatch>&)>;

struct Sides {
  Outputs graph;
  Outputs net;
};

// Compares both until `enough` says so or time is up.
Result<Apart> Compare(const NetConfig& config, const ModelFiles& files, const Sides& sides,
                      bool (*enough)(const Apart&)) {
  const auto kept = files.others.find(kBackgroundFile);
  PT_LET(auto background,
         ReadBackground(kept == files.others.end() ? "" : kept->second.string(), config));
  DrawnRows drawn(config, std::move(background));
  const auto begin = Clock::now();
  const auto width = size_t(config.objective.outputs());
  Apart apart;
  while (apart.rows < kMostCompared && Clock::now() - begin < kLongEnough && !enough(apart)) {
    PT_LET(const auto batch, drawn.Next());
    PT_LET(const std::vector<float> graph, sides.graph(batch));
    PT_LET(const std::vector<float> net, sides.net(batch));
    for (size_t at = 0; at + width <= net.size(); at += width) {
      apart.Add(graph.data() + at, net.data() + at, width);
    }
  }
  return apart;
}

Outputs OutputsOf(const std::shared_ptr<const RowPredictor>& net) {
  return [net](const std::shared_ptr<arrow::RecordBatch>& batch) { return net->Outputs(*batch); };
}

// What computes a net with these weights as they are, and what it is called.
struct ExactNet {
  Outputs outputs;
  const char* name = "";
};

Result<ExactNet> OpenExact(const NetConfig& config, const std::filesystem::path& weights) {
  if (IsRunAsGraph(config.net.name)) {
    const auto torch = [&config, weights](const std::shared_ptr<arrow::RecordBatch>& batch) {
      return NetOutputs({config, weights, batch});
    };
    return ExactNet{torch, "LibTorch"};
  }
  PT_LET(const auto net, OpenRowNet(config, weights));
  return ExactNet{OutputsOf(net), "protium predict"};
}

// A graph in `precision`, which nothing but the order of its sums keeps apart from `exact`.
Result<std::string> CompareExactly(const NetConfig& config, const ModelFiles& files,
                                   WeightPrecision precision, const ExactNet& exact) {
  PT_LET(const auto graph, OpenRowGraph(config, files.weights, {}, precision));
  PT_LET(const Apart apart, Compare(config, files, {OutputsOf(graph), exact.outputs},
                                    [](const Apart& sofar) { return sofar.beyond > 0; }));
  const bool rounded = precision != WeightPrecision::kFloat32;
  const std::string with = rounded ? " with the same weights" : "";
  if (apart.beyond == 0) {
    return fmt::format("outputs of the net are within {:.1e} of {}'s{}, on {} rows", apart.most,
                       exact.name, with, apart.rows);
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the graph of the net {} is {:.1e} away from what {} "
                                   "computes{}",
                                   config.net.name, apart.most, exact.name, with),
               .why = fmt::format("no more than {:.0e} is explained by rounding", kMostApart),
               .kept = "nothing was written"});
}

// What rounding the weights alone leaves.
Result<std::string> CompareRounded(const NetConfig& config, const ModelFiles& files,
                                   WeightPrecision precision) {
  PT_LET(const TemporaryFolder scratch, TemporaryFolder::Make());
  const std::filesystem::path rounded = scratch.path() / "weights.safetensors";
  PT_TRY(WriteRounded(files.weights, precision, rounded));
  PT_LET(const ExactNet exact, OpenExact(config, rounded));
  return CompareExactly(config, files, precision, exact);
}

Result<std::string> CompareInInt8(const NetConfig& config, const ModelFiles& files) {
  PT_LET(const auto graph, OpenRowGraph(config, files.weights, {}, WeightPrecision::kInt8));
  PT_LET(const auto net, OpenRowNet(config, files.weights, true));
  PT_LET(const Apart apart,
         Compare(config, files, {OutputsOf(graph), OutputsOf(net)},
                 [](const Apart& sofar) { return sofar.most > kMostLevelApart; }));
  const bool too_many = double(apart.beyond) > kMostOnOtherLevels * double(apart.rows);
  if (too_many || apart.most > kMostLevelApart) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("the graph of the net {} in int8 is up to {:.1e} away from what "
                             "protium predict computes, in {} of {} rows by more than {:.0e}",
                             config.net.name, apart.most, apart.beyond, apart.rows, kMostApart),
         .why = fmt::format("no more than {:.2g} in {:.2g}% of the rows is explained by "
                            "rounding",
                            kMostLevelApart, kMostOnOtherLevels * 100),
         .fix = "leave --precision out: the graph is then in float32",
         .kept = "nothing was written"});
  }
  std::string note = fmt::format(
      "outputs of the net are within {:.1e} of those of protium predict "
      "--precision int8, on {} rows",
      apart.rounding, apart.rows - apart.beyond);
  if (apart.beyond == 0) return note;
  return note + fmt::format("; on {} more within {:.1e}, where a value lies between two levels",
                            apart.beyond, apart.most);
}

Result<NetConfig> NetConfigOf(const ModelFiles& files) {
  NetConfig config;
  PT_TRY(FieldsFromJson(files.json.at("net.json"), "net.json", config));
  return config;
}

}  // namespace

Result<std::optional<std::string>> CheckAgreement(const std::filesystem::path& model) {
  PT_LET(const ModelFiles files, ReadModelFolder(model));
  if (!files.json.contains("net.json") || files.version != kModelVersion) return std::nullopt;
  PT_LET(const NetConfig config, NetConfigOf(files));
  if (!IsRunAsGraph(config.net.name)) return std::nullopt;
  PT_LET(const ExactNet exact, OpenExact(config, files.weights));
  PT_LET(std::string note, CompareExactly(config, files, WeightPrecision::kFloat32, exact));
  return std::optional(std::move(note));
}

Result<std::string> CheckRoundedAgreement(const std::filesystem::path& model,
                                          WeightPrecision precision) {
  PT_LET(const ModelFiles files, ReadModelFolder(model));
  PT_LET(const NetConfig config, NetConfigOf(files));
  const bool int8 = precision == WeightPrecision::kInt8 && !IsRunAsGraph(config.net.name);
  if (!CanRunGraphs() && !IsRunAsGraph(config.net.name)) {
    return fmt::format(
        "not compared with protium predict{}: ONNX Runtime is not here, which ./dev setup --onnx "
        "brings",
        int8 ? " --precision int8" : "");
  }
  return int8 ? CompareInInt8(config, files) : CompareRounded(config, files, precision);
}

}  // namespace protium
