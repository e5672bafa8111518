// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks: forests trained by ranks that are threads of this process.
#pragma once

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collective/testing/thread_ranks.h"
#include "format/safetensors.h"
#include "rows/rows.h"
#include "trees/boost.h"
#include "trees/forest_file.h"
#include "trees/predict.h"

namespace protium {

inline constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// The first output, by both ways to predict, whose bits are the same.
inline float PredictOne(const Forest& forest, std::vector<float> row) {
  std::vector<float> out(forest.base.size()), fast(out.size());
  forest.Predict(row, out);
  BatchForest(forest).Predict(row, 1, fast);
  EXPECT_EQ(out, fast);
  return out[0];
}

// A table of features with a label and a weight; NaN is a missing number, -1 a missing category.
struct TreeTable {
  std::vector<ForestColumn> columns;  // Numbers first.
  std::vector<std::vector<float>> features;
  std::vector<float> labels;
  std::vector<float> weights;
  std::vector<int64_t> groups;  // Empty: rows are not ranked.

  size_t rows() const { return labels.size(); }
  bool has_numbers() const { return !columns.empty() && columns[0].cardinality == 0; }
};

// The layout of its packed rows; a label of classes is an index.
inline RowSchema RowsOf(const TreeTable& table, bool classes) {
  RowColumns columns{.weight = "w", .missing = true};
  for (const ForestColumn& each : table.columns) {
    (each.cardinality == 0 ? columns.numeric : columns.categories).push_back(each.name);
  }
  if (!table.groups.empty()) columns.group = "g";
  if (classes) {
    columns.class_label = "y";
  } else {
    columns.labels = {{"y"}};
  }
  return MakeRowSchema(columns);
}

// The rows at these positions.
inline std::shared_ptr<arrow::RecordBatch> BatchOf(const TreeTable& table,
                                                   std::span<const size_t> rows, bool classes) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  const auto add = [&]<class Builder>(Builder builder, const std::string& name,
                                      const std::vector<float>& values) {
    for (const size_t row : rows) {
      EXPECT_TRUE(builder.Append(typename Builder::value_type(values[row])).ok());
    }
    arrays.push_back(*builder.Finish());
    fields.push_back(arrow::field(name, arrays.back()->type()));
  };
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const ForestColumn& column = table.columns[c];
    if (column.cardinality == 0) {
      add(arrow::FloatBuilder(), column.name, table.features[c]);
    } else {
      add(arrow::Int32Builder(), column.name, table.features[c]);
    }
  }
  if (classes) {
    add(arrow::Int64Builder(), "y", table.labels);
  } else {
    add(arrow::FloatBuilder(), "y", table.labels);
  }
  add(arrow::FloatBuilder(), "w", table.weights);
  if (!table.groups.empty()) {
    arrow::Int64Builder groups;
    for (const size_t row : rows) EXPECT_TRUE(groups.Append(table.groups[row]).ok());
    arrays.push_back(*groups.Finish());
    fields.push_back(arrow::field("g", arrow::int64()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), int64_t(rows.size()), arrays);
}

inline Target TargetFor(const Choice& loss, int64_t classes) {
  Target target;
  if (loss.name == "cross_entropy") {
    target.kind = TargetKind::kClasses;
    target.classes = classes;
  } else if (loss.name == "binary_cross_entropy") {
    target.kind = TargetKind::kTwoClasses;
  } else if (loss.name == "quantile") {
    target.kind = TargetKind::kQuantiles;
    target.levels = loss.options["levels"].get<std::vector<double>>();
    target.labels = {{}};
  } else {
    target.labels = {{}};
    if (loss.name == "lambdarank") target.kind = TargetKind::kRelevance;
    target.logarithmic = loss.name == "poisson" || loss.name == "tweedie";
  }
  return target;
}

// A training, and how it is shared out.
struct ForestWorld {
  BoostSpec spec;
  int32_t world = 1;
  int32_t shards = 8;
  uint32_t order = 0;        // Seed of the order of rows and of who gets them.
  double held_out = 0;       // Every so many rows, by position, are validation rows.
  int64_t memory_bytes = 0;  // For bins, on each rank.
  std::function<void(const Json&)> report = {};
  // Wraps a rank's communicator; may be empty.
  std::function<std::unique_ptr<Communicator>(Communicator&)> wrap = {};
  std::stop_token stop = {};

  struct Trained {
    std::vector<Status> statuses;
    BoostOutcome outcome;  // Rank 0's.
    Forest forest;
    Status status() const {
      const auto bad = std::ranges::find_if(statuses, [](const Status& s) { return !s.ok(); });
      return bad == statuses.end() ? Status::OK() : *bad;
    }
  };

  // Trains in a new folder, unless the spec has one.
  Trained Train(const TreeTable& table) {
    static std::atomic<int> count = 0;
    const bool own = spec.folder.empty();
    if (own) {
      spec.folder = std::filesystem::temp_directory_path() /
                    ("forest-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    }
    spec.columns = table.columns;
    const bool classes = OfClasses(spec.target.kind);
    const auto dealt = Deal(table);
    Trained trained;
    trained.statuses = RunThreadRanks(world, {}, [&](Communicator& ranks) {
      const auto rank = size_t(ranks.rank());
      const RowSchema schema = RowsOf(table, classes);
      const auto pack =
          [&](const RowSchema& of,
              const std::vector<size_t>& some) -> Result<std::unique_ptr<ShardedRows>> {
        const auto batch = BatchOf(table, some, classes);
        PT_LET(auto packer, Packer::Make(of, batch->schema(), {}, Refusal::kWhenSharded));
        PT_TRY(packer->Append(*batch));
        return ShardRows(std::move(packer), ShardOwners(shards, world), ranks);
      };
      PT_LET(const auto train, pack(schema, dealt.first[rank]));
      std::unique_ptr<ShardedRows> validation;
      if (held_out > 0) {
        PT_LET(validation, pack(WithOwnLabels(schema), dealt.second[rank]));
      }
      const auto wrapped = wrap ? wrap(ranks) : nullptr;
      PT_LET(BoostOutcome outcome, Boost(spec, {.rows = *train,
                                                .validation = validation.get(),
                                                .communicator = wrapped ? wrapped.get() : &ranks,
                                                .memory_bytes = memory_bytes,
                                                .scratch = std::filesystem::temp_directory_path(),
                                                .report = report,
                                                .stop = stop}));
      if (rank == 0) trained.outcome = std::move(outcome);
      return Status::OK();
    });
    if (!trained.outcome.weights.empty()) {
      const auto file = Safetensors::Read(trained.outcome.weights);
      EXPECT_TRUE(file.ok()) << file.status();
      if (file.ok()) {
        auto forest = ForestOf(*file, table.columns, trained.outcome.weights);
        EXPECT_TRUE(forest.ok()) << forest.status();
        if (forest.ok()) trained.forest = *std::move(forest);
      }
    }
    if (own) {
      std::error_code ignored;
      std::filesystem::remove_all(spec.folder, ignored);
      spec.folder.clear();
    }
    return trained;
  }

 private:
  // The rows that each rank learns from, and those that it measures on.
  using Dealt = std::vector<std::vector<size_t>>;
  std::pair<Dealt, Dealt> Deal(const TreeTable& table) const {
    std::vector<size_t> rows(table.rows());
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    std::mt19937 random(order);
    std::shuffle(rows.begin(), rows.end(), random);
    Dealt learn(static_cast<size_t>(world)), check(learn);
    for (const size_t row : rows) {
      const size_t rank = order == 0 ? row % size_t(world) : random() % size_t(world);
      // Rows of a group stay together.
      const size_t unit = table.groups.empty() ? row : size_t(table.groups[row]);
      const bool out = held_out > 0 && double(unit % 1000) < held_out * 1000;
      (out ? check : learn)[rank].push_back(row);
    }
    return {learn, check};
  }
};

// What a training of this loss needs besides its options.
inline BoostSpec SpecFor(Choice loss, int64_t classes = 0) {
  BoostSpec spec;
  spec.target = TargetFor(loss, classes);
  spec.loss = std::move(loss);
  spec.train.best = OfClasses(spec.target.kind)                  ? "log_loss"
                    : spec.target.kind == TargetKind::kQuantiles ? "pinball"
                    : spec.target.kind == TargetKind::kRelevance ? "ndcg@10"
                                                                 : "rmse";
  spec.train.metrics = {spec.train.best};
  spec.train.checkpoint.every_seconds = 0;
  spec.train.validation.importance_rows = 0;
  return spec;
}

// Trains the same on other ranks, shards and orders of rows, and expects the same bits.
inline void ExpectOneForestForAnyRanks(const BoostSpec& spec, const TreeTable& table,
                                       double held_out) {
  const auto one = ForestWorld{.spec = spec, .held_out = held_out}.Train(table);
  ASSERT_TRUE(one.status().ok()) << one.status();
  EXPECT_GT(one.forest.trees.size(), 0u);
  for (const auto& [world, shards, order] :
       {std::tuple{2, 8, 1}, {3, 64, 2}, {7, 7, 3}, {2, 2, 0}, {1, 5, 4}}) {
    const auto other = ForestWorld{.spec = spec,
                                   .world = world,
                                   .shards = shards,
                                   .order = uint32_t(order),
                                   .held_out = held_out}
                           .Train(table);
    ASSERT_TRUE(other.status().ok()) << other.status();
    EXPECT_EQ(other.outcome.weights_sha256, one.outcome.weights_sha256) << world;
    EXPECT_EQ(other.outcome.validation, one.outcome.validation) << world;
    EXPECT_EQ(other.forest, one.forest);
  }
}

}  // namespace protium
