// SPDX-License-Identifier: Apache-2.0
#include "reference/sql_functions.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "base/unknown_name.h"
#include "sql_words/known_functions.h"
#include "terminal/text_table.h"

namespace protium {

namespace {

constexpr size_t kNamesWidth = 96;  // Of the lists, with an indent of two.

// Lists the names of a theme, with a star if not exact: either the refused ones or the rest.
std::string ThemeText(const FunctionTheme& theme, bool refused) {
  std::string names;
  for (const KnownFunction* each : theme.functions) {
    if ((each->meaning == Meaning::kRefused) != refused) continue;
    names += (names.empty() ? "" : " ") + std::string(each->name);
    if (each->meaning == Meaning::kNotExact) names += "*";
  }
  if (names.empty()) return {};
  std::string text;
  for (const std::string& line : Wrapped(names, kNamesWidth)) text += "  " + line + "\n";
  return text;
}

Result<const KnownFunction*> Find(const std::string& name) {
  if (const KnownFunction* const known = FindKnownFunction(Lower(name))) return known;
  std::vector<std::string> names;
  for (const FunctionTheme& theme : KnownFunctions()) {
    for (const KnownFunction* each : theme.functions) names.emplace_back(each->name);
  }
  return UnknownName("function of SQL", name, names, "");
}

Json AsJson(const KnownFunction& function) {
  const char* const meanings[] = {"same", "not exact", "refused"};
  Json json = {{"name", function.name}, {"meaning", meanings[int(function.meaning)]}};
  if (!function.reason.empty()) json["reason"] = function.reason;
  if (!function.fix.empty()) json["fix"] = function.fix;
  return json;
}

}  // namespace

std::string SqlFunctionsText(const std::string& program) {
  std::string text = "functions of SQL, the same on every engine; * not exact\n";
  for (const FunctionTheme& theme : KnownFunctions()) {
    const std::string names = ThemeText(theme, false);
    if (!names.empty()) text += fmt::format("\n{}\n{}", theme.name, names);
  }
  std::string refused;
  for (const FunctionTheme& theme : KnownFunctions()) refused += ThemeText(theme, true);
  return text + "\nrefused\n" + refused +
         fmt::format(
             "\n{0} help sql NAME tells why, and what to write instead; {0} sql --help is about "
             "the command.\n",
             program);
}

Result<std::string> SqlFunctionText(const std::string& name) {
  PT_LET(const KnownFunction* function, Find(name));
  std::string text = std::string(function->name) + ": ";
  switch (function->meaning) {
    case Meaning::kSame:
      text += "the same on every engine\n";
      break;
    case Meaning::kNotExact:
      text += "not exact\n";
      break;
    case Meaning::kRefused:
      text += "refused\n";
      break;
  }
  if (!function->reason.empty()) text += fmt::format("  why: {}\n", function->reason);
  if (!function->fix.empty()) text += fmt::format("  fix: {}\n", function->fix);
  return text;
}

Json SqlFunctionsAsJson() {
  Json all = Json::array();
  for (const FunctionTheme& theme : KnownFunctions()) {
    for (const KnownFunction* each : theme.functions) all.push_back(AsJson(*each));
  }
  return all;
}

Result<Json> SqlFunctionAsJson(const std::string& name) {
  PT_LET(const KnownFunction* function, Find(name));
  return AsJson(*function);
}

}  // namespace protium
