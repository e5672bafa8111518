// SPDX-License-Identifier: Apache-2.0
#include "sources/web_url.h"

#include "base/fault.h"
#include "base/percent.h"
#include "base/web_address.h"

namespace protium {
namespace {

constexpr const char* kExample = "\"https://user@host:8081\"";

Status RefuseWebUrl(std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage, .what = std::move(what), .fix = std::move(fix)});
}

}  // namespace

Result<WebUrl> ReadWebUrl(std::string_view text) {
  const size_t scheme = text.find("://");
  const size_t host = scheme == text.npos ? 0 : scheme + 3;
  const size_t slash = std::min(text.find('/', host), text.size());
  const size_t at = text.substr(0, slash).rfind('@');
  WebUrl url;
  std::string plain(text);
  if (at != text.npos) {
    const std::string_view user = text.substr(host, at - host);
    if (user.find(':') != user.npos) {
      return RefuseWebUrl("the URL holds a password",
                          "leave it out, and say where it is: password = { env = \"NAME\" }");
    }
    const auto decoded = PercentDecoded(user);
    if (!decoded) return RefuseWebUrl("the user in the URL is not written as URLs are", kExample);
    url.user = *decoded;
    plain.erase(host, at + 1 - host);
  }
  while (plain.ends_with('/')) plain.pop_back();
  if (!IsWebAddress(plain) || plain.find_first_of("?#") != plain.npos) {
    return RefuseWebUrl("\"" + plain + "\" is no URL of a service", kExample);
  }
  const size_t path = std::min(plain.find('/', host), plain.size());
  url.server = plain.substr(0, path);
  url.path = plain.substr(path);
  return url;
}

}  // namespace protium
