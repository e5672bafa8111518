// SPDX-License-Identifier: Apache-2.0
#include "engine/address.h"

#include <algorithm>
#include <charconv>

#include "base/fault.h"
#include "engine/kind.h"

namespace protium {
namespace {

bool IsShown(const EngineKind& kind, std::string_view parameter) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  return name.size() < parameter.size() && std::ranges::count(kind.shown_parameters, name) > 0;
}

std::string WithoutSecrets(const EngineKind& kind, std::string_view text) {
  const size_t begin = text.find(kind.scheme);
  const size_t first = begin == std::string_view::npos ? begin : text.find(';', begin);
  if (first == std::string_view::npos) return std::string(text);
  std::string shown(text.substr(0, first));
  for (size_t at = first; at < text.size();) {
    const size_t end = std::min(text.find(';', at + 1), text.size());
    if (IsShown(kind, text.substr(at + 1, end - at - 1))) shown += text.substr(at, end - at);
    at = end;
  }
  return shown;
}

std::string EngineExamples() {
  std::string all;
  for (const EngineKind& kind : EngineKinds()) {
    all += (all.empty() ? "" : &kind == &EngineKinds().back() ? ", or " : ", ");
    all += kind.example;
  }
  return all;
}

}  // namespace

std::string WithoutSecrets(std::string_view text) {
  std::string shown(text);
  for (const EngineKind& kind : EngineKinds()) {
    if (!kind.shown_parameters.empty()) shown = WithoutSecrets(kind, shown);
  }
  return shown;
}

Json JsonWithoutSecrets(Json json) {
  if (json.is_string()) return WithoutSecrets(std::string_view(json.get_ref<std::string&>()));
  if (json.is_structured()) {
    for (Json& each : json) each = JsonWithoutSecrets(std::move(each));
  }
  return json;
}

Result<int32_t> SeatsOf(const std::string& address) {
  if (address == "local") return 0;
  constexpr std::string_view kOpen = "local[";
  int32_t seats = 0;
  if (address.starts_with(kOpen) && address.ends_with("]")) {
    const char* const end = address.data() + address.size() - 1;
    const auto read = std::from_chars(address.data() + kOpen.size(), end, seats);
    if (read.ec == std::errc() && read.ptr == end && seats >= 1) return seats;
  }
  return Fail({.exit = Exit::kUsage,
               .what = "unknown engine \"" + address + "\"",
               .fix = "use " + EngineExamples()});
}

}  // namespace protium
