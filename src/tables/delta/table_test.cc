// SPDX-License-Identifier: Apache-2.0
#include "delta/table.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

DeltaTable TableOf(const std::string& protocol, const std::string& configuration = "{}",
                   const std::string& column = "{}") {
  const Json schema = {
      {"type", "struct"},
      {"fields",
       {{{"name", "id"}, {"type", "long"}, {"nullable", true}, {"metadata", *ParseJson(column)}}}}};
  return {.version = 3,
          .protocol = *ParseJson(protocol),
          .metadata = {{"schemaString", Dump(schema)},
                       {"partitionColumns", {"day"}},
                       {"configuration", *ParseJson(configuration)}}};
}

constexpr const char* kOld = R"({"minReaderVersion":1,"minWriterVersion":2})";

std::string RefusalOf(const DeltaTable& table, StoreMode mode = StoreMode::kAppend) {
  const Status status = CheckWritable(table, mode, "lake/events");
  return status.ok() ? "" : FaultOf(status).what + "; " + FaultOf(status).why;
}

TEST(DeltaTable, OfUsualProtocolsIsWritten) {
  EXPECT_EQ(RefusalOf({}, StoreMode::kReplace), "");
  EXPECT_EQ(RefusalOf(TableOf(kOld), StoreMode::kReplace), "");
  EXPECT_EQ(RefusalOf(TableOf(R"({"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":
      ["deletionVectors"],"writerFeatures":["deletionVectors","appendOnly","invariants"]})"),
                      StoreMode::kReplace),
            "");
  EXPECT_EQ(PartitionsOf(TableOf(kOld)), std::vector<std::string>{"day"});
}

TEST(DeltaTable, ThatAsksForMoreIsRefusedByTheFeaturesName) {
  for (const char* feature : {"rowTracking", "inCommitTimestamp", "v2Checkpoint", "clustering",
                              "icebergCompatV2", "typeWidening", "catalogManaged", "ofTomorrow"}) {
    const std::string said = RefusalOf(
        TableOf(std::string(R"({"minReaderVersion":3,"minWriterVersion":7,"writerFeatures":[")") +
                feature + "\"]}"));
    EXPECT_NE(said.find(std::string("the feature ") + feature), std::string::npos) << said;
  }
  EXPECT_NE(
      RefusalOf(TableOf(R"({"minReaderVersion":3,"minWriterVersion":8})")).find("writer version 8"),
      std::string::npos);
  EXPECT_NE(RefusalOf(TableOf("{}")), "");
}

TEST(DeltaTable, WithSettingsThatAreNotKeptIsRefused) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"delta.columnMapping.mode":"name"})", "columnMapping"},
      {R"({"delta.constraints.late":"delay > 0"})", "checkConstraints"},
      {R"({"delta.enableRowTracking":"true"})", "delta.enableRowTracking"}};
  for (const auto& [setting, name] : kCases) {
    EXPECT_NE(RefusalOf(TableOf(kOld, setting)).find(name), std::string::npos) << setting;
  }
  const std::string append_only = R"({"delta.appendOnly":"true"})";
  EXPECT_EQ(RefusalOf(TableOf(kOld, append_only)), "");
  EXPECT_NE(RefusalOf(TableOf(kOld, append_only), StoreMode::kReplace).find("appendOnly"),
            std::string::npos);
  for (const char* rule :
       {R"({"delta.invariants":"x"})", R"({"delta.generationExpression":"a + 1"})",
        R"({"delta.identity.start":1})"}) {
    EXPECT_NE(RefusalOf(TableOf(kOld, "{}", rule)).find("column id has delta."), std::string::npos);
  }
}

TEST(DeltaTable, WhoseLogIsNonsenseIsRefused) {
  DeltaTable table = TableOf(kOld);
  table.metadata["schemaString"] = "{";
  EXPECT_NE(RefusalOf(table).find("has no schema"), std::string::npos);
  table.metadata = Json::array({1});
  EXPECT_NE(RefusalOf(table), "");
}

}  // namespace
}  // namespace protium
