// SPDX-License-Identifier: Apache-2.0
#include "frame/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

class Inputs : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "inputs-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Write("a.csv", "x\n1\n");
    Write("b.csv", "");
    auto record = *InputRecord::Open(folder_ / "inputs.json", false);
    ASSERT_TRUE(record.Add(folder_ / "a.csv").ok());
    ASSERT_TRUE(record.Add(folder_ / "b.csv").ok());
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const char* name, const char* text) { std::ofstream(folder_ / name) << text; }
  Status Resume() { return InputRecord::Open(folder_ / "inputs.json", true).status(); }

  fs::path folder_;
};

TEST_F(Inputs, ThatDidNotChangeAreTakenAgain) {
  EXPECT_TRUE(Resume().ok());
  EXPECT_EQ(InputRecord::Open(folder_ / "inputs.json", true)->files().size(), 2u);
}

TEST_F(Inputs, ThatAreAddedTogetherAreWrittenOnce) {
  const fs::path file = folder_ / "together.json";
  auto record = *InputRecord::Open(file, false);
  const auto add = [&](const char* last) {
    return record.Together([&, last]() -> Status {
      PT_TRY(record.Add(folder_ / "a.csv"));
      EXPECT_FALSE(fs::exists(file));
      return record.Add(folder_ / last);
    });
  };
  EXPECT_TRUE(add("b.csv").ok());
  EXPECT_EQ(InputRecord::Open(file, true)->files().size(), 2u);
  fs::remove(file);
  EXPECT_TRUE(add("b.csv").ok());
  EXPECT_FALSE(fs::exists(file)) << "nothing was added";
  EXPECT_FALSE(add("none.csv").ok());
  Write("c.csv", "");
  ASSERT_TRUE(record.Add(folder_ / "c.csv").ok());
  EXPECT_EQ(InputRecord::Open(file, true)->files().size(), 3u);
}

TEST_F(Inputs, ThatWereOnlyTouchedAreTakenAgain) {
  fs::last_write_time(folder_ / "a.csv", fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_TRUE(Resume().ok()) << Resume();
}

TEST_F(Inputs, ThatChangedAreRefusedByName) {
  Write("a.csv", "x\n2\n");
  fs::last_write_time(folder_ / "a.csv", fs::file_time_type::clock::now() + std::chrono::hours(1));
  const Fault fault = FaultOf(Resume());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, testing::HasSubstr((folder_ / "a.csv").string()));
  EXPECT_THAT(fault.why, testing::HasSubstr("sha256"));
}

TEST_F(Inputs, ThatGrewAreRefusedWithBothSizes) {
  Write("b.csv", "now\n");
  EXPECT_THAT(FaultOf(Resume()).why, testing::HasSubstr("0 bytes, now it has 4"));
}

TEST_F(Inputs, ThatAreGoneAreRefused) {
  fs::remove(folder_ / "b.csv");
  EXPECT_THAT(FaultOf(Resume()).what, testing::HasSubstr("b.csv"));
}

}  // namespace
}  // namespace protium
