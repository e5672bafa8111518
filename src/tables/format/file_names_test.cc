// SPDX-License-Identifier: Apache-2.0
#include "format/file_names.h"

#include <gtest/gtest.h>

#include "format/file_form.h"

namespace protium {
namespace {

TEST(FileNames, AreHiddenAsSparkHidesThem) {
  for (const char* name : {".part.crc", "_SUCCESS", "_temporary", ".day=1"}) {
    EXPECT_TRUE(IsHiddenName(name)) << name;
  }
  for (const char* name : {"a.csv", "day=1", "_day=1"}) EXPECT_FALSE(IsHiddenName(name)) << name;
}

TEST(FileNames, AreLikeThePatternsOfTheirFormat) {
  const std::vector<std::string> csv = PatternsOf(Format::kCsv);
  EXPECT_TRUE(IsLikeOneOf("a.csv", csv));
  EXPECT_TRUE(IsLikeOneOf("a.csv.gz", csv));
  EXPECT_FALSE(IsLikeOneOf("a.parquet", csv));
  EXPECT_FALSE(IsLikeOneOf(".a.csv", csv));
}

}  // namespace
}  // namespace protium
