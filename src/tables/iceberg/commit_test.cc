// SPDX-License-Identifier: Apache-2.0
#include "iceberg/commit.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

IcebergTable Table() {
  return {.uuid = "u",
          .sequence = 6,
          .schema_id = 2,
          .snapshot = {{"snapshot-id", 5},
                       {"timestamp-ms", 1000},
                       {"summary", {{"total-records", "40"}, {"total-data-files", "x"}}}}};
}

TEST(IcebergCommit, FollowsTheSnapshotThatWasReadAndIsNotOlder) {
  const Json request = CommitRequest(
      {.snapshot = 9, .manifest_list = "l", .millis = 10, .note = "n", .value = "v"}, Table());
  EXPECT_EQ(Dump(request["requirements"][1]),
            R"({"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":5})");
  const Json& snapshot = request["updates"][0]["snapshot"];
  EXPECT_EQ(WholeAt(snapshot, "parent-snapshot-id"), 5);
  EXPECT_EQ(WholeAt(snapshot, "sequence-number"), 7);
  EXPECT_EQ(WholeAt(snapshot, "timestamp-ms"), 1000);
  EXPECT_EQ(TextAt(snapshot["summary"], "n"), "v");
  IcebergTable empty = Table();
  empty.snapshot = Json();
  const Json first = CommitRequest({.snapshot = 9, .millis = 10}, empty);
  EXPECT_TRUE(first["requirements"][1]["snapshot-id"].is_null());
  EXPECT_FALSE(first["updates"][0]["snapshot"].contains("parent-snapshot-id"));
}

TEST(IcebergCommit, SaysTotalsWhereTheyAreKnown) {
  IcebergCommit commit{.snapshot = 9, .added = {{.rows = 2}}};
  const auto summary = [&] {
    return CommitRequest(commit, Table())["updates"][0]["snapshot"]["summary"];
  };
  EXPECT_EQ(TextAt(summary(), "operation"), "append");
  EXPECT_EQ(TextAt(summary(), "total-records"), "42");
  EXPECT_FALSE(summary().contains("total-data-files"));
  commit.removed = {{.rows = 3}};
  EXPECT_EQ(TextAt(summary(), "operation"), "overwrite");
  EXPECT_EQ(TextAt(summary(), "total-records"), "39");
  EXPECT_EQ(TextAt(summary(), "deleted-data-files"), "1");
  commit.replaces = true;
  commit.removed = {{.rows = 40}};
  EXPECT_EQ(TextAt(summary(), "operation"), "overwrite");
  EXPECT_EQ(TextAt(summary(), "total-records"), "2");
  EXPECT_EQ(TextAt(summary(), "total-data-files"), "1");
  EXPECT_EQ(TextAt(summary(), "deleted-records"), "40");
}

}  // namespace
}  // namespace protium
