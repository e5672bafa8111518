// SPDX-License-Identifier: Apache-2.0
#include "frame/table_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "table-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Write("t/y=2013/m=1/a.csv", "id\n1\n2\n");
    Write("t/y=2013/m=10/a.csv", "id\n");
    Write("t/y=2014/m=__HIVE_DEFAULT_PARTITION__/a.csv", "id\n3\n");
    Write("t/y=2014/m=2/note.txt", "");
    Write("t/_temporary/m=2/a.csv", "");
    Write("t/y=2014/m=2/.a.csv.crc", "");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const char* text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::vector<std::string> Paths(const std::string& path, const Columns& partitions) {
    const auto files = FindFiles(folder_ / path, Format::kCsv, partitions);
    if (!files.ok()) return {FaultOf(files.status()).what};
    std::vector<std::string> paths;
    for (const std::string& each : files->paths) {
      paths.push_back(fs::path(each).lexically_relative(files->root).string());
    }
    return paths;
  }
  std::unique_ptr<Session> Open() {
    return *OpenSession({.folder = folder_ / "run", .base = folder_});
  }

  fs::path folder_;
};

TEST_F(Files, PassOverLinksThatLeadNowhereAndSaySo) {
  Write("flat/a.csv", "id\n1\n");
  fs::create_symlink("b.csv", folder_ / "flat/b.csv");
  const auto flat = FindFiles(folder_ / "flat", Format::kCsv, {});
  EXPECT_THAT(flat->paths, ElementsAre((folder_ / "flat/a.csv").string()));
  EXPECT_THAT(flat->passed_over, ElementsAre(HasSubstr("flat/b.csv: Too many levels")));
  EXPECT_EQ(FindFiles(folder_ / "flat/*.csv", Format::kCsv, {})->passed_over, flat->passed_over);
  EXPECT_TRUE(FindForm(folder_ / "flat").ok());
}

TEST_F(Files, ThatALinkDoesNotLeadToAreNotSuggested) {
  Write("flat/a.csv", "id\n1\n");
  fs::create_symlink("gone.csv", folder_ / "flat/b.csv");
  const auto flat = FindFiles(folder_ / "flat", Format::kCsv, {});
  EXPECT_THAT(flat->paths, ElementsAre((folder_ / "flat/a.csv").string()));
  EXPECT_THAT(flat->passed_over, ElementsAre(HasSubstr("flat/b.csv: No such file")));
  const Fault fault = FaultOf(FindFiles(folder_ / "flat/b.csv", Format::kCsv, {}).status());
  EXPECT_THAT(fault.what, HasSubstr("flat/b.csv leads to no file"));
  EXPECT_EQ(fault.why, "it points to gone.csv");
  EXPECT_EQ(fault.fix, "point it to a file, or remove it");
}

// If followed, two such links would give 2^40 paths.
TEST_F(Files, AreNotSoughtInAFolderBelowItself) {
  Write("deep/y=2013/a.csv", "id\n1\n");
  for (const char* link : {"deep/y=1", "deep/y=2", "deep/y=2013/y=3"}) {
    fs::create_directory_symlink(folder_ / "deep", folder_ / link);
  }
  const auto files = FindFiles(folder_ / "deep", Format::kCsv, {"y"});
  EXPECT_THAT(files->paths, ElementsAre((folder_ / "deep/y=2013/a.csv").string()));
  EXPECT_EQ(files->passed_over.size(), 3u);
  EXPECT_THAT(files->passed_over, testing::Each(HasSubstr("a folder that it lies in")));
}

TEST_F(Files, OfPartitionsLieInAllFoldersBelow) {
  const auto all = ElementsAre("y=2013/m=1/a.csv", "y=2013/m=10/a.csv",
                               "y=2014/m=__HIVE_DEFAULT_PARTITION__/a.csv");
  EXPECT_THAT(Paths("t", {"y", "m"}), all);
  EXPECT_THAT(Paths("t/*/*/a.csv", {"y", "m"}), all);
  EXPECT_THAT(Paths("t/y=*/m=1*/*.csv", {"y", "m"}),
              ElementsAre("y=2013/m=1/a.csv", "y=2013/m=10/a.csv"));
  EXPECT_THAT(Paths("t/y=2013", {"y", "m"}), ElementsAre("y=2013/m=1/a.csv", "y=2013/m=10/a.csv"));
  EXPECT_THAT(Paths("t/y=2013", {"m"}), ElementsAre("m=1/a.csv", "m=10/a.csv"));
  EXPECT_THAT(Paths("t/y=2013/m=1/a.csv", {"y", "m"}), ElementsAre("y=2013/m=1/a.csv"));
  EXPECT_THAT(Paths("t", {}), ElementsAre(HasSubstr("holds no file matching *.csv")));
  EXPECT_THAT(Paths("t/*/x.csv", {"y"}), ElementsAre(HasSubstr("holds no file matching */x.csv")));
  EXPECT_THAT(Paths("nowhere/*/x.csv", {"y"}), ElementsAre(HasSubstr("there is no file")));
}

TEST_F(Files, BecomeRowsWithTheColumnsOfTheirFolders) {
  const auto session = Open();
  session->Table("t", session->Read().Partitions({"m", "y"}).Csv("t"));
  const DataFrame sums =
      session->Sql("SELECT y, m, sum(id) AS ids, count(*) AS n FROM t GROUP BY y, m ORDER BY y");
  ASSERT_TRUE(sums.Write().Csv("sums.csv").ok());
  std::ifstream in(StateOf(*session).folder() / "sums.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
            "\"y\",\"m\",\"ids\",\"n\"\n2013,1,3,2\n2014,,3,1\n");
}

TEST_F(Files, ThatWouldBelongToTheTableAreNotWritten) {
  const auto session = Open();
  const DataFrame table = session->Read().Partitions({"y", "m"}).Csv("t");
  const std::string inside = (folder_ / "t/y=2014/m=2/new.csv").string();
  EXPECT_THAT(FaultOf(table.Write().Csv(inside)).why, HasSubstr("all files matching *.csv below"));
}

TEST_F(Files, WithAColumnOfTheirFolderAreRefused) {
  Write("u/id=7/a.csv", "id\n1\n");
  const auto session = Open();
  const Fault fault = FaultOf(session->Read().Partitions({"id"}).Csv("u").Schema().status());
  EXPECT_THAT(fault.what, HasSubstr("\"id\" is in the files and in the names"));
}

// The embedded engine finds the folder of a row by the number of its file, in a column of that
// name.
TEST_F(Files, OfPartitionsHaveNoColumnOfTheEnginesOwn) {
  Write("v/y=7/a.csv", "File_Index\n1\n");
  const auto session = Open();
  EXPECT_TRUE(session->Read().Csv("v/y=7").Schema().ok());
  const Fault fault = FaultOf(session->Read().Partitions({"y"}).Csv("v").Schema().status());
  EXPECT_EQ(fault.what,
            "a table with partitions cannot have the column \"File_Index\" on this engine");
}

}  // namespace
}  // namespace protium
