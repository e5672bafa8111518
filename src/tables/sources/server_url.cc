// SPDX-License-Identifier: Apache-2.0
#include "sources/server_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/nearest.h"

namespace protium {
namespace {

const std::vector<std::string>& Options() {
  static const std::vector<std::string> kOptions = {"sslmode", "sslrootcert", "sslcert", "sslkey",
                                                    "connect_timeout"};
  return kOptions;
}

Status RefuseUrl(std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage, .what = std::move(what), .fix = std::move(fix)});
}

// Takes the text before `mark` off `rest`; with none, all of it if `whole`, else nothing.
std::string_view TakeUntil(std::string_view& rest, char mark, bool whole) {
  const size_t at = rest.find(mark);
  if (at == rest.npos && !whole) return {};
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(at == rest.npos ? rest.size() : at + 1);
  return taken;
}

// Nothing of a text that cannot be decoded is repeated: it may be a password.
Result<std::string> Decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    const bool whole = i + 2 < text.size();
    if (!whole || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2 || value == 0) {
      return RefuseUrl("the URL of a connection has a % that two hexadecimal digits do not follow",
                       "write % as %25");
    }
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

Status ReadPort(std::string_view text, ServerUrl& url) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), url.port);
  if (error == std::errc() && end == text.data() + text.size() && url.port > 0 && url.port < 65536)
    return Status::OK();
  return RefuseUrl("the URL of a connection has a port that is not a number from 1 to 65535",
                   "write the URL as postgresql://user@host:5432/database");
}

// "host", "host:port", "[::1]:port".
Status ReadHost(std::string_view text, ServerUrl& url) {
  if (text.starts_with('[') && text.find(']') != text.npos) {
    url.host = std::string(text.substr(1, text.find(']') - 1));
    text.remove_prefix(text.find(']') + 1);
    return text.starts_with(':') ? ReadPort(text.substr(1), url) : Status::OK();
  }
  const size_t colon = text.find(':');
  PT_LET(url.host, Decoded(text.substr(0, colon)));
  return colon == text.npos ? Status::OK() : ReadPort(text.substr(colon + 1), url);
}

Status ReadUser(std::string_view text, ServerUrl& url) {
  if (text.find(':') != text.npos) {
    return RefuseUrl("the URL of a connection holds a password",
                     "leave it out, and say where it is: password = { env = \"SHOP_PASSWORD\" }");
  }
  PT_LET(url.user, Decoded(text));
  return Status::OK();
}

Status ReadOptions(std::string_view text, ServerUrl& url) {
  while (!text.empty()) {
    std::string_view value = TakeUntil(text, '&', true);
    PT_LET(const std::string name, Decoded(TakeUntil(value, '=', true)));
    if (std::ranges::find(Options(), name) == Options().end()) {
      return RefuseUrl(fmt::format("the URL of a connection has the option \"{}\"", name),
                       Suggest(name, Options()));
    }
    PT_LET(std::string decoded, Decoded(value));
    url.options.emplace_back(name, std::move(decoded));
  }
  return Status::OK();
}

}  // namespace

Result<ServerUrl> ReadServerUrl(std::string_view text) {
  const size_t scheme = text.find("://");
  ServerUrl url{.scheme = std::string(text.substr(0, scheme == text.npos ? 0 : scheme))};
  if (url.scheme == "postgres") url.scheme = "postgresql";
  if (url.scheme != "postgresql" && url.scheme != "mysql") {
    return RefuseUrl("the URL of a connection begins with neither postgresql:// nor mysql://",
                     "write the URL as postgresql://user@host:5432/database");
  }
  text.remove_prefix(scheme + 3);
  std::string_view rest = TakeUntil(text, '?', true);
  PT_TRY(ReadOptions(text, url));
  std::string_view server = TakeUntil(rest, '/', true);
  const size_t at = server.rfind('@');
  if (at != server.npos) {
    PT_TRY(ReadUser(server.substr(0, at), url));
    server.remove_prefix(at + 1);
  }
  PT_TRY(ReadHost(server, url));
  PT_LET(url.database, Decoded(rest));
  if (!url.host.empty() && !url.database.empty()) return url;
  return RefuseUrl(
      fmt::format("the URL of a connection names no {}", url.host.empty() ? "host" : "database"),
      fmt::format("write the URL as {}://user@host/database", url.scheme));
}

std::string ShowUrl(const ServerUrl& url) {
  const bool six = url.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}{}/{}", url.scheme, url.user, url.user.empty() ? "" : "@",
                     six ? "[" + url.host + "]" : url.host,
                     url.port == 0 ? "" : fmt::format(":{}", url.port), url.database);
}

}  // namespace protium
