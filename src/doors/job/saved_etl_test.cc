// SPDX-License-Identifier: Apache-2.0
#include "job/saved_etl.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "job/frames.h"
#include "job/read_job.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kJob = R"([tables]
t = { csv = "t", partitions = ["code"] }
[etl]
sql = "SELECT code, sum(x) AS x FROM t GROUP BY code"
)";

class SavedTables : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-etl-{}", getpid());
  void SetUp() override {
    Write("job.toml", kJob);
    Write("t/code=AB/a.csv", "x\n1\n2\n");
    Write("t/code=01/a.csv", "x\n3\n");
    Write("newer/t/code=07/a.csv", "x\n5\n");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const char* text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  Json Saved() {
    const auto job = ReadJob(folder_ / "job.toml", {});
    if (!job.ok()) return FaultOf(job.status()).what;
    const auto session = *OpenSession({.folder = folder_ / "run"});
    const auto frames = OpenJob(*session, *job);
    if (!frames.ok()) return FaultOf(frames.status()).what;
    return *SavedEtl(*session, *job);
  }
  std::string Newer(const Json& saved) {
    const auto session = *OpenSession({.folder = folder_ / "run"});
    const auto made = TablesFromSavedEtl(*session, saved, {}, {.data = folder_ / "newer"});
    if (!made.ok()) return FaultOf(made.status()).what;
    const Status written = made->etl.Write().Csv("out.csv");
    if (!written.ok()) return FaultOf(written).what;
    std::ifstream in(folder_ / "run" / "out.csv");
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(SavedTables, KeepTheColumnsOfTheirFolders) {
  const Json saved = Saved();
  ASSERT_TRUE(saved.is_object()) << saved;
  EXPECT_EQ(saved["tables"]["t"]["partitions"], Json::array({"code"}));
  // Text, as before, although all values are numbers now.
  EXPECT_EQ(Newer(saved), "\"code\",\"x\"\n\"07\",5\n");
}

TEST_F(SavedTables, TellWhichNewTableLacksTheirFolders) {
  const Json saved = Saved();
  fs::remove_all(folder_ / "newer");
  Write("newer/t/a.csv", "x\n5\n");
  EXPECT_THAT(Newer(saved), HasSubstr("gives the partition column \"code\""));
}

}  // namespace
}  // namespace protium
