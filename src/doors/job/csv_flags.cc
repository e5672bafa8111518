// SPDX-License-Identifier: Apache-2.0
#include "job/csv_flags.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/fault.h"
#include "column/source.h"
#include "job/settings.h"

namespace protium {
namespace {

// Writes a value as TOML; objects are inline tables.
std::string TomlOf(const Json& value) {
  if (!value.is_object()) return Dump(value);
  std::string text;
  for (const auto& [key, each] : value.items()) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", Dump(Json(key)), Dump(each));
  }
  return "{ " + text + " }";
}

// An unquoted text may look like another value: --csv null=0.
Json Typed(const Assignment& read, const Json& usual) {
  const bool text = usual.value(read.path, Json()).is_string();
  return text && !read.value.is_string() ? Json(read.text) : read.value;
}

}  // namespace

Flag DelimiterFlag() {
  return {"--delimiter", "C", "the delimiter of a CSV file (,), or auto", ""};
}

Flag CsvFlag() {
  return {"--csv", "KEY=VALUE", "an option of CSV: header=false, trim=true; may be repeated", ""};
}

Result<CsvGiven> ReadCsvFlags(const Arguments& arguments) {
  Json given = Json::object();
  const Json usual = FieldsToJson(CsvOptions{});
  for (const std::string& words : arguments.Values("--csv")) {
    Result<Assignment> read = ReadAssignment(words);
    if (!read.ok()) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("--csv needs KEY=VALUE, got \"{}\"", words),
                   .fix = "for example --csv header=false"});
    }
    given[read->path] = Typed(*read, usual);
  }
  if (arguments.Has("--null")) given["null"] = Json(arguments.Values("--null"));
  if (arguments.Has("--delimiter")) given["delimiter"] = arguments.Value("--delimiter");
  CsvGiven out;
  PT_TRY(FieldsFromJson(given, "--csv", out.options));
  for (const auto& [key, value] : given.items()) out.said.insert(key);
  return out;
}

std::vector<std::string> OptionsSaid(const CsvOptions& options) {
  const Json usual = FieldsToJson(CsvOptions{}), given = FieldsToJson(options);
  std::vector<std::string> said;
  for (const auto& [key, value] : given.items()) {
    if (value != usual.value(key, Json())) said.push_back(key + " = " + TomlOf(value));
  }
  return said;
}

}  // namespace protium
