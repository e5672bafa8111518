// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/fault.h"
#include "base/strict_math.h"
#include "rows/cells.h"
#include "rows/packed.h"
#include "rows/rows.h"

namespace protium {
namespace {

std::shared_ptr<arrow::RecordBatch> Batch(const SchemaPtr& schema, const std::string& json) {
  auto array = arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), json);
  return arrow::RecordBatch::FromStructArray(array.ValueOrDie()).ValueOrDie();
}

std::vector<uint32_t> Words(const Packer& packer) {
  const auto scan = packer.store().Scan({0, packer.rows()});
  const auto bytes = scan->Next(packer.rows()).ValueOrDie();
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

const SchemaPtr kTwo =
    arrow::schema({arrow::field("x", arrow::float64()), arrow::field("y", arrow::float32())});
constexpr int64_t kBudget = int64_t{1} << 30;

TEST(Packer, LaysOutNumbersLabelWeightAndCodes) {
  const SchemaPtr schema =
      arrow::schema({arrow::field("code", arrow::int64()), arrow::field("w", arrow::float32()),
                     arrow::field("label", arrow::int32()), arrow::field("x", arrow::float64()),
                     arrow::field("flag", arrow::boolean()), arrow::field("b", arrow::uint8())});
  const RowSchema rows = MakeRowSchema({.numeric = {"x", "flag", "b"},
                                        .labels = {{"label", {.mean = 10, .deviation = 4}}},
                                        .weight = "w",
                                        .categories = {"code"}});
  auto packer = Packer::Make(rows, schema, kBudget).ValueOrDie();
  ASSERT_TRUE(packer
                  ->Append(*Batch(schema,
                                  "[[3, 0.5, 12, 0.1, true, 200], "
                                  "[-1, 2, 9, -7.25, false, 0]]"))
                  .ok());
  EXPECT_EQ(rows.width(), 24);
  EXPECT_EQ(packer->rows(), 2);
  EXPECT_EQ(Words(*packer),
            (std::vector<uint32_t>{Bits(0.1f), Bits(1), Bits(200), Bits(0.5f), Bits(0.5f), 3,
                                   Bits(-7.25f), Bits(0), Bits(0), Bits(-0.25f), Bits(2), ~0u}));
}

// Identities of the groups of these cells, both as packed and as read from a column.
std::vector<uint64_t> GroupsOf(const std::shared_ptr<arrow::DataType>& type,
                               const std::string& cells) {
  const SchemaPtr schema =
      arrow::schema({arrow::field("y", arrow::float32()), arrow::field("g", type)});
  const RowSchema rows = MakeRowSchema({.numeric = {"y"}, .group = "g"});
  auto packer = Packer::Make(rows, schema, kBudget).ValueOrDie();
  const auto batch = Batch(schema, cells);
  EXPECT_TRUE(packer->Append(*batch).ok());
  const std::vector<uint32_t> words = Words(*packer);
  const PackedRows packed(rows, words.data(), packer->rows());
  std::vector<uint64_t> groups;
  for (int64_t i = 0; i < packed.size(); ++i) {
    groups.push_back(GroupAt(packed.ints(kGroupField), i));
  }
  EXPECT_EQ(Identities(*batch->column(1)->data()).ValueOrDie(), groups);
  return groups;
}

TEST(Packer, KnowsGroupsByTheirValues) {
  EXPECT_EQ(GroupsOf(arrow::int64(), "[[1, 5], [1, -1], [1, 1099511627776]]"),
            (std::vector<uint64_t>{5, ~uint64_t{0}, uint64_t{1} << 40}));
  EXPECT_EQ(GroupsOf(arrow::int16(), "[[1, 5], [1, -1]]"),
            (std::vector<uint64_t>{5, ~uint64_t{0}}));
  EXPECT_EQ(GroupsOf(arrow::date32(), "[[1, 19000]]"), (std::vector<uint64_t>{19000}));
  // XXH3-64, also where texts begin elsewhere.
  const auto texts = GroupsOf(arrow::utf8(), R"([[1, "a"], [1, ""], [1, "b"], [1, "a"]])");
  EXPECT_EQ(texts[0], 0xe6c632b61e964e1fu);
  EXPECT_EQ(texts[1], 0x2d06800538d394c2u);
  EXPECT_EQ(texts[0], texts[3]);
  EXPECT_NE(texts[0], texts[2]);
}

std::vector<uint64_t> IdsOf(const std::shared_ptr<arrow::DataType>& type,
                            const std::string& cells) {
  const SchemaPtr schema =
      arrow::schema({arrow::field("y", arrow::float32()), arrow::field("i", type)});
  const RowSchema rows = MakeRowSchema({.numeric = {"y"}, .ids = {"i"}});
  auto packer = Packer::Make(rows, schema, kBudget).ValueOrDie();
  EXPECT_TRUE(packer->Append(*Batch(schema, cells)).ok());
  const std::vector<uint32_t> words = Words(*packer);
  const PackedRows packed(rows, words.data(), packer->rows());
  std::vector<uint64_t> ids;
  for (int64_t i = 0; i < packed.size(); ++i) {
    ids.push_back(GroupAt(packed.ints(kIdsField), i));
  }
  return ids;
}

TEST(Packer, TakesIdsOfAnyValueAndNullAsThatOfTheEmptyText) {
  constexpr uint64_t kEmpty = 0x2d06800538d394c2u;
  EXPECT_EQ(IdsOf(arrow::int64(), "[[1, -1], [1, 0], [1, null], [1, -9223372036854775808]]"),
            (std::vector<uint64_t>{~uint64_t{0}, 0, kEmpty, uint64_t{1} << 63}));
  EXPECT_EQ(IdsOf(arrow::uint64(), "[[1, 9223372036854775808]]"),
            (std::vector<uint64_t>{uint64_t{1} << 63}));
  EXPECT_EQ(IdsOf(arrow::utf8(), R"([[1, "a"], [1, null], [1, ""]])"),
            (std::vector<uint64_t>{0xe6c632b61e964e1fu, kEmpty, kEmpty}));
}

TEST(Packer, RefusesRowsOfNoGroupAndGroupsThatAreNoNames) {
  const auto make = [](const std::shared_ptr<arrow::DataType>& type) {
    const SchemaPtr schema =
        arrow::schema({arrow::field("y", arrow::float32()), arrow::field("g", type)});
    return Packer::Make(MakeRowSchema({.numeric = {"y"}, .group = "g"}), schema, kBudget);
  };
  EXPECT_FALSE(make(arrow::float64()).ok());
  auto packer = make(arrow::utf8()).ValueOrDie();
  const auto schema =
      arrow::schema({arrow::field("y", arrow::float32()), arrow::field("g", arrow::utf8())});
  const Fault fault = FaultOf(packer->Append(*Batch(schema, R"([[1, "a"], [2, null]])")));
  EXPECT_EQ(fault.what, "column g is NULL in 1 of 2 rows");
}

TEST(Packer, FillsAMissingLabelWithZeroAndAMissingWeightWithOne) {
  auto packer = Packer::Make(MakeRowSchema({.numeric = {"y"}}), kTwo, kBudget).ValueOrDie();
  ASSERT_TRUE(packer->Append(*Batch(kTwo, "[[1, 2]]")).ok());
  EXPECT_EQ(Words(*packer), (std::vector<uint32_t>{Bits(2), 0, Bits(1)}));
}

TEST(Packer, TurnsNegativeZeroIntoZero) {
  auto packer =
      Packer::Make(MakeRowSchema({.numeric = {"x", "y"}, .labels = {{"x"}}}), kTwo, kBudget)
          .ValueOrDie();
  ASSERT_TRUE(packer->Append(*Batch(kTwo, "[[-0.0, -0.0], [-1e-60, 0]]")).ok());
  for (int64_t i : {0, 1, 2, 4, 5, 6}) EXPECT_EQ(Words(*packer)[size_t(i)], 0u) << i;
}

TEST(Packer, TakesEveryNumericType) {
  for (const auto& type :
       {arrow::int8(), arrow::int16(), arrow::int32(), arrow::int64(), arrow::uint8(),
        arrow::uint16(), arrow::uint32(), arrow::uint64(), arrow::float32(), arrow::float64()}) {
    const SchemaPtr schema = arrow::schema({arrow::field("x", type)});
    auto packer =
        Packer::Make(MakeRowSchema({.numeric = {"x"}, .labels = {{"x"}}}), schema, kBudget)
            .ValueOrDie();
    ASSERT_TRUE(packer->Append(*Batch(schema, "[[0], [100]]")->Slice(1)).ok());
    EXPECT_EQ(Words(*packer), (std::vector<uint32_t>{Bits(100), Bits(100), Bits(1)}))
        << type->ToString();
  }
}

TEST(Packer, KeepsLabelsOnTheirOwnScaleWhereTheyAreMeasured) {
  const RowSchema learned =
      MakeRowSchema({.labels = {{"x", {.mean = 0.7, .deviation = 3}}, {"y"}}});
  const RowSchema rows = WithOwnLabels(learned);
  ASSERT_EQ(rows.width(), learned.width() + 16);
  auto packer = Packer::Make(rows, kTwo, kBudget).ValueOrDie();
  ASSERT_TRUE(packer->Append(*Batch(kTwo, "[[0.1, 2], [-0.0, 0.25], [16777217, -3]]")).ok());
  const auto scan = packer->store().Scan({0, 3});
  const auto bytes = scan->Next(3).ValueOrDie();
  const std::vector<double> expected = {0.1, 2, 0.0, 0.25, 16777217, -3};
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = 0;
    const size_t at = i / 2 * size_t(rows.width()) + size_t(rows.Find(kOwnLabelField)->offset);
    std::memcpy(&value, bytes.data() + at + i % 2 * sizeof(double), sizeof(double));
    EXPECT_EQ(value, expected[i]);
    EXPECT_FALSE(std::signbit(value) && value == 0);
  }
  // The index of a class is exact without a double.
  EXPECT_EQ(WithOwnLabels(MakeRowSchema({.class_label = "x"})).Find(kOwnLabelField), nullptr);
  EXPECT_EQ(WithOwnLabels(MakeRowSchema({.numeric = {"x"}})).Find(kOwnLabelField), nullptr);
}

TEST(Packer, TakesMissingCellsWhereFeaturesMayBeMissing) {
  const SchemaPtr schema =
      arrow::schema({arrow::field("x", arrow::float64()), arrow::field("n", arrow::int64()),
                     arrow::field("code", arrow::int64()), arrow::field("none", arrow::null()),
                     arrow::field("y", arrow::float64())});
  const RowSchema rows = MakeRowSchema(
      {.numeric = {"x", "n", "none"}, .labels = {{"y"}}, .categories = {"code"}, .missing = true});
  auto packer = Packer::Make(rows, schema, kBudget).ValueOrDie();
  ASSERT_TRUE(packer
                  ->Append(*Batch(schema,
                                  "[[null, null, null, null, 1], [NaN, 3, 2, null, 2], "
                                  "[-Inf, -4, 0, null, 3], [1e300, 0, 1, null, 4]]"))
                  .ok());
  constexpr uint32_t kMissing = 0x7fc00000;
  EXPECT_EQ(Words(*packer),
            (std::vector<uint32_t>{kMissing,        kMissing, kMissing, Bits(1), Bits(1), ~0u,  //
                                   kMissing,        Bits(3),  kMissing, Bits(2), Bits(1), 2,    //
                                   Bits(-INFINITY), Bits(-4), kMissing, Bits(3), Bits(1), 0,    //
                                   Bits(INFINITY),  Bits(0),  kMissing, Bits(4), Bits(1), 1}));
  // Labels must be there as ever.
  const Status refused = packer->Append(*Batch(schema, "[[1, 1, 1, null, null]]"));
  EXPECT_EQ(FaultOf(refused).what, "column y is NULL in 1 of 5 rows");
}

TEST(Packer, ChecksCategoriesThatMayBeMissing) {
  const std::vector<int64_t> cardinalities = {3};
  for (const bool missing : {false, true}) {
    const RowSchema rows = MakeRowSchema({.categories = {"code"}, .missing = missing});
    const std::vector<int32_t> words = {0, 0, 2, 0, 0, -1, 0, 0, 3};
    const auto check = [&](int64_t count) {
      return CheckCategories(PackedRows(rows, words.data(), count), cardinalities);
    };
    EXPECT_TRUE(check(1).ok());
    EXPECT_EQ(check(2).ok(), missing);
    EXPECT_EQ(FaultOf(check(3)).where, "code");
  }
}

TEST(RowSchema, WritesMissingOnlyWhereItIsSet) {
  const Json without = MakeRowSchema({.numeric = {"x"}, .categories = {"c"}}).ToJson();
  for (const Json& field : without) EXPECT_FALSE(field.contains("missing"));
  const Json with =
      MakeRowSchema({.numeric = {"x"}, .categories = {"c"}, .missing = true}).ToJson();
  EXPECT_EQ(with[0]["missing"], true);
  EXPECT_FALSE(with[1].contains("missing"));
  EXPECT_EQ(with[3]["missing"], true);
}

TEST(Packer, RefusesNegativeWeightsWithTheirCountAndFirstRow) {
  auto packer =
      Packer::Make(MakeRowSchema({.numeric = {"x"}, .weight = "y"}), kTwo, kBudget).ValueOrDie();
  const Status refused =
      packer->Append(*Batch(kTwo, "[[1, 0], [1, -0.0], [1, -0.5], [-1, 2], [1, -3]]"));
  EXPECT_EQ(FaultOf(refused).what, "column y is negative in 2 of 5 rows");
  EXPECT_EQ(FaultOf(refused).where, "column y, first in row 3");
  EXPECT_NE(FaultOf(refused).fix.find("WHERE y >= 0"), std::string::npos);
}

TEST(Packer, PacksOnlyTheRowsAskedFor) {
  const SchemaPtr schema = arrow::schema({arrow::field("x", arrow::int32())});
  auto packer = Packer::Make(MakeRowSchema({.numeric = {"x"}}), schema, kBudget).ValueOrDie();
  std::string json = "[";
  for (int i = 0; i < 1000; ++i) {
    json += (i ? ", [" : "[") + (i % 3 == 0 ? std::string("null]") : std::to_string(i) + "]");
  }
  std::vector<int32_t> chosen;
  for (int32_t i = 0; i < 990; ++i) {
    if ((i + 10) % 3 != 0) chosen.push_back(i);
  }
  ASSERT_TRUE(packer->Append(*Batch(schema, json + "]")->Slice(10), &chosen).ok());
  ASSERT_EQ(packer->rows(), 660);
  EXPECT_EQ(Words(*packer)[0], Bits(10));
  EXPECT_EQ(Words(*packer)[3], Bits(11));
  EXPECT_EQ(Words(*packer)[3 * 659], Bits(998));
}

TEST(Packer, PacksSeveralLabelsAndTheIndexOfAClass) {
  auto two =
      Packer::Make(MakeRowSchema({.labels = {{"x", {1, 2}}, {"y"}}}), kTwo, kBudget).ValueOrDie();
  ASSERT_TRUE(two->Append(*Batch(kTwo, "[[5, 7]]")).ok());
  EXPECT_EQ(Words(*two), (std::vector<uint32_t>{Bits(2), Bits(7), Bits(1)}));
  const SchemaPtr schema = arrow::schema({arrow::field("c", arrow::int64())});
  auto one = Packer::Make(MakeRowSchema({.class_label = "c"}), schema, kBudget).ValueOrDie();
  ASSERT_TRUE(one->Append(*Batch(schema, "[[3]]")).ok());
  EXPECT_EQ(Words(*one), (std::vector<uint32_t>{3, Bits(1)}));
}

TEST(Packer, PacksListsOfEveryKind) {
  for (const auto& type : {arrow::fixed_size_list(arrow::float32(), 3),
                           arrow::list(arrow::float32()), arrow::large_list(arrow::float32())}) {
    const SchemaPtr schema = arrow::schema({arrow::field("v", type)});
    const RowSchema rows = MakeRowSchema({.lists = {{"v", 3}}});
    auto packer = Packer::Make(rows, schema, kBudget).ValueOrDie();
    const auto batch = Batch(schema, "[[[9, 9, 9]], [[1, 2, 3]], [[4, 5, -0.0]]]");
    ASSERT_TRUE(packer->Append(*batch->Slice(1)).ok()) << type->ToString();
    EXPECT_EQ(Words(*packer), (std::vector<uint32_t>{0, Bits(1), Bits(1), Bits(2), Bits(3), 0,
                                                     Bits(1), Bits(4), Bits(5), 0}))
        << type->ToString();
  }
}

TEST(Packer, RefusesListsThatDoNotFit) {
  const SchemaPtr schema = arrow::schema({arrow::field("v", arrow::list(arrow::float64()))});
  const auto refused = [&](const char* json) {
    auto packer = Packer::Make(MakeRowSchema({.lists = {{"v", 2}}}), schema, kBudget).ValueOrDie();
    return FaultOf(packer->Append(*Batch(schema, json))).what;
  };
  EXPECT_EQ(refused("[[[1, 2]], [[1]], [[]]]"),
            "column v is a list of another length in 2 of 3 rows");
  EXPECT_EQ(refused("[[null], [[1, 2]]]"), "column v is NULL in 1 of 2 rows");
  EXPECT_EQ(refused("[[[1, null]]]"), "column v is a list that holds NULL in 1 of 1 rows");
  EXPECT_EQ(refused("[[[1, NaN]]]"), "column v is a list that holds NaN in 1 of 1 rows");
  EXPECT_EQ(refused("[[[1e39, 0]]]"),
            "column v is a list that is not finite as float32 in 1 of 1 rows");
  EXPECT_FALSE(Packer::Make(MakeRowSchema({.lists = {{"x", 2}}}), kTwo, kBudget).ok());
}

TEST(Packer, RefusesNullsWithTheirCountAndFirstRow) {
  auto packer = Packer::Make(MakeRowSchema({.numeric = {"y"}, .labels = {{"x"}}}), kTwo, kBudget)
                    .ValueOrDie();
  ASSERT_TRUE(packer->Append(*Batch(kTwo, "[[1, 1], [2, 2]]")).ok());
  const Fault fault =
      FaultOf(packer->Append(*Batch(kTwo, "[[1, 1], [null, 2], [null, 3], [4, 4]]")));
  EXPECT_EQ(fault.what, "column x is NULL in 2 of 6 rows");
  EXPECT_EQ(fault.where, "column x, first in row 4");
  EXPECT_EQ(fault.exit, Exit::kInput);
}

TEST(Packer, RefusesNanAndInfinity) {
  const auto pack = [](const char* json) {
    auto packer = Packer::Make(MakeRowSchema({.numeric = {"x"}, .labels = {{"y"}}}), kTwo, kBudget)
                      .ValueOrDie();
    return FaultOf(packer->Append(*Batch(kTwo, json))).what;
  };
  EXPECT_EQ(pack("[[NaN, 1]]"), "column x is NaN in 1 of 1 rows");
  EXPECT_EQ(pack("[[1, NaN]]"), "column y is NaN in 1 of 1 rows");
  EXPECT_EQ(pack("[[-Inf, 1]]"), "column x is not finite as float32 in 1 of 1 rows");
  EXPECT_EQ(pack("[[1e39, 1]]"), "column x is not finite as float32 in 1 of 1 rows");
}

TEST(Packer, TakesTheLogarithmOfALabelBeforeItIsScaled) {
  const ElementScale scale{.mean = 1, .deviation = 4, .log1p = true};
  const RowSchema rows = MakeRowSchema({.labels = {{"x", scale}}});
  auto packer = Packer::Make(rows, kTwo, kBudget).ValueOrDie();
  ASSERT_TRUE(packer->Append(*Batch(kTwo, "[[0, 1], [-0.75, 1], [1e300, 1]]")).ok());
  const auto scaled = [](double x) { return Bits(float((StrictLog1p(x) - 1) / 4)); };
  EXPECT_EQ(Words(*packer), (std::vector<uint32_t>{Bits(-0.25f), Bits(1), scaled(-0.75), Bits(1),
                                                   scaled(1e300), Bits(1)}));
  auto wrong = Packer::Make(rows, kTwo, kBudget).ValueOrDie();
  EXPECT_EQ(FaultOf(wrong->Append(*Batch(kTwo, "[[2, 0], [-1, 0], [-7, 0]]"))).what,
            "column x is -1 or less, or not finite, so without log1p, in 2 of 3 rows");
}

// As the engine would have scaled it, whatever the column's type, next to an unscaled number.
TEST(Packer, ScalesNumbersOfOtherColumns) {
  const RowColumns columns{.numeric = {"x__scaled", "x", "n__scaled"},
                           .scaled = {{"x__scaled", "x", {.mean = 0.1, .deviation = 0.3}},
                                      {"n__scaled", "n", {.mean = 7.25, .deviation = 3}}}};
  const SchemaPtr table =
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("x", arrow::float64())});
  auto packer = Packer::Make(MakeRowSchema(columns), table, kBudget).ValueOrDie();
  ASSERT_TRUE(packer->Append(*Batch(table, "[[9007199254740993, 0.7]]")).ok());
  EXPECT_EQ(Words(*packer), (std::vector<uint32_t>{
                                Bits(float((0.7 - 0.1) / 0.3)), Bits(0.7f),
                                Bits(float((double(9007199254740993) - 7.25) / 3)), 0, Bits(1)}));
  const Fault fault = FaultOf(packer->Append(*Batch(table, "[[null, 0.7]]")));
  EXPECT_EQ(fault.what, "column n is NULL in 1 of 2 rows");
}

TEST(Packer, RefusesCodesBeyondInt32) {
  for (const auto& type : {arrow::int64(), arrow::uint64(), arrow::uint32()}) {
    const SchemaPtr schema = arrow::schema({arrow::field("c", type)});
    auto packer = Packer::Make(MakeRowSchema({.categories = {"c"}}), schema, kBudget).ValueOrDie();
    EXPECT_TRUE(packer->Append(*Batch(schema, "[[2147483647]]")).ok());
    EXPECT_EQ(FaultOf(packer->Append(*Batch(schema, "[[2147483648], [1]]"))).what,
              "column c is beyond int32 in 1 of 3 rows");
  }
}

TEST(Packer, RefusesRowsBeyondItsBudgetWithBothNumbers) {
  auto packer = Packer::Make(MakeRowSchema({.numeric = {"x"}}), kTwo, 30).ValueOrDie();
  EXPECT_TRUE(packer->Append(*Batch(kTwo, "[[1, 1], [2, 2]]")).ok());
  const Fault fault = FaultOf(packer->Append(*Batch(kTwo, "[[1, 1], [2, 2]]")));
  EXPECT_EQ(fault.what, "packed rows need 48 bytes, the budget allows 30");
  EXPECT_EQ(fault.exit, Exit::kNoRoom);
}

TEST(Packer, RefusesUnknownColumnsAndTypes) {
  const SchemaPtr schema = arrow::schema({arrow::field("carrier", arrow::utf8())});
  EXPECT_EQ(FaultOf(Packer::Make(MakeRowSchema({.numeric = {"carier"}}), schema, 1).status()).fix,
            "did you mean \"carrier\"?");
  EXPECT_EQ(FaultOf(Packer::Make(MakeRowSchema({.numeric = {"carrier"}}), schema, 1).status()).what,
            "column carrier has type string and cannot be packed");
  EXPECT_FALSE(Packer::Make(MakeRowSchema({.categories = {"x"}}), kTwo, 1).ok());
}

}  // namespace
}  // namespace protium
