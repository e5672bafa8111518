// SPDX-License-Identifier: Apache-2.0
#include "objects/signature.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/hmac.h"
#include "base/text.h"

namespace protium {
namespace {

constexpr const char* kMethod = "AWS4-HMAC-SHA256";

std::string SignedNames(const S3Request& request) {
  std::string names;
  for (const auto& [name, value] : request.headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

// One spelling of the request, which both sides hash.
std::string Canonical(const S3Request& request) {
  std::string text = request.method + "\n" + request.path + "\n\n";
  for (const auto& [name, value] : request.headers) text += name + ":" + value + "\n";
  return text + "\n" + SignedNames(request) + "\n" + request.headers.at("x-amz-content-sha256");
}

}  // namespace

void SignRequest(const S3Access& access, std::string_view body, const std::string& time,
                 S3Request& request) {
  const std::string day = time.substr(0, 8);
  const std::string region = access.region.empty() ? "us-east-1" : access.region;
  request.headers["x-amz-date"] = time;
  request.headers["x-amz-content-sha256"] = Sha256Hex(body);
  if (!access.token.empty()) request.headers["x-amz-security-token"] = access.token;
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, region);
  const std::string text =
      fmt::format("{}\n{}\n{}\n{}", kMethod, time, scope, Sha256Hex(Canonical(request)));
  std::string key = "AWS4" + access.secret;
  for (const std::string_view part : {std::string_view(day), std::string_view(region),
                                      std::string_view("s3"), std::string_view("aws4_request")}) {
    key = HmacSha256(key, part);
  }
  request.headers["authorization"] =
      fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kMethod, access.key, scope,
                  SignedNames(request), Hex(HmacSha256(key, text)));
}

}  // namespace protium
