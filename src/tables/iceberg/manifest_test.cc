// SPDX-License-Identifier: Apache-2.0
// What readers make of these files, tests/whole/iceberg_output_test.cc asks of others' programs.
#include "iceberg/manifest.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "iceberg/read_manifest.h"

namespace protium {
namespace {

const IcebergTable kTable = {.spec = 4, .sequence = 6};

ManifestKind Kind() { return {.spec = {.id = 4}}; }

TEST(Manifest, SaysWhatWasAddedOrTakenOut) {
  std::vector<IcebergFile> files = {{.rows = 10}, {.rows = 5}};
  const IcebergManifest added = DescribeManifest(files, Kind(), kTable, 9);
  EXPECT_EQ(added.added_files, 2);
  EXPECT_EQ(added.added_rows, 15);
  EXPECT_EQ(added.deleted_files, 0);
  EXPECT_EQ(added.sequence, 7);
  EXPECT_EQ(added.spec, 4);
  EXPECT_EQ(added.snapshot, 9);
  for (IcebergFile& file : files) file.status = EntryStatus::kDeleted;
  EXPECT_EQ(DescribeManifest(files, Kind(), kTable, 9).deleted_rows, 15);
}

TEST(Manifest, IsAsOldAsTheOldestFileThatItKeeps) {
  const IcebergManifest manifest =
      DescribeManifest({{.status = EntryStatus::kDeleted, .rows = 10, .sequence = 1},
                        {.status = EntryStatus::kKept, .rows = 5, .sequence = 3},
                        {.status = EntryStatus::kKept, .rows = 2, .sequence = 5}},
                       Kind(), kTable, 9);
  EXPECT_EQ(manifest.min_sequence, 3);
  EXPECT_EQ(manifest.sequence, 7);
  EXPECT_EQ(manifest.existing_files, 2);
  EXPECT_EQ(manifest.existing_rows, 7);
  EXPECT_EQ(manifest.deleted_files, 1);
  EXPECT_EQ(manifest.added_files, 0);
}

TEST(Manifest, IsReadUnderTheNamesOfEarlierWritersToo) {
  const auto read = ReadManifest({{"manifest_path", "m"},
                                  {"manifest_length", 12},
                                  {"added_data_files_count", 3},
                                  {"deleted_files_count", 1},
                                  {"content", 1}},
                                 "list");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->added_files, 3);
  EXPECT_EQ(read->deleted_files, 1);
  EXPECT_EQ(read->content, IcebergContent::kDeletes);
  EXPECT_EQ(read->sequence, 0);
  const auto divided =
      ReadManifest({{"manifest_path", "m"},
                    {"partitions", {{{"contains_null", true}, {"lower_bound", "\\x03\\x00a"}}}}},
                   "list");
  ASSERT_TRUE(divided.ok()) << divided.status();
  ASSERT_EQ(divided->partitions.size(), 1);
  EXPECT_TRUE(divided->partitions[0].has_null);
  EXPECT_EQ(divided->partitions[0].least, std::string("\3\0a", 3));
  EXPECT_FALSE(divided->partitions[0].most);
  EXPECT_EQ(
      FaultOf(ReadManifest({{"manifest_path", "m"}, {"key_metadata", "k"}}, "list").status()).what,
      "the Iceberg table is encrypted, which is not kept here");
  EXPECT_FALSE(ReadManifest(Json::object(), "list").ok());
}

TEST(Manifest, HasFilesThatInheritItsNumber) {
  const Json entries = {{{"status", 1}, {"data_file", {{"file_path", "a"}, {"record_count", 3}}}},
                        {{"status", 2}, {"data_file", {{"file_path", "gone"}}}},
                        {{"status", 0},
                         {"sequence_number", 2},
                         {"file_sequence_number", 1},
                         {"snapshot_id", 8},
                         {"data_file",
                          {{"file_path", "b"},
                           {"content", 2},
                           {"equality_ids", {4}},
                           {"value_counts", {{"3", 10}}},
                           {"lower_bounds", {{"3", "\\x01a"}}},
                           {"split_offsets", {4, 90}},
                           {"sort_order_id", 0}}}}};
  const auto files = LiveFiles(entries, {.sequence = 5, .snapshot = 7});
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files[0].location, "a");
  EXPECT_EQ(files[0].rows, 3);
  EXPECT_EQ(files[0].sequence, 5);
  EXPECT_EQ(files[1].sequence, 2);
  EXPECT_EQ(files[1].file_sequence, 1);
  EXPECT_EQ(files[1].equality_ids, std::vector<int64_t>({4}));
  EXPECT_EQ(files[0].snapshot, 7);
  EXPECT_EQ(files[1].snapshot, 8);
  EXPECT_EQ(files[1].values.at(3), 10);
  EXPECT_EQ(files[1].smallest.at(3),
            "\x01"
            "a");
  EXPECT_EQ(files[1].splits, std::vector<int64_t>({4, 90}));
  EXPECT_EQ(files[1].order, 0);
}

}  // namespace
}  // namespace protium
