// SPDX-License-Identifier: Apache-2.0
// For tests: models of a small table, and what they say about their predictions.
#pragma once

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/fault.h"
#include "frame/session_state.h"
#include "pipeline/batch_run.h"
#include "protium/pipeline.h"
#include "protium/scorer.h"
#include "protium/stages.h"
#include "tasks/net_scorer.h"

namespace protium {

namespace fs = std::filesystem;

class ExplainedModels : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "explained-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    WriteTable();
    Open();
  }
  void TearDown() override {
    sessions_.clear();
    fs::remove_all(folder_);
  }

  // y follows x most, then shop; z says nothing.
  void WriteTable() {
    std::ofstream out(folder_ / "t.csv");
    out << "x,z,shop,y,kind\n";
    for (int i = 0; i < 400; ++i) {
      const int x = i * 37 % 101, z = i * 53 % 17, shop = i % 3;
      out << x << "," << z << ","
          << "abc"[shop] << "," << 1000 + 10 * x + 100 * shop << ","
          << (x < 30   ? "low"
              : x < 60 ? "mid"
                       : "top")
          << "\n";
    }
  }
  // A session trains once.
  void Open() {
    const fs::path run = folder_ / ("run-" + std::to_string(sessions_.size()));
    auto session = OpenSession({.engine = "local[2]", .folder = run, .base = folder_});
    ASSERT_TRUE(session.ok()) << session.status();
    sessions_.push_back(std::move(*session));
    Now().Table("t", Now().Read().Csv("t.csv"));
  }
  Session& Now() { return *sessions_.back(); }
  DataFrame Table() { return Now().Sql("SELECT * FROM t"); }

  // In a session of its own, which Table() then reads in.
  PipelineModel Fit(const std::vector<StageOptions>& stages, const std::string& rows) {
    Open();
    auto model = Pipeline(stages).Fit(Now().Sql(rows));
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }

  static PipelineModel Explaining(const PipelineModel& model, int32_t columns,
                                  int32_t samples = kUsualSamples) {
    auto explaining = model.Explaining(columns, samples);
    EXPECT_TRUE(explaining.ok()) << Render(FaultOf(explaining.status()));
    return *explaining;
  }

  static std::shared_ptr<arrow::RecordBatch> Rows(const DataFrame& frame) {
    auto stream = frame.Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    arrow::RecordBatchVector batches;
    while (stream.ok()) {
      const auto batch = (*stream)->Next();
      EXPECT_TRUE(batch.ok()) << Render(FaultOf(batch.status()));
      if (!batch.ok() || !*batch) break;
      batches.push_back(*batch);
    }
    return *arrow::ConcatenateRecordBatches(batches);
  }

  // Expects the numbers that begin with because_ to add up to a row's `wanted`.
  static void ExpectSums(const arrow::RecordBatch& rows, const std::vector<double>& wanted) {
    std::vector<double> sums(wanted.size());
    for (const auto& field : rows.schema()->fields()) {
      const bool number = field->type()->id() == arrow::Type::DOUBLE;
      if (!number || !field->name().starts_with("because_")) continue;
      const auto values = *Doubles(rows, field->name());
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(sums[i], wanted[i], 1e-5 * std::max(1.0, std::abs(wanted[i]))) << i;
    }
  }

  fs::path folder_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace protium
