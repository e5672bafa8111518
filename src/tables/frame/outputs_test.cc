// SPDX-License-Identifier: Apache-2.0
#include "frame/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Outputs : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "outputs-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::create_directory(folder_ / "parts");
    for (const char* name : {"t.csv", "parts/a.csv", "parts/b.csv"}) {
      std::ofstream(folder_ / name) << "x\n1\n2\n";
    }
    Open(false);
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  void Open(bool force) {
    SessionOptions options{.folder = folder_ / "run", .base = folder_};
    options.force = force;
    auto session = OpenSession(std::move(options));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }
  Status Write(const std::string& from, const fs::path& to) {
    return session_->Read().Csv(from).Write().Csv(to.string());
  }
  std::string Text(const fs::path& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  void ExpectInputRefused(const std::string& from, const fs::path& to) {
    const Fault fault = FaultOf(Write(from, to));
    EXPECT_EQ(fault.exit, Exit::kUsage) << to;
    EXPECT_THAT(fault.what, HasSubstr("input")) << to;
    EXPECT_EQ(Text(folder_ / "t.csv"), "x\n1\n2\n");
  }

  fs::path folder_;
  std::unique_ptr<Session> session_;
};

TEST_F(Outputs, AreNeverInputsByAnyName) {
  Open(true);
  fs::create_symlink(folder_ / "t.csv", folder_ / "soft.csv");
  fs::create_hard_link(folder_ / "t.csv", folder_ / "hard.csv");
  fs::create_directory_symlink(folder_, folder_ / "here");
  for (const char* name : {"t.csv", "soft.csv", "hard.csv", "here/t.csv", "./t.csv"}) {
    ExpectInputRefused("t.csv", folder_ / name);
  }
  fs::create_symlink(folder_ / "t.csv", folder_ / "run" / "out.csv");
  ExpectInputRefused("t.csv", "out.csv");
  // Read through the link, written to by the name.
  ExpectInputRefused("soft.csv", folder_ / "t.csv");
}

TEST_F(Outputs, AreNeverPartsOfAnInput) {
  Open(true);
  ExpectInputRefused("parts", folder_ / "parts" / "a.csv");
  ExpectInputRefused("parts", folder_ / "parts" / "c.csv");
  ExpectInputRefused("parts", folder_ / "parts");
  EXPECT_TRUE(Write("parts", folder_ / "parts" / "c.txt").ok());
  Open(true);
  ExpectInputRefused("parts/?.csv", folder_ / "parts" / "c.csv");
  EXPECT_TRUE(Write("parts/?.csv", folder_ / "parts" / "scored.csv").ok());
}

TEST_F(Outputs, TakeNoPlaceOfAFileThatIsNotTheRuns) {
  std::ofstream(folder_ / "mine.csv") << "mine";
  const Fault fault = FaultOf(Write("t.csv", folder_ / "mine.csv"));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.what, HasSubstr("mine.csv already exists"));
  EXPECT_THAT(fault.fix, HasSubstr("--force"));
  EXPECT_EQ(Text(folder_ / "mine.csv"), "mine");
  fs::create_symlink(folder_ / "nowhere", folder_ / "dangling.csv");
  EXPECT_FALSE(Write("t.csv", folder_ / "dangling.csv").ok());
  Open(true);
  EXPECT_TRUE(Write("t.csv", folder_ / "mine.csv").ok());
  EXPECT_NE(Text(folder_ / "mine.csv"), "mine");
}

TEST_F(Outputs, MayBeWrittenAgainByTheRunThatMadeThem) {
  for (const fs::path& place : {fs::path("out.csv"), folder_ / "out.csv"}) {
    EXPECT_TRUE(Write("t.csv", place).ok());
    EXPECT_TRUE(Write("t.csv", place).ok()) << place;
  }
}

TEST_F(Outputs, NeverLeadUpwardsOrOverWhatARunKeeps) {
  for (const char* path : {"../out.csv", "a/../../out.csv", "a/../out.csv"}) {
    EXPECT_THAT(FaultOf(Write("t.csv", path)).what, HasSubstr("\"..\"")) << path;
  }
  for (const char* path : {"job.json", "logs/rank-000.log", "./inputs.json", "model"}) {
    EXPECT_THAT(FaultOf(Write("t.csv", path)).what, HasSubstr("a file of the run itself")) << path;
  }
}

}  // namespace
}  // namespace protium
