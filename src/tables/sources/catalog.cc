// SPDX-License-Identifier: Apache-2.0
#include "sources/catalog.h"

#include <fmt/format.h>

#include <cctype>

#include "sources/source_name.h"

namespace protium {
namespace {

constexpr std::string_view kRest = "rest://", kHttps = "https://", kHttp = "http://";
constexpr std::string_view kWarehouse = "warehouse=";

struct CatalogUrl {
  std::string base;       // With a scheme, without a slash at its end.
  std::string warehouse;  // As it is written, percent-encoded.
};

CatalogUrl Split(std::string_view url) {
  const size_t question = url.find('?');
  CatalogUrl parts;
  if (question != url.npos) {
    const std::string_view options = url.substr(question + 1);
    if (options.starts_with(kWarehouse)) parts.warehouse = options.substr(kWarehouse.size());
    url = url.substr(0, question);
  }
  while (url.ends_with('/')) url.remove_suffix(1);
  parts.base = url.starts_with(kRest) ? std::string(kHttps).append(url.substr(kRest.size()))
                                      : std::string(url);
  return parts;
}

std::string Encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

Status RefuseCatalog(std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage, .what = std::move(what), .fix = std::move(fix)});
}

}  // namespace

bool IsCatalogUrl(std::string_view url) {
  return url.starts_with(kHttp) || url.starts_with(kHttps) || url.starts_with(kRest);
}

Status CheckCatalogUrl(std::string_view url) {
  constexpr const char* kForm = "write the URL as https://host/path?warehouse=NAME";
  if (!IsCatalogUrl(url)) {
    return RefuseCatalog("the URL of a catalogue does not begin with https://", kForm);
  }
  const size_t head = url.find("://") + 3;
  if (url.substr(0, url.find('/', head)).find('@') != url.npos) {
    return RefuseCatalog("the URL of a catalogue holds a password",
                         "leave it out, and say where its token is: password = { env = \"NAME\" }");
  }
  const size_t question = url.find('?');
  const bool known = question == url.npos || (url.substr(question + 1).starts_with(kWarehouse) &&
                                              url.find('&') == url.npos);
  if (!known)
    return RefuseCatalog("the URL of a catalogue has options that it does not take", kForm);
  return Status::OK();
}

std::string ShowCatalogUrl(std::string_view url) { return Split(url).base; }

bool IsOfCatalog(const Source& source) {
  return source.kind == SourceKind::kIceberg && source.file.empty() &&
         !source.connection.url.empty();
}

std::string ConfigAddress(std::string_view url) {
  const CatalogUrl parts = Split(url);
  const std::string config = parts.base + "/v1/config";
  return parts.warehouse.empty() ? config : config + "?warehouse=" + parts.warehouse;
}

// The parts of a namespace are separated by the unit separator, %1F.
std::string TableAddress(std::string_view url, std::string_view prefix, std::string_view table) {
  std::string spaces, name;
  for (const std::string& part : NameParts(table)) {
    if (!name.empty()) spaces += (spaces.empty() ? "" : "%1F") + name;
    name = Encoded(part);
  }
  return fmt::format("{}/v1/{}{}namespaces/{}/tables/{}", Split(url).base, prefix,
                     prefix.empty() ? "" : "/", spaces, name);
}

}  // namespace protium
