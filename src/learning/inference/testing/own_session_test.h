// SPDX-License-Identifier: Apache-2.0
// A test with its own folder and embedded session.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "os/library.h"
#include "protium/session.h"

namespace protium {

class OwnSession : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "inference-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto session = OpenSession({.engine = "local[1]",
                                .folder = folder_ / "run",
                                .base = folder_,
                                .program = OwnLibraryFolder().parent_path() / "bin/protium"});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }
  void TearDown() override {
    session_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path folder_;
  std::unique_ptr<Session> session_;
};

}  // namespace protium
