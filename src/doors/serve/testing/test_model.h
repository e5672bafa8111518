// SPDX-License-Identifier: Apache-2.0
// A model to serve in tests.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"
#include "os/library.h"
#include "protium/pipeline.h"
#include "protium/stages.h"
#include "serve/served_model.h"

namespace protium {

// A new folder for models, with the table that they learn from.
inline std::filesystem::path ModelPlace() {
  std::string pattern = testing::TempDir() + "serve-XXXXXX";
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  std::ofstream(std::filesystem::path(pattern) / "t.csv") << "x\n1.5\n2.5\n";
  return pattern;
}

// Saves a model of stages only in a folder: x__fill is x, or `value` if it is missing.
inline void SaveModel(const std::filesystem::path& folder, double value) {
  const auto session = OpenSession({.engine = "local[1]",
                                    .folder = folder / "run",
                                    .base = folder,
                                    .program = OwnLibraryFolder().parent_path() / "bin/protium"});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto model =
      Pipeline({{"imputer",
                 {{"id", "fill"}, {"inputs", {"x"}}, {"with", "constant"}, {"value", value}}}})
          .Fit((*session)->Read().Csv("t.csv"));
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  ASSERT_TRUE(model->Save(folder / "model").ok());
}

// A fixture with such a model, loaded.
class WithServedModel : public testing::Test {
 protected:
  void SetUp() override {
    SaveModel(folder_, 7);
    ASSERT_TRUE(model_.Reload().ok()) << Render(FaultOf(model_.last()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ = ModelPlace();
  ServedModel model_{folder_ / "model", [](const auto& place) { return LoadServed(place); }};
};

}  // namespace protium
