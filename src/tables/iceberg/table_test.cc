// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

Json Metadata() {
  return {{"format-version", 2},
          {"table-uuid", "u"},
          {"location", "file:///w/sales/scores/"},
          {"last-sequence-number", 7},
          {"current-schema-id", 1},
          {"schemas",
           {{{"schema-id", 0}, {"fields", Json::array()}},
            {{"schema-id", 1}, {"fields", {{{"id", 1}}}}}}},
          {"partition-specs", {{{"spec-id", 0}, {"fields", Json::array()}}}},
          {"refs", {{"main", {{"snapshot-id", 3}, {"type", "branch"}}}}},
          {"snapshots",
           {{{"snapshot-id", 1}, {"summary", {{"note", "a"}}}},
            {{"snapshot-id", 2}, {"summary", {{"note", "b"}}}},
            {{"snapshot-id", 3}, {"parent-snapshot-id", 1}, {"summary", {{"note", "c"}}}}}}};
}

IcebergTable Read(const Json& metadata) { return *ReadIcebergTable(metadata, "place"); }

std::string Refusal(const Json& metadata) {
  return FaultOf(CheckWritable(Read(metadata), "place")).what;
}

TEST(IcebergTable, IsWhatItsNewestSnapshotAndSchemaSay) {
  const IcebergTable table = Read(Metadata());
  EXPECT_EQ(table.newest(), 3);
  EXPECT_EQ(table.sequence, 7);
  EXPECT_EQ(WholeAt(table.schema["fields"][0], "id"), 1);
  EXPECT_EQ(DataFolder(table), "file:///w/sales/scores/data");
  EXPECT_EQ(PlaceOfLocation(MetadataFolder(table)), "/w/sales/scores/metadata");
  EXPECT_EQ(PlaceOfLocation("s3a://lake/t"), "s3://lake/t");
  EXPECT_TRUE(CheckWritable(table, "place").ok());
  EXPECT_FALSE(ReadIcebergTable(Json::object(), "place").ok());
}

// Snapshots that were rolled back are none that the newest follows.
TEST(IcebergTable, KnowsWhoseCommitsItHas) {
  const IcebergTable table = Read(Metadata());
  EXPECT_TRUE(HasSnapshotWith(table, "note", "a"));
  EXPECT_TRUE(HasSnapshotWith(table, "note", "c"));
  EXPECT_FALSE(HasSnapshotWith(table, "note", "b"));
  EXPECT_TRUE(HasSnapshot(table, 2));
  EXPECT_FALSE(HasSnapshot(table, 4));
  Json circle = Metadata();
  circle["snapshots"][0]["parent-snapshot-id"] = 3;
  EXPECT_FALSE(HasSnapshotWith(Read(circle), "note", "d"));
}

TEST(IcebergTable, ThatAsksForMoreIsRefused) {
  Json metadata = Metadata();
  metadata["format-version"] = 3;
  EXPECT_NE(Refusal(metadata).find("format version 3"), std::string::npos);
  metadata = Metadata();
  metadata["default-spec-id"] = 1;
  EXPECT_NE(Refusal(metadata).find("no partition spec 1"), std::string::npos);
  metadata = Metadata();
  metadata["properties"] = {{"encryption.key-id", "k"}};
  EXPECT_NE(Refusal(metadata).find("encrypted"), std::string::npos);
  metadata["properties"] = {{"write.data.path", "s3://other/d/"}};
  EXPECT_EQ(DataFolder(Read(metadata)), "s3://other/d");
}

}  // namespace
}  // namespace protium
