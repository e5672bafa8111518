// SPDX-License-Identifier: Apache-2.0
#include "pool/quotas.h"

#include <sstream>

#include "base/fault.h"
#include "base/text.h"
#include "base/units.h"
#include "pool/shares.h"

namespace protium {
namespace {

Status Refused(const std::string& text, std::string why) {
  return Fail({.exit = Exit::kUsage,
               .what = "--quota " + text + " is no label with what is guaranteed to it",
               .why = std::move(why),
               .fix = "write it as --quota nightly=2, or nightly=cores:2,memory:8GiB"});
}

// One of "cores:2" and "memory:8GiB"; returns why it is none.
std::string AddPart(const std::string& part, Amount& amount) {
  const size_t colon = part.find(':');
  const std::string name = part.substr(0, colon);
  const std::string value = colon == part.npos ? "" : part.substr(colon + 1);
  if (name == "cores") {
    const auto cores = AllAsNumber<int32_t>(value);
    if (!cores || *cores <= 0 || amount.cores > 0) return "cores:N is said once, and N is above 0";
    amount.cores = *cores;
    return {};
  }
  if (name == "memory") {
    const auto bytes = ReadBytes(value);
    if (!bytes.ok() || *bytes <= 0 || amount.bytes > 0) {
      return "memory:SIZE is said once, such as memory:8GiB";
    }
    amount.bytes = *bytes;
    return {};
  }
  if (name == "devices") return "the pool gives out no devices: gangs lease them from the machine";
  return "it has no \"" + name + "\"";
}

}  // namespace

Status AddQuota(const std::string& text, Quotas& quotas) {
  const size_t sign = text.rfind('=');
  if (sign == text.npos || sign == 0) return Refused(text, "");
  const std::string value = text.substr(sign + 1);
  Amount amount;
  if (const auto cores = AllAsNumber<int32_t>(value)) {
    if (*cores <= 0) return Refused(text, "");
    amount.cores = *cores;
  } else {
    std::istringstream parts(value);
    for (std::string part; std::getline(parts, part, ',');) {
      const std::string why = AddPart(part, amount);
      if (!why.empty()) return Refused(text, why);
    }
    if (amount.cores == 0) return Refused(text, "every worker takes cores, so it needs some");
  }
  quotas[text.substr(0, sign)] = amount;
  return Status::OK();
}

Json QuotasToJson(const Quotas& quotas) {
  Json json = Json::object();
  for (const auto& [label, amount] : quotas) {
    json[label] = {{"cores", amount.cores}, {"bytes", amount.bytes}};
  }
  return json;
}

Quotas QuotasFromJson(const Json& json) {
  Quotas quotas;
  if (!json.is_object()) return quotas;
  for (const auto& [label, value] : json.items()) {
    const int64_t alone = WholeAt(json, label);
    quotas[label] = {.cores = value.is_object() ? WholeAt(value, "cores") : alone,
                     .bytes = value.is_object() ? WholeAt(value, "bytes") : 0};
  }
  return quotas;
}

}  // namespace protium
