// SPDX-License-Identifier: Apache-2.0
#include "kafka/message_rows.h"

#include <arrow/array.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "kafka/message_texts.h"

namespace protium {
namespace {

SchemaPtr Columns3() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("price", arrow::float64()),
                        arrow::field("name", arrow::utf8())});
}

std::string Place() { return "visits[0] at 7"; }

StreamRows Read(KafkaSourceOptions options, const std::vector<std::optional<std::string>>& texts) {
  if (options.columns == nullptr) options.columns = Columns3();
  auto rows = MessageRows::Make(options);
  EXPECT_TRUE(rows.ok()) << rows.status();
  for (const auto& text : texts) EXPECT_TRUE(rows->Add(Place, text).ok());
  return *rows->Finish();
}

TEST(MessageRows, ReadLinesOfCsvAsTablesAreRead) {
  const StreamRows read =
      Read({.format = MessageFormat::kCsv},
           {"1,2.5,\"a, \"\"b\"\"\"\r\n", "2,,", "x,1,n", "1,2", "1,2,a\n2,3,b"});
  ASSERT_EQ(read.rows->num_rows(), 2);
  EXPECT_EQ(static_cast<const arrow::StringArray&>(*read.rows->column(2)).GetView(0), "a, \"b\"");
  EXPECT_TRUE(read.rows->column(1)->IsNull(1));
  EXPECT_TRUE(read.rows->column(2)->IsNull(1));
  ASSERT_EQ(read.dead.size(), 3U);
  EXPECT_EQ(read.dead[0].place, "visits[0] at 7");
  EXPECT_EQ(read.dead[0].bytes, "x,1,n");
  EXPECT_EQ(read.dead[1].reason, "the message has 2 cells in place of 3");
  EXPECT_EQ(read.dead[2].reason, "the message has more than one line");
}

TEST(MessageRows, ReadLinesOfCsvWithoutTheColumnsThatMayBeAbsent) {
  const StreamRows read = Read({.format = MessageFormat::kCsv, .optional = {"price"}}, {"1,a"});
  ASSERT_EQ(read.rows->num_rows(), 1);
  EXPECT_TRUE(read.rows->column(1)->IsNull(0));
  EXPECT_EQ(static_cast<const arrow::StringArray&>(*read.rows->column(2)).GetView(0), "a");
}

TEST(MessageRows, RefuseNullsAndWhatIsNotUtf8) {
  const StreamRows read = Read({}, {std::nullopt, "{\"name\": \"\xff\"}", "{\"id\": 3}", ""});
  EXPECT_EQ(read.rows->num_rows(), 1);
  ASSERT_EQ(read.dead.size(), 3U);
  EXPECT_EQ(read.dead[0].reason, "the message is null (a tombstone)");
  EXPECT_EQ(read.dead[1].reason, "the message is not UTF-8");
}

TEST(MessageRows, StopAtANewColumnOnlyIfTheyAreToldTo) {
  std::vector<std::string> notes;
  KafkaSourceOptions options{.columns = Columns3()};
  options.kafka.note = [&](const std::string& note) { notes.push_back(note); };
  EXPECT_EQ(Read(options, {"{\"id\": 1, \"x\": 2}", "{\"x\": 3}"}).rows->num_rows(), 2);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], ::testing::HasSubstr("\"x\""));

  options.new_columns = NewColumns::kDead;
  EXPECT_EQ(Read(options, {"{\"id\": 1, \"x\": 2}"}).dead.size(), 1U);

  options.new_columns = NewColumns::kStop;
  auto rows = MessageRows::Make(options);
  const Status stopped = rows->Add(Place, "{\"id\": 1, \"x\": 2}");
  EXPECT_EQ(FaultOf(stopped).what, "events have a new column, \"x\"");
  EXPECT_EQ(FaultOf(stopped).where, "visits[0] at 7");
}

TEST(MessageRows, OfTextAreTheOnlyColumn) {
  const auto text = arrow::schema({arrow::field("text", arrow::utf8())});
  const StreamRows read = Read({.format = MessageFormat::kText, .columns = text}, {"a,b\n", ""});
  EXPECT_EQ(read.rows->num_rows(), 2);
  EXPECT_FALSE(MessageRows::Make({.format = MessageFormat::kText, .columns = Columns3()}).ok());
}

TEST(MessageTexts, AreReadBackAsTheSameRows) {
  const StreamRows read =
      Read({}, {"{\"id\": 1, \"price\": 2, \"name\": \"a \\\"b\\\", c\"}", "{\"id\": 2}"});
  for (const MessageFormat format : {MessageFormat::kJson, MessageFormat::kCsv}) {
    const auto texts = MessageTexts::Make(*read.rows->schema(), {.format = format, .key = "name"});
    ASSERT_TRUE(texts.ok()) << texts.status();
    std::vector<std::optional<std::string>> written(2);
    for (int64_t row = 0; row < 2; ++row)
      texts->Append(*read.rows, row, written[size_t(row)].emplace());
    EXPECT_TRUE(Read({.format = format}, written).rows->Equals(*read.rows)) << *written[0];
    std::string key;
    EXPECT_TRUE(texts->AppendKey(*read.rows, 0, key));
    EXPECT_EQ(key, "a \"b\", c");
    EXPECT_FALSE(texts->AppendKey(*read.rows, 1, key));
  }
}

TEST(MessageTexts, OfTextNeedOneColumnBesideTheKey) {
  EXPECT_FALSE(MessageTexts::Make(*Columns3(), {.format = MessageFormat::kText}).ok());
  const auto unknown = MessageTexts::Make(*Columns3(), {.key = "nmae"}).status();
  EXPECT_THAT(FaultOf(unknown).what, ::testing::HasSubstr("unknown column \"nmae\""));
  const auto two =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("p", arrow::float64())});
  EXPECT_TRUE(MessageTexts::Make(*two, {.format = MessageFormat::kText, .key = "id"}).ok());
}

}  // namespace
}  // namespace protium
