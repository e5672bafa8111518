// SPDX-License-Identifier: Apache-2.0
#include "export/record_file.h"

#include <gtest/gtest.h>

#include "export/wire.h"

namespace protium {
namespace {

// Vectors of RFC 3720, B.4.
TEST(RecordFile, CrcsAreThoseOfTheStandard) {
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283U);
}

TEST(RecordFile, ARecordIsLengthBytesAndTheirCrcs) {
  std::string file;
  AppendRecord("abc", file);
  ASSERT_EQ(file.size(), 8 + 4 + 3 + 4u);
  EXPECT_EQ(file.substr(0, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(file.substr(12, 3), "abc");
}

// The example in protobuf's description of its encoding: field 1 is 150, field 2 "testing".
TEST(Wire, FieldsAreEncodedAsTheStandardShows) {
  WireMessage message;
  message.Varint(1, 150).Bytes(2, "testing");
  EXPECT_EQ(message.bytes(), std::string("\x08\x96\x01\x12\x07testing"));
}

}  // namespace
}  // namespace protium
