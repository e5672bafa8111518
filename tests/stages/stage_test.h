// SPDX-License-Identifier: Apache-2.0
// For tests of stages: fits and applies pipelines to a small CSV table, on the embedded engine with
// real worker processes.
#pragma once

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "base/fault.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "os/file.h"
#include "protium/pipeline.h"

namespace protium {

class StageTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "stage-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Open("local[2]");
  }
  void TearDown() override {
    session_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Open(const std::string& engine, std::shared_ptr<const Catalogue> own = nullptr) {
    session_.reset();
    auto session = OpenSession({.engine = engine,
                                .folder = folder_ / "run",
                                .base = folder_,
                                .force = true,
                                .catalogue = std::move(own)});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }

  // The table of these lines of CSV, in which "-" stands for NULL.
  DataFrame Table(const std::string& csv) {
    std::ofstream(folder_ / "t.csv") << csv;
    session_->Table("t", session_->Read().Csv("t.csv", {.null = "-"}));
    return session_->Sql("SELECT * FROM t");
  }

  Fault FaultOfFitting(std::vector<StageOptions> stages, const std::string& csv) {
    return FaultOf(Pipeline(std::move(stages)).Fit(Table(csv)).status());
  }

  static PipelineModel Fitted(std::vector<StageOptions> stages, const DataFrame& table) {
    auto model = Pipeline(std::move(stages)).Fit(table);
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }

  // The result of stages that learned from one table on another, after saving and loading.
  std::string SavedAndLoaded(std::vector<StageOptions> stages, const std::string& csv,
                             const std::string& others) {
    const PipelineModel model = Fitted(std::move(stages), Table(csv));
    EXPECT_TRUE(model.Save("model").ok());
    const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
    if (!loaded.ok()) return Render(FaultOf(loaded.status()));
    const DataFrame rows = Table(others);
    EXPECT_EQ(Text(model.Transform(rows)), Text(loaded->Transform(rows)));
    return Text(loaded->Transform(rows));
  }

  // The message of resuming a run whose first stage is said to have learned this.
  std::string FaultOfDamage(const std::string& learned, std::vector<StageOptions> stages,
                            const std::string& csv) {
    Open("local[2]");
    Fitted(stages, Table(csv));
    const auto file = folder_ / "run" / "stages.json";
    Json json = *ParseJson(*ReadFile(file));
    json["stages"][0]["learned"] = *ParseJson(learned);
    EXPECT_TRUE(WriteFile(file, Dump(json)).ok());
    session_.reset();
    session_ = *OpenSession({.folder = folder_ / "run", .base = folder_, .resume = true});
    return FaultOf(Pipeline(std::move(stages)).Fit(Table(csv)).status()).what;
  }

  // "name: v v v" for each column except `but`, in row order; or the error.
  static std::string Text(const DataFrame& frame, const std::vector<std::string>& but = {}) {
    auto stream = frame.Stream();
    if (!stream.ok()) return Render(FaultOf(stream.status()));
    std::vector<std::string> lines;
    for (const auto& field : (*stream)->schema()->fields()) lines.push_back(field->name() + ":");
    while (true) {
      const auto batch = (*stream)->Next();
      if (!batch.ok()) return Render(FaultOf(batch.status()));
      if (!*batch) break;
      for (int i = 0; i < (*batch)->num_columns(); ++i) {
        for (int64_t row = 0; row < (*batch)->num_rows(); ++row) {
          lines[i] += " " + (*(*batch)->column(i)->GetScalar(row))->ToString();
        }
      }
    }
    std::string text;
    for (const std::string& line : lines) {
      const std::string name = line.substr(0, line.find(':'));
      if (std::find(but.begin(), but.end(), name) != but.end()) continue;
      text += (text.empty() ? "" : "; ") + line;
    }
    return text;
  }

  // Lists are shown with their type in front.
  static std::string WithoutTypes(const std::string& text) {
    return std::regex_replace(text, std::regex("list<[^>]*>"), "");
  }

  std::filesystem::path folder_;
  std::unique_ptr<Session> session_;
};

}  // namespace protium
