// SPDX-License-Identifier: Apache-2.0
#include "c/options.h"

#include "base/fault.h"
#include "protium/fields.h"

namespace protium {
namespace {

Result<Json> ReadText(const std::string& text, const std::string& what) {
  const Result<Json> json = ParseJson(text);
  if (json.ok()) return json;
  return Fail(
      {.exit = Exit::kUsage, .what = what + " are not JSON", .why = FaultOf(json.status()).what});
}

}  // namespace

Result<Json> ReadOptions(const std::string& text) {
  if (text.empty()) return Json::object();
  return ReadText(text, "the options");
}

Result<std::vector<std::string>> ReadNames(const std::string& text, const std::string& what) {
  PT_LET(const Json json, ReadText(text, what));
  std::vector<std::string> names;
  PT_TRY(fields::Read(json, what, names));
  return names;
}

}  // namespace protium
