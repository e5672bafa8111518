// SPDX-License-Identifier: Apache-2.0
// Spark's 300 most used functions: functions.csv lists for each the case that uses it, or that it
// is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cases.h"
#include "os/file.h"
#include "sql_words/known_functions.h"

namespace protium {
namespace {

struct Listed {
  std::string name, answered, asked;
};

std::vector<Listed> ReadList() {
  std::vector<Listed> list;
  std::istringstream lines(ReadFile(kFolder / "functions.csv").ValueOr(""));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const size_t last = line.rfind(','), first = line.rfind(',', last - 1);
    list.push_back(
        {line.substr(0, first), line.substr(first + 1, last - first - 1), line.substr(last + 1)});
  }
  return list;
}

std::string InCapitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

TEST(ListedFunctions, AreThreeHundredOfWhichNearlyAllAreAnsweredAlike) {
  const std::vector<Listed> list = ReadList();
  std::set<std::string> names;
  int alike = 0;
  for (const Listed& each : list) {
    names.insert(each.name);
    alike += each.answered == "alike" ? 1 : 0;
  }
  EXPECT_EQ(names.size(), list.size());
  EXPECT_EQ(list.size(), 300u);
  EXPECT_GE(alike, 270);
}

TEST(ListedFunctions, AreAskedForInACaseOrRefusedForAReason) {
  for (const Listed& each : ReadList()) {
    const KnownFunction* const known = FindKnownFunction(each.name);
    if (each.answered == "refused") {
      ASSERT_NE(known, nullptr) << each.name;
      EXPECT_EQ(known->meaning, Meaning::kRefused) << each.name;
      EXPECT_FALSE(known->reason.empty()) << each.name;
      continue;
    }
    EXPECT_EQ(each.answered, "alike") << each.name;
    if (known != nullptr) {
      EXPECT_NE(known->meaning, Meaning::kRefused) << each.name;
    }
    const auto sql = ReadFile(kFolder / "cases" / (each.asked + ".sql"));
    ASSERT_TRUE(sql.ok()) << each.name << ": " << sql.status();
    EXPECT_EQ(sql->find("-- refused"), std::string::npos) << each.name;
    EXPECT_NE(InCapitals(*sql).find(InCapitals(each.name)), std::string::npos) << each.name;
  }
}

}  // namespace
}  // namespace protium
