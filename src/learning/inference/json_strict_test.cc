// SPDX-License-Identifier: Apache-2.0
// Malicious bodies, and bodies damaged in transit.
#include <arrow/api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

#include "base/fault.h"
#include "inference/json_rows.h"

namespace protium {
namespace {

using namespace std::string_literals;

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

const arrow::Schema& StrictColumns() {
  static const auto schema =
      arrow::schema({arrow::field("x", arrow::float64()), arrow::field("t", arrow::utf8()),
                     arrow::field("l", arrow::list(arrow::list(arrow::int64())))});
  return *schema;
}

// "row 2: what"; "ok" if the body is accepted.
std::string Said(const std::string& body, int64_t most_rows = kAny) {
  const auto rows = ReadJsonRows(body, StrictColumns(), most_rows);
  if (rows.ok()) return rows->batch->ValidateFull().ok() ? "ok" : "an invalid batch";
  const Fault fault = FaultOf(rows.status());
  EXPECT_EQ(fault.exit, Exit::kInput) << fault.what;
  return fault.where.empty() ? fault.what : fault.where + ": " + fault.what;
}

std::string InRow(const std::string& cells) { return Said("{\"rows\":[{" + cells + "}]}"); }

TEST(StrictJson, RefusesWhatComesTwice) {
  EXPECT_EQ(Said(R"({"rows": [{"x": 1}, {"x": 1, "t": "a", "x": 2}]})"),
            "row 1: the row has no column \"t\", and others have");
  EXPECT_EQ(Said(R"({"rows": [{"x": 1}, {"x": 1, "x": 2}]})"),
            "row 2: the row has column \"x\" twice");
  EXPECT_EQ(InRow(R"("x": 1, "\u0078": 2)"), "row 1: the row has column \"x\" twice");
  EXPECT_EQ(Said(R"({"rows": [], "rows": []})"), "the body has \"rows\" twice");
  EXPECT_EQ(Said(R"({"columns": {}, "columns": {}})"), "the body has \"columns\" twice");
  EXPECT_EQ(Said(R"({"columns": {}, "rows": []})"), "the body has \"rows\" and \"columns\"");
  EXPECT_EQ(Said(R"({"columns": {"x": [1], "x": [1]}})"), "column \"x\" comes twice");
  EXPECT_EQ(InRow(R"("x": 1, "more": 1, "more": 2)"), "ok") << "nobody reads it";
}

TEST(StrictJson, TakesNoMoreRowsThanAllowed) {
  const std::string what = "more rows than the 2 that one request may hold";
  EXPECT_EQ(Said(R"({"rows": [{}, {}]})", 2), "ok");
  EXPECT_EQ(Said(R"({"rows": [{}, {}, {}]})", 2), what);
  EXPECT_EQ(Said(R"({"columns": {"x": [1, 2]}})", 2), "ok");
  EXPECT_EQ(Said(R"({"columns": {"x": [1, 2, 3]}})", 2), what);
  EXPECT_EQ(Said(R"({"columns": {"x": [1, 2, 3)", 2), what) << "what follows is not read";
}

TEST(StrictJson, TakesUtf8Alone) {
  EXPECT_EQ(InRow("\"t\": \"\xff\""), "not valid JSON: it is not UTF-8");
  EXPECT_EQ(InRow("\"t\": \"\xed\xa0\x80\""), "not valid JSON: it is not UTF-8");
  EXPECT_EQ(InRow("\"more\": \"\xc0\x80\""), "not valid JSON: it is not UTF-8");
  EXPECT_EQ(Said("\xEF\xBB\xBF{\"rows\":[]}"), "ok") << "some editors put a mark first";
  EXPECT_EQ(InRow("\"t\": \"\xEF\xBB\xBF\""), "ok");
  for (const char* bad :
       {R"(\ud800)", R"(\udc00)", R"(\ud800\u0041)", R"(\ud800\ud800)", R"(\x)", R"(\u12g4)"}) {
    for (const char* key : {"t", "more"}) {
      EXPECT_EQ(InRow(fmt::format(R"("{}": "{}")", key, bad)).substr(0, 7), "line 1,") << bad;
    }
    EXPECT_EQ(InRow(fmt::format(R"("{}": 1)", bad)).substr(0, 7), "line 1,") << bad;
  }
  EXPECT_EQ(InRow(R"("t": "\ud83d\ude00\u0000")"), "ok");
}

TEST(StrictJson, RefusesWhatIsNotJson) {
  EXPECT_EQ(Said("{\"rows\":[]} {}"),
            "line 1, column 13: not valid JSON: something follows its end");
  EXPECT_EQ(Said(""), "line 1, column 1: not valid JSON: it ends too early");
  EXPECT_EQ(Said("  \n"), "line 2, column 1: not valid JSON: it ends too early");
  EXPECT_EQ(Said("{\"rows\":[{\"t\":\"a"), "line 1, column 17: not valid JSON: it ends too early");
  EXPECT_EQ(Said("{\"rows\":\n [{\"more\": nonsense}]}"),
            "line 2, column 12: not valid JSON: a value is missing or wrong");
  EXPECT_EQ(Said("{\"rows\":[\0]}"s).substr(0, 18), "line 1, column 10:");
  EXPECT_EQ(Said("{\"rows\":[{\"x\": 1\0}]}"s).substr(0, 18), "line 1, column 16:");
  for (const char* bad : {R"("more": 01)",
                          R"("more": 1.)",
                          R"("more": [1 2])",
                          R"("more": [1,,2])",
                          R"("more": [,])",
                          R"("more": [1,])",
                          R"("more": {"a" 1})",
                          R"("more": {"a": 1,})",
                          R"("more": {1: 1})",
                          R"("more": {"a": })",
                          R"("more": tru)",
                          R"("more": nul)",
                          R"("more": NaN)",
                          R"("more")",
                          R"("more": "a)",
                          R"("x": 1,)",
                          R"("x": 1 "t": "a")",
                          R"(,"x": 1)",
                          R"(x: 1)",
                          R"("x" 1)",
                          R"("x": -)",
                          R"("x": Infinity)",
                          R"("t": 'a')",
                          R"("l": [[1], )",
                          R"("l": [[1}])",
                          R"("more": [}])",
                          R"("x": 1}, )",
                          R"("x": 1]})",
                          R"("more": /* no */ 1)",
                          "\"more\": \"a\nb\""}) {
    EXPECT_NE(InRow(bad), "ok") << bad;
  }
  EXPECT_EQ(InRow(R"("more": [1e999, -0, 99999999999999999999, {}, [], "", null, true, 1E-2])"),
            "ok");
}

TEST(StrictJson, IsBoundedInDepth) {
  const auto nested = [](const std::string& key, size_t levels) {
    return fmt::format("\"{}\": {}{}", key, std::string(levels, '['), std::string(levels, ']'));
  };
  EXPECT_EQ(InRow(nested("more", 197)), "ok");
  EXPECT_NE(InRow(nested("more", 198)).find("nested deeper than 200 levels"), std::string::npos);
  EXPECT_NE(InRow(nested("more", 1'000'000)).find("nested deeper than 200 levels"),
            std::string::npos);
  EXPECT_EQ(InRow(nested("l", 2)), "ok");
  EXPECT_EQ(InRow(nested("l", 100'000)).substr(0, 17), "row 1, column \"l\"");
  EXPECT_NE(Said(std::string(1'000'000, '[')), "ok");
  std::string objects = "{\"rows\":[{\"more\":";
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_NE(Said(objects + "1" + std::string(100'002, '}')), "ok");
}

// Whatever is cut off, swapped or flipped: rows or a fault, and nothing else.
TEST(StrictJson, SurvivesDamage) {
  const std::string good =
      R"({"more": {"a": [1, "\u00e9", {"b": null}]}, "rows": [{"x": 1.5e3, "t": "a\n", )"
      R"("l": [[1, 2], [], null]}, {"t": "ü", "more": [[true, false], -0.5], "l": [], "x": 7}]})";
  ASSERT_EQ(Said(good), "ok");
  for (size_t end = 0; end < good.size(); ++end) EXPECT_NE(Said(good.substr(0, end)), "ok") << end;
  std::mt19937 random(3);
  constexpr std::string_view kOften = "{}[]:,\"\\ 0e-.nt\0\xff";
  for (int i = 0; i < 50'000; ++i) {
    std::string body = good;
    for (int k = 0; k <= i % 5; ++k) {
      char& at = body[random() % body.size()];
      at = i % 2 == 0 ? char(random()) : kOften[random() % kOften.size()];
    }
    if (i % 7 == 0) std::swap(body[random() % body.size()], body[random() % body.size()]);
    if (i % 11 == 0) body.insert(random() % body.size(), body.substr(random() % body.size(), 30));
    EXPECT_NE(Said(body), "an invalid batch") << body;
  }
}

// Of this thread's own work, however busy the machine is.
double WorkSeconds() {
  timespec now{};
  EXPECT_EQ(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// The fastest of three.
double Seconds(const std::string& body) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < 3; ++i) {
    const double begun = WorkSeconds();
    Said(body);
    least = std::min(least, WorkSeconds() - begun);
  }
  return least;
}

// A text four times as long takes four times as long, not sixteen.
TEST(StrictJson, TakesTimeByItsLength) {
  const auto many = [](const std::string& each, int64_t times) {
    std::string all;
    for (int64_t i = 0; i < times; ++i) all += (i > 0 ? "," : "") + each;
    return all;
  };
  const auto keys = [](int64_t times) {
    std::string all;
    for (int64_t i = 0; i < times; ++i) all += fmt::format("{}\"k{}\":0", i > 0 ? "," : "", i);
    return all;
  };
  const std::pair<const char*, std::function<std::string(int64_t)>> bodies[] = {
      {"empty rows", [&](int64_t n) { return "{\"rows\":[" + many("{}", n) + "]}"; }},
      {"rows of one cell", [&](int64_t n) { return "{\"rows\":[" + many("{\"x\":0}", n) + "]}"; }},
      {"no rows", [&](int64_t n) { return "{\"rows\":[" + many("0", n) + "]}"; }},
      {"keys of a row", [&](int64_t n) { return "{\"rows\":[{" + keys(n) + "}]}"; }},
      {"keys of a body", [&](int64_t n) { return "{" + keys(n) + ",\"rows\":[]}"; }},
      {"keys of what is skipped",
       [&](int64_t n) { return "{\"more\":{" + keys(n) + "},\"rows\":[]}"; }},
      {"values skipped", [&](int64_t n) { return "{\"a\":[" + many("[]", n) + "],\"rows\":[]}"; }},
      {"cells of a list",
       [&](int64_t n) { return "{\"rows\":[{\"l\":[" + many("[]", n) + "]}]}"; }},
      {"a column", [&](int64_t n) { return "{\"columns\":{\"x\":[" + many("0", n) + "]}}"; }},
      {"spaces before a mistake",
       [&](int64_t n) { return "{\"rows\":[{\"x\":[" + std::string(size_t(n), ' ') + "]}]}"; }},
      {"digits",
       [&](int64_t n) { return "{\"rows\":[{\"x\":0." + std::string(size_t(n), '1') + "}]}"; }}};
  for (const auto& [what, body] : bodies) {
    const double small = Seconds(body(100'000)), large = Seconds(body(400'000));
    EXPECT_LT(large, 10 * small + 0.02) << what << ": " << small << " s, " << large << " s";
  }
}

// The time to find a column does not depend on how many there are.
TEST(StrictJson, FindsColumnsAmongMany) {
  const auto seconds = [](int number) {
    arrow::FieldVector fields;
    std::string row;
    for (int i = 0; i < number; ++i) {
      fields.push_back(arrow::field(fmt::format("c{}", i), arrow::int64()));
      // In reverse order.
      row += fmt::format("{}\"c{}\":{}", i > 0 ? "," : "", number - 1 - i, i);
    }
    const arrow::Schema schema(fields);
    const std::string body = "{\"rows\":[{" + row + "},{" + row + "}]}";
    const double begun = WorkSeconds();
    EXPECT_TRUE(ReadJsonRows(body, schema, 2).ok());
    return WorkSeconds() - begun;
  };
  const double few = seconds(10'000), many = seconds(40'000);
  EXPECT_LT(many, 10 * few + 0.05) << few << " s, " << many << " s";
}

}  // namespace
}  // namespace protium
