// SPDX-License-Identifier: Apache-2.0
#include "format/partitions.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

Result<Partitions> Read(const std::vector<std::string>& paths,
                        const std::vector<std::string>& names, const SchemaPtr& known = nullptr) {
  return ReadPartitions(paths, "/t", names, known);
}

std::string TypesOfKeys(const std::vector<std::string>& values, const SchemaPtr& known = nullptr) {
  std::vector<std::string> paths;
  for (const std::string& value : values) paths.push_back("/t/x=" + value + "/a.csv");
  const auto partitions = Read(paths, {"x"}, known);
  return partitions.ok() ? partitions->columns->field(0)->type()->ToString()
                         : FaultOf(partitions.status()).what;
}

std::string Value(const std::string& written) {
  const auto partitions = Read({"/t/x=" + written + "/a.csv"}, {"x"});
  if (!partitions.ok()) return FaultOf(partitions.status()).what;
  return partitions->values[0][0].value_or("NULL");
}

void ExpectFault(const std::vector<std::string>& paths, const std::vector<std::string>& names,
                 const std::string& what, const std::string& fix) {
  const Fault fault = FaultOf(Read(paths, names).status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr(what));
  EXPECT_THAT(fault.where, HasSubstr("/t/"));
  EXPECT_THAT(fault.fix, HasSubstr(fix));
}

TEST(Partitions, AreInTheOrderAskedFor) {
  const auto partitions = Read({"/t/y=2013/m=1/a.csv", "/t/y=2014/m=x/deeper/b.csv"}, {"m", "y"});
  ASSERT_TRUE(partitions.ok()) << partitions.status();
  EXPECT_EQ(partitions->columns->ToString(), "m: string\ny: int64");
  EXPECT_EQ(partitions->values[0], (std::vector<std::optional<std::string>>{"1", "2013"}));
  EXPECT_EQ(partitions->values[1], (std::vector<std::optional<std::string>>{"x", "2014"}));
}

TEST(Partitions, HaveTheTypeOfAllValues) {
  EXPECT_EQ(TypesOfKeys({"1", "-20", "007"}), "int64");
  EXPECT_EQ(TypesOfKeys({"1", "__HIVE_DEFAULT_PARTITION__"}), "int64");
  EXPECT_EQ(TypesOfKeys({"2013-12-31", "2014-01-01"}), "date32[day]");
  EXPECT_EQ(TypesOfKeys({"1", "2013-12-31"}), "string");
  EXPECT_EQ(TypesOfKeys({"1.5"}), "string");
  EXPECT_EQ(TypesOfKeys({"9223372036854775808"}), "string");
  EXPECT_EQ(TypesOfKeys({"%31"}), "string");
  EXPECT_EQ(TypesOfKeys({"__HIVE_DEFAULT_PARTITION__"}), "string");
}

TEST(Partitions, HaveTheTypeThatIsKnown) {
  const auto known = [](const auto& type) { return arrow::schema({arrow::field("x", type)}); };
  EXPECT_EQ(TypesOfKeys({"1"}, known(arrow::utf8())), "string");
  EXPECT_EQ(TypesOfKeys({"__HIVE_DEFAULT_PARTITION__"}, known(arrow::int64())), "int64");
  EXPECT_EQ(TypesOfKeys({"a"}, known(arrow::int64())),
            "the partition column \"x\" was int64 before and is string now");
}

TEST(Partitions, UndoEscapesAsSparkDoes) {
  EXPECT_EQ(Value("New%20York"), "New York");
  EXPECT_EQ(Value("a%2Fb%3dc"), "a/b=c");
  EXPECT_EQ(Value("a=b"), "a=b");
  EXPECT_EQ(Value("100%"), "100%");
  EXPECT_EQ(Value("5%2"), "5%2");
  EXPECT_EQ(Value("%zz%-1"), "%zz%-1");
  EXPECT_EQ(Value("%e9"), "\xc3\xa9");
  EXPECT_EQ(Value("__HIVE_DEFAULT_PARTITION__"), "NULL");
  EXPECT_THAT(Value("a%00"), HasSubstr("not UTF-8 text"));
  EXPECT_THAT(Value("\xff"), HasSubstr("not UTF-8 text"));
}

TEST(Partitions, AreToldWhereTheFoldersDoNotSayThem) {
  ExpectFault({"/t/y=1/a.csv", "/t/b.csv"}, {"y"},
              "no folder of this file gives the partition column \"y\"", "y=VALUE");
  ExpectFault({"/t/year=1/a.csv"}, {"yaer"}, "\"yaer\"", "year");
  ExpectFault({"/t/y=/a.csv"}, {"y"}, "has no value", "y=__HIVE_DEFAULT_PARTITION__");
  ExpectFault({"/t/=1/a.csv"}, {"y"}, "names no column", "NAME=VALUE");
  ExpectFault({"/t/y=1/m=2/a.csv"}, {"y"}, "does not name \"m\"", "partitions = [\"y\", \"m\"]");
  ExpectFault({"/t/y=1/y=2/a.csv"}, {"y"}, "2 folders give", "one of them");
  ExpectFault({"/t/y=1/m=2/a.csv", "/t/m=1/y=2/a.csv"}, {"y", "m"}, "m, y", "one order");
  ExpectFault({"/t/old/y=1/a.csv"}, {"y"}, "\"old\" is above \"y=1\"", "first");
}

TEST(Partitions, AreNamedOnce) {
  EXPECT_EQ(FaultOf(Read({}, {"y", "y"}).status()).what, "partitions names \"y\" twice");
  EXPECT_EQ(FaultOf(Read({}, {""}).status()).what, "partitions holds an empty name");
}

TEST(Partitions, AreNoColumnsOfTheFiles) {
  const auto partitions = Read({"/t/y=1/a.csv"}, {"y"});
  ASSERT_TRUE(partitions.ok());
  const auto files = arrow::schema({arrow::field("a", arrow::int64())});
  EXPECT_EQ((*WithPartitions(files, *partitions))->ToString(), "a: int64\ny: int64");
  const auto both = arrow::schema({arrow::field("Y", arrow::int64())});
  EXPECT_THAT(FaultOf(WithPartitions(both, *partitions).status()).what,
              HasSubstr("\"y\" is in the files and in the names of their folders"));
}

}  // namespace
}  // namespace protium
