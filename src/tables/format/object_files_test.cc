// SPDX-License-Identifier: Apache-2.0
#include "format/object_files.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

Source At(const std::string& place, SourceKind kind = SourceKind::kCsv) {
  return {.kind = kind, .file = place};
}

TEST(ObjectFiles, OfAFolderAreAllInItAndWithPartitionsAllBelow) {
  Source folder = At("s3://lake/trips");
  EXPECT_TRUE(IsObjectFolder(folder));
  EXPECT_EQ(ObjectPattern(folder), "s3://lake/trips/*");
  EXPECT_EQ(ObjectRoot(folder), "s3://lake/trips");
  folder.partitions = {"day"};
  EXPECT_EQ(ObjectPattern(folder), "s3://lake/trips/**");
  EXPECT_EQ(ObjectPattern(At("s3://lake/v1.2/")), "s3://lake/v1.2/*");
  EXPECT_EQ(ObjectPattern(At("s3://lake/v1.2", SourceKind::kParquet)), "s3://lake/v1.2/*.parquet");
}

TEST(ObjectFiles, OfAPatternAndAFileAreThese) {
  for (const char* place : {"s3://lake/trips/a.csv", "s3://lake/trips/*/b?.csv"}) {
    EXPECT_FALSE(IsObjectFolder(At(place)));
    EXPECT_EQ(ObjectPattern(At(place)), place);
    EXPECT_EQ(ObjectRoot(At(place)), "s3://lake/trips");
  }
  EXPECT_EQ(PathAtStore("s3://lake/trips"), "/lake/trips");
}

TEST(ObjectFiles, HaveTheKindOfTheirFormat) {
  EXPECT_EQ(KindOfFiles(Format::kCsv), SourceKind::kCsv);
  EXPECT_EQ(FormatOfFiles(SourceKind::kJsonLines), Format::kJsonLines);
  EXPECT_FALSE(KindOfFiles(Format::kArrow));
}

}  // namespace
}  // namespace protium
