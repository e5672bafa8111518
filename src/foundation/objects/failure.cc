// SPDX-License-Identifier: Apache-2.0
#include "objects/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/fault.h"
#include "base/mentions.h"
#include "objects/azure.h"

namespace protium {

namespace {

constexpr std::string_view kFault = "protium::Fault";

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string EndpointOf(const ObjectPlace& place) {
  if (place.kind() == "gs") return "Google Cloud Storage";
  if (place.kind() == "abfs") return "Azure";
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}) {
    const std::string value = Environment(name);
    // A password may precede an "@".
    if (!value.empty()) {
      return value.find('@') == value.npos ? fmt::format("{} ({})", value, name) : name;
    }
  }
  return "Amazon S3";
}

// The store's own words without what follows them: request numbers, signatures and keys.
std::string Words(std::string text) {
  for (const std::string_view end :
       {" (Request ID", " (AccessKey", "; Details:", " Detail:", "\n"}) {
    if (const size_t at = text.find(end); at != text.npos) text.resize(at);
  }
  if (const size_t at = text.find("AWS Error "); at != text.npos) text.erase(0, at);
  return text.substr(0, 300);
}

Fault Explained(const std::string& text, std::string_view doing, const ObjectPlace& place) {
  const std::string what = fmt::format("cannot {} {}", doing, place.text());
  const std::string source = CredentialSource(place);
  if (Mentions(text, {"NO_SUCH_BUCKET", "NoSuchBucket", "ContainerNotFound",
                      "The specified bucket does not exist"})) {
    return {.what = what + ": there is no such bucket at " + EndpointOf(place),
            .fix = "make the bucket, or correct the address"};
  }
  if (Mentions(text, {"OAuth2 access token", "Failed to get token", "AuthenticationException"})) {
    return {.what = what + ": there are no credentials", .why = "they are looked for in " + source};
  }
  if (Mentions(text, {"INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "InvalidAccessKeyId",
                      "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "UNAUTHENTICATED",
                      "AuthenticationFailed", "InvalidClientTokenId"})) {
    return {.what = what + ": the credentials are refused", .why = "they are from " + source};
  }
  if (Mentions(text,
               {"ACCESS_DENIED", "AccessDenied", "PERMISSION_DENIED", "HTTP status 403",
                "HTTP status 401", "AuthorizationFailure", "AuthorizationPermissionMismatch"})) {
    return {.what = what + ": access is denied", .why = "the credentials are from " + source};
  }
  if (Mentions(text, {"NETWORK_CONNECTION", "curlCode", "Could not connect", "Could not resolve",
                      "Fail to get a new connection", "UNAVAILABLE"})) {
    return {.what = what + ": " + EndpointOf(place) + " does not answer", .why = Words(text)};
  }
  if (Mentions(text, {"SLOW_DOWN", "SlowDown", "SERVICE_UNAVAILABLE", "HTTP status 503",
                      "HTTP status 500", "HTTP status 429", "INTERNAL_FAILURE", "ServerBusy",
                      "REQUEST_LIMIT_EXCEEDED", "THROTTLING"})) {
    return {.what = what + ": " + EndpointOf(place) + " is too busy, after several tries",
            .why = Words(text)};
  }
  return {.what = what, .why = Words(text)};
}

}  // namespace

std::string CredentialSource(const ObjectPlace& place) {
  const std::string_view kind = place.kind();
  if (kind == "gs") {
    const bool file = !Environment("GOOGLE_APPLICATION_CREDENTIALS").empty();
    return file ? "the file of GOOGLE_APPLICATION_CREDENTIALS" : "Google's default credentials";
  }
  if (kind == "abfs") {
    return AzureAccessFor(place) ? fmt::format("{} of the environment", kAzureConnection)
                                 : "Azure's default credentials";
  }
  if (!Environment("AWS_ACCESS_KEY_ID").empty()) return "AWS_ACCESS_KEY_ID of the environment";
  const std::string profile = Environment("AWS_PROFILE");
  if (!profile.empty()) return fmt::format("the profile \"{}\" (AWS_PROFILE)", profile);
  return "AWS's standard places: neither AWS_ACCESS_KEY_ID nor AWS_PROFILE is set";
}

Status ObjectFault(const Status& status, std::string_view doing, const ObjectPlace& place) {
  const bool ours = status.detail() != nullptr && status.detail()->type_id() == kFault;
  if (status.ok() || ours) return status;
  Fault fault = Explained(status.message(), doing, place);
  fault.exit = Exit::kRemote;
  return Fail(std::move(fault));
}

}  // namespace protium
