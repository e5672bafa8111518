// SPDX-License-Identifier: Apache-2.0
#include "delta/commit.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

std::vector<Json> LinesOf(const std::string& text) {
  std::vector<Json> lines;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(*ParseJson(text.substr(at, text.find('\n', at) - at)));
  }
  return lines;
}

TEST(DeltaCommit, OfANewTableBeginsItsLog) {
  const DeltaCommit commit{.mode = StoreMode::kAppend,
                           .created = Json{{"type", "struct"}},
                           .application = "protium r o",
                           .id = "x",
                           .millis = 5,
                           .added = {{.path = "day=a%3Ab/p 1.parquet",
                                      .bytes = 7,
                                      .rows = 2,
                                      .partitions = {{"day", "a:b"}}}}};
  const std::vector<Json> lines = LinesOf(CommitText(commit));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0]["commitInfo"]["isBlindAppend"], true);
  EXPECT_EQ(lines[1]["protocol"]["minWriterVersion"], 2);
  EXPECT_EQ(lines[2]["metaData"]["schemaString"], R"({"type":"struct"})");
  EXPECT_EQ(lines[3]["txn"]["appId"], "protium r o");
  EXPECT_EQ(lines[4]["add"]["path"], "day=a%253Ab/p%201.parquet");
  EXPECT_EQ(lines[4]["add"]["partitionValues"]["day"], "a:b");
  EXPECT_EQ(lines[4]["add"]["stats"], R"({"numRecords":2})");
}

TEST(DeltaCommit, ThatReplacesRemovesFilesAsTheLogNamesThem) {
  const Json file = {{"path", "a%20b"},
                     {"size", 3},
                     {"stats", "{}"},
                     {"deletionVector", {{"storageType", "u"}}},
                     {"partitionValues", nullptr}};
  const std::vector<Json> lines = LinesOf(CommitText({.removed = {file}}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["commitInfo"]["operationParameters"]["mode"], "Overwrite");
  EXPECT_EQ(
      Dump(lines[2]["remove"]),
      R"({"path":"a%20b","deletionTimestamp":0,"dataChange":true,"extendedFileMetadata":true,)"
      R"("size":3,"deletionVector":{"storageType":"u"}})");
}

TEST(DeltaCommit, HasANameOfTwentyDigits) {
  EXPECT_EQ(CommitName(12), "00000000000000000012.json");
}

}  // namespace
}  // namespace protium
