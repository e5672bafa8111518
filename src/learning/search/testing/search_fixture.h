// SPDX-License-Identifier: Apache-2.0
// A session with a table of 200 rows, on which the tasks of test_tasks.cc train.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frame/session_state.h"
#include "os/file.h"
#include "protium/search.h"
#include "protium/stage_options.h"

namespace protium {

namespace fs = std::filesystem;

inline constexpr const char* kRate = "train.optimizer.learning_rate";

class SearchTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "search-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream out(folder_ / "t.csv");
    out << "id,plane,x,kind,delay\n";
    for (int i = 0; i < 200; ++i) {
      out << i << ",p" << i % 40 << "," << i % 7 << ".5," << (i % 50 == 0 ? "rare" : "usual") << ","
          << 0.25 * (i % 5) << "\n";
    }
    out.close();
    Open();
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  void Open(bool resume = false, std::map<std::string, Json> settings = {},
            const char* run = "run") {
    session_.reset();
    events_.clear();
    SessionOptions options{.engine = "local[2]",
                           .folder = folder_ / run,
                           .base = folder_,
                           .settings = std::move(settings),
                           .resume = resume};
    options.call.events = [this](const Json& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
    };
    auto session = OpenSession(std::move(options));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }

  DataFrame Table(const char* sql = "SELECT * FROM t") {
    session_->Table("t", session_->Read().Csv("t.csv"));
    return session_->Sql(sql).Materialize("etl");
  }

  static Pipeline Stages(TorchEstimatorOptions estimator = {}) {
    estimator.numeric = OutputsOf("scale");
    if (estimator.label.empty()) estimator.label = "delay";
    estimator.gang.max_restarts = 0;
    return Pipeline({StandardScaler({.id = "scale", .inputs = {"x"}}), TorchEstimator(estimator)});
  }
  static Pipeline Validated() {
    return Stages({.label_scale = Scale::kNone,
                   .train = {.epochs = 5, .validation = {.share = 0.2, .by = {"plane"}}}});
  }
  static SearchOptions Rates(std::vector<Json> rates) {
    return {.method = SearchMethod::kGrid, .space = {OneOf(kRate, std::move(rates))}};
  }

  Json ReadJsonAt(const fs::path& file) const {
    const auto text = ReadFile(folder_ / file);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.ok() ? *ParseJson(*text) : Json();
  }
  // The table without anything that depends on the clock.
  Json ReadTable(const char* run = "run") const {
    Json table = ReadJsonAt(fs::path(run) / "trials.json");
    for (Json& trial : table["trials"]) trial.erase("seconds");
    return table;
  }
  std::vector<Json> EventsNamed(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::vector<Json> found;
    for (const Json& each : events_) {
      if (each.value("event", "") == name) found.push_back(each);
    }
    return found;
  }

  fs::path folder_;
  std::mutex mutex_;
  std::vector<Json> events_;
  std::unique_ptr<Session> session_;
};

}  // namespace protium
