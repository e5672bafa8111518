// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/command.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

SparkCommand GangCommand() {
  return {.task = "train",
          .role = TaskRole::kTrain,
          .torch = true,
          .config = R"({"epochs":3})",
          .groups = {"shop", "day"},
          .output = arrow::schema({arrow::field("json", arrow::utf8())}),
          .gang = true,
          .world = 4,
          .attempt = 2,
          .deadline = 7.5,
          .key = std::string("\0\xff key", 6),
          .plaintext = true,
          .events = "/shared/events",
          .rows = RowFiles{.schema = arrow::schema({arrow::field("x", arrow::float32(), false)}),
                           .paths = {"/shared/a.parquet", "/shared/b.parquet"},
                           .rows = 12,
                           .steps = Json::parse(R"([{"filter":{"column":"x"}}])")}};
}

TEST(Command, ComesBackAsItWas) {
  const SparkCommand command = GangCommand();
  const auto bytes = EncodeCommand(command);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(bytes->starts_with("protium1"));
  const auto back = DecodeCommand(*bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->task, "train");
  EXPECT_EQ(back->role, TaskRole::kTrain);
  EXPECT_TRUE(back->torch);
  EXPECT_EQ(back->config, command.config);
  EXPECT_EQ(back->groups, command.groups);
  EXPECT_TRUE(back->output->Equals(*command.output));
  EXPECT_EQ(back->world, 4);
  EXPECT_EQ(back->attempt, 2);
  EXPECT_EQ(back->deadline, 7.5);
  EXPECT_EQ(back->key, command.key);
  EXPECT_TRUE(back->plaintext);
  EXPECT_EQ(back->events, "/shared/events");
  ASSERT_TRUE(back->rows.has_value());
  EXPECT_TRUE(back->rows->schema->Equals(*command.rows->schema));
  EXPECT_EQ(back->rows->paths, command.rows->paths);
  EXPECT_EQ(back->rows->rows, 12);
  EXPECT_EQ(Dump(back->rows->steps), R"([{"filter":{"column":"x"}}])");
}

TEST(Command, BringsTheTermsOfALease) {
  SparkCommand command = GangCommand();
  EXPECT_FALSE(DecodeCommand(*EncodeCommand(command))->lease.has_value());
  command.lease = LeaseTerms{.seat = 3, .bends = true, .patience = 2.5};
  const auto back = DecodeCommand(*EncodeCommand(command));
  ASSERT_TRUE(back.ok() && back->lease) << back.status();
  EXPECT_EQ(back->lease->seat, 3);
  EXPECT_TRUE(back->lease->bends);
  EXPECT_EQ(back->lease->patience, 2.5);
}

TEST(Command, CutAnywhereIsRefused) {
  const auto bytes = EncodeCommand(GangCommand());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  for (size_t end = 0; end < bytes->size(); ++end) {
    EXPECT_FALSE(DecodeCommand(std::string_view(*bytes).substr(0, end)).ok()) << end;
  }
  EXPECT_FALSE(DecodeCommand(*bytes + "x").ok());
}

TEST(Command, OfAnotherVersionIsRefusedWithBothVersions) {
  auto bytes = EncodeCommand(GangCommand());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const std::string current = std::to_string(kCommandVersion);
  const size_t at = bytes->find("\"version\":" + current);
  ASSERT_NE(at, std::string::npos);
  (*bytes)[at + 10] = '9';
  const Status status = DecodeCommand(*bytes).status();
  EXPECT_NE(status.message().find("command version 9"), std::string::npos) << status;
  EXPECT_NE(status.message().find("command version " + current), std::string::npos) << status;
}

}  // namespace
}  // namespace protium
