// SPDX-License-Identifier: Apache-2.0
#include "avro/scan.h"

#include <gtest/gtest.h>

#include <limits>

#include "avro/encoding.h"

namespace protium {
namespace {

TEST(AvroScanner, ReadsTheNumbersThatAreWritten) {
  using Limits = std::numeric_limits<int64_t>;
  for (const int64_t number : {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{-64}, int64_t{64},
                               int64_t{8192}, Limits::min(), Limits::max()}) {
    std::string bytes;
    PutAvroLong(bytes, number);
    AvroScanner scanner(bytes);
    int64_t read = 7;
    EXPECT_TRUE(scanner.Long(read));
    EXPECT_EQ(read, number);
    EXPECT_TRUE(scanner.AtEnd());
    // Each beginning of it is refused.
    for (size_t length = 0; length < bytes.size(); ++length) {
      AvroScanner cut(std::string_view(bytes).substr(0, length));
      EXPECT_FALSE(cut.Long(read));
      EXPECT_STREQ(cut.error(), "it ends in the midst of a number");
    }
  }
}

TEST(AvroScanner, ReadsNoNumberBeyondTenBytes) {
  int64_t read = 0;
  AvroScanner endless(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12));
  EXPECT_FALSE(endless.Long(read));
  AvroScanner large(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));
  EXPECT_FALSE(large.Long(read));
  EXPECT_STREQ(large.error(), "a number is longer than 64 bits");
  AvroScanner wide(std::string_view("\x80\x80\x80\x80\x20", 5));
  EXPECT_FALSE(wide.Int(read));
}

TEST(AvroScanner, BelievesNoLengthBeforeItsBytesAreThere) {
  std::string bytes;
  PutAvroLong(bytes, int64_t{1} << 60);
  bytes += "abc";
  std::string_view read;
  int64_t items = 0;
  EXPECT_FALSE(AvroScanner(bytes).Bytes(read));
  EXPECT_FALSE(AvroScanner(bytes).Block(items));
  std::string negative;
  PutAvroLong(negative, -3);
  EXPECT_FALSE(AvroScanner(negative).Bytes(read));
  std::string least;
  PutAvroLong(least, std::numeric_limits<int64_t>::min());
  EXPECT_FALSE(AvroScanner(least + least).Block(items));
}

TEST(AvroScanner, PassesNothingWithoutEnd) {
  // A block of the number of its bytes, of records that have none.
  const auto empty = AvroSchema::Parse(
      R"({"type": "array", "items": {"type": "record", "name": "r", "fields": []}})");
  std::string blocks;
  for (int i = 0; i < 20'000; ++i) PutAvroLong(blocks, 10'000);
  AvroScanner scanner(blocks);
  EXPECT_FALSE(scanner.Skip(*empty, 0));
  EXPECT_STREQ(scanner.error(), "it has too many values");
  // A list that is its own item.
  const auto deep = AvroSchema::Parse(R"({"type": "record", "name": "r", "fields": [
      {"name": "of", "type": {"type": "array", "items": "r"}}]})");
  std::string nested;
  for (int i = 0; i < 1000; ++i) PutAvroLong(nested, 1);
  AvroScanner inner(nested);
  EXPECT_FALSE(inner.Skip(*deep, 0));
  EXPECT_STREQ(inner.error(), "values are nested too deeply");
}

}  // namespace
}  // namespace protium
