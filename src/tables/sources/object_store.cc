// SPDX-License-Identifier: Apache-2.0
#include "sources/object_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "sources/password.h"

namespace protium {
namespace {

struct Scheme {
  std::string_view begin;
  std::string_view provider;
};
constexpr Scheme kSchemes[] = {
    {"s3://", "s3"}, {"gs://", "gcs"}, {"az://", "azure"}, {"abfss://", "azure"}};

const Scheme* SchemeOf(std::string_view place) {
  const auto* const found = std::ranges::find_if(
      kSchemes, [&](const Scheme& scheme) { return place.starts_with(scheme.begin); });
  return found == std::end(kSchemes) ? nullptr : found;
}

// The value of the first of these variables that is set; empty if none is.
std::string FirstSet(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

// The variables of each provider's own tools.
std::string SecretOfEnvironment(const std::string& provider, StoreAccess& access) {
  if (provider == "azure") {
    access.found = "the environment variable AZURE_STORAGE_CONNECTION_STRING";
    return FirstSet({"AZURE_STORAGE_CONNECTION_STRING"});
  }
  const bool google = provider == "gcs";
  access.found = google ? "the environment variables GCS_ACCESS_KEY_ID and GCS_SECRET_ACCESS_KEY"
                        : "the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  access.key = FirstSet({google ? "GCS_ACCESS_KEY_ID" : "AWS_ACCESS_KEY_ID"});
  if (!google) access.token = FirstSet({"AWS_SESSION_TOKEN"});
  return FirstSet({google ? "GCS_SECRET_ACCESS_KEY" : "AWS_SECRET_ACCESS_KEY"});
}

Status FindKey(const Connection& connection, StoreAccess& access) {
  access.anonymous = connection.key == "anonymous";
  if (access.anonymous) return Status::OK();
  const bool placed = !connection.password.env.empty() || !connection.password.file.empty();
  if (!connection.key.empty() && !placed) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the key " + connection.key + " comes without its secret",
                 .where = connection.url,
                 .fix = "add  password = { env = \"NAME\" }  to the connection"});
  }
  if (placed) {
    access.own_key = true;
    access.key = connection.key;
    access.found = DescribePlace(connection.password);
    PT_LET(access.secret, ReadPassword(connection.password));
    return Status::OK();
  }
  access.secret = SecretOfEnvironment(access.provider, access);
  if (!access.secret.empty()) return Status::OK();
  access.key.clear();
  access.found = "the files and services of its provider, since no environment variable has a key";
  return Status::OK();
}

void FindEndpoint(const Connection& connection, StoreAccess& access) {
  std::string url = connection.endpoint;
  if (url.empty() && access.provider == "s3") {
    url = FirstSet({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  }
  access.encrypted = !url.starts_with("http://");
  const size_t host = url.find("://");
  access.endpoint = host == url.npos ? url : url.substr(host + 3);
  while (access.endpoint.ends_with('/')) access.endpoint.pop_back();
}

// "s3://lake/a/b" has the bucket "s3://lake/".
std::string BucketOf(std::string_view place, const Scheme& scheme) {
  const size_t end = place.find('/', scheme.begin.size());
  return std::string(place.substr(0, end)) + "/";
}

// The connection whose URL begins the place, the longest of several; an empty one if there is none.
Connection StoreOf(const Source& source) {
  Connection found;
  for (const Connection& each : source.stores) {
    if (IsBelow(source.file, each.url) && each.url.size() > found.url.size()) found = each;
  }
  return found;
}

}  // namespace

bool IsObjectPlace(std::string_view place) { return SchemeOf(place) != nullptr; }

std::string_view ProviderOf(std::string_view place) {
  const Scheme* const scheme = SchemeOf(place);
  PT_CHECK(scheme != nullptr);
  return scheme->provider;
}

bool IsBelow(std::string_view place, std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return place.starts_with(url) && (place.size() == url.size() || place[url.size()] == '/');
}

Status CheckNoKeyIn(std::string_view place) {
  const Scheme* const scheme = SchemeOf(place);
  if (scheme == nullptr) return Status::OK();
  const std::string_view bucket =
      place.substr(0, std::min(place.size(), place.find('/', scheme->begin.size())));
  const size_t user = bucket.find('@');
  const bool before =
      user != bucket.npos && (scheme->begin != "abfss://" || bucket.find(':', 8) < user);
  const bool after = place.find("access_key") != place.npos || place.find("&sig=") != place.npos ||
                     place.find("?sig=") != place.npos;
  if (!before && !after) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the place at an object store holds a key",
               .fix = "leave it out, and say where it is: a connection with key, and password = { "
                      "env = \"NAME\" }"});
}

Result<StoreAccess> ReadStoreAccess(const Source& source) {
  const Scheme* const scheme = SchemeOf(source.file);
  PT_CHECK(scheme != nullptr);
  const Connection connection = StoreOf(source);
  StoreAccess access{.provider = std::string(scheme->provider)};
  access.connected = !connection.url.empty();
  access.scope = connection.url.empty() ? BucketOf(source.file, *scheme) : connection.url;
  if (!access.scope.ends_with('/')) access.scope += '/';
  PT_TRY(FindKey(connection, access));
  FindEndpoint(connection, access);
  access.region = connection.region;
  if (access.region.empty() && access.provider == "s3") {
    access.region = FirstSet({"AWS_REGION", "AWS_DEFAULT_REGION"});
  }
  return access;
}

}  // namespace protium
