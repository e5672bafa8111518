// SPDX-License-Identifier: Apache-2.0
#include "objects/azure.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace protium {
namespace {

// "a" of "AccountName=a;AccountKey=..."; keys end with "=" themselves.
std::string_view ValueIn(std::string_view connection, std::string_view name) {
  while (!connection.empty()) {
    const std::string_view pair = connection.substr(0, connection.find(';'));
    connection.remove_prefix(std::min(connection.size(), pair.size() + 1));
    const size_t equals = pair.find('=');
    if (equals != pair.npos && pair.substr(0, equals) == name) return pair.substr(equals + 1);
  }
  return {};
}

// Azure's client throws at any other, in whatever thread signs a request.
bool IsBase64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '+' || c == '/';
  });
}

// "127.0.0.1:10000" of "http://127.0.0.1:10000/shop".
std::string_view HostIn(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme != url.npos) url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/'));
}

}  // namespace

std::optional<AzureAccess> ReadAzureAccess(const ObjectPlace& place, std::string_view connection) {
  std::string_view rest = place.text();  // abfss://container@account.host/folder
  rest.remove_prefix(rest.find("://") + 3);
  const std::string_view head = rest.substr(0, rest.find('/'));
  const size_t at = head.find('@');
  const std::string_view account = ValueIn(connection, "AccountName");
  const std::string_view key = ValueIn(connection, "AccountKey");
  if (at == head.npos || account.empty() || !IsBase64(key) || key.size() % 4 != 0) return {};
  if (!head.substr(at + 1).starts_with(std::string(account) + ".")) return {};
  const std::string_view url = ValueIn(connection, "BlobEndpoint");
  const std::string_view host = HostIn(url);
  const bool own = host.starts_with(std::string(account) + ".blob.");
  return AzureAccess{
      .account = std::string(account),
      .key = std::string(key),
      .endpoint = std::string(own ? "" : host),
      .encrypted = !url.starts_with("http://"),
      .path = std::string(head.substr(0, at)) + std::string(rest.substr(head.size()))};
}

std::optional<AzureAccess> AzureAccessFor(const ObjectPlace& place) {
  const char* const connection = std::getenv(kAzureConnection);
  return connection == nullptr ? std::nullopt : ReadAzureAccess(place, connection);
}

}  // namespace protium
