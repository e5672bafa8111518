// SPDX-License-Identifier: Apache-2.0
#include "connect/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/fault.h"
#include "base/percent.h"
#include "base/text.h"

namespace protium {

namespace {

constexpr std::string_view kScheme = "sc://";
constexpr const char* kTokenVariable = "SPARK_CONNECT_AUTHENTICATE_TOKEN";

Status Refuse(std::string what, std::string fix = "sc://host:15002/;use_ssl=true;user_id=me") {
  return Fail({.exit = Exit::kUsage, .what = std::move(what), .fix = std::move(fix)});
}

// Whether the text may be a value of gRPC's HTTP/2 metadata; anything else makes gRPC abort the
// call.
bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// gRPC's rules for metadata: lower case, "grpc-" is reserved, and values of "-bin" are encoded.
bool IsHeaderName(std::string_view name) {
  const bool letters = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  return letters && !name.empty() && !name.starts_with("grpc-") && !name.ends_with("-bin");
}

// The server refuses any other session id.
bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !std::isxdigit(static_cast<unsigned char>(text[i]))) return false;
  }
  return true;
}

bool IsThisMachine(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Status ReadPort(std::string_view text, SparkAddress& address) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, address.port);
  if (read.ec == std::errc() && read.ptr == end && address.port >= 1 && address.port <= 65535) {
    return Status::OK();
  }
  return Refuse("the port of a Spark server must be 1 to 65535, got \"" + std::string(text) + "\"");
}

// Reads the part between sc:// and the first "/": host, host:port, [ipv6] or [ipv6]:port.
Status ReadPlace(std::string_view text, SparkAddress& address) {
  std::string_view rest;
  if (text.starts_with("[")) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return Refuse("\"]\" is missing in the Spark address");
    address.host = Lower(text.substr(1, close - 1));
    rest = text.substr(close + 1);
  } else {
    const size_t colon = text.find(':');
    address.host = Lower(text.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
    if (rest.find(':', 1) != std::string_view::npos) {
      return Refuse("the Spark address has several \":\"", "sc://[::1]:15002, for IPv6");
    }
  }
  if (address.host.empty() || !IsPrintable(address.host) ||
      address.host.find_first_of(" @/;?#") != std::string::npos) {
    return Refuse("the Spark address names no host, got \"" + std::string(text) + "\"");
  }
  if (rest.empty()) return Status::OK();
  if (rest.front() != ':') return Refuse("the Spark address continues after \"]\" without \":\"");
  return ReadPort(rest.substr(1), address);
}

// The parameters before they are combined: whether TLS is used depends on the token, which may come
// after it.
struct Parameters {
  std::optional<bool> tls;
  std::vector<std::string> seen;
};

Status ReadTls(const std::string& value, Parameters& parameters) {
  const std::string lower = Lower(value);
  if (lower != "true" && lower != "false") {
    return Refuse("use_ssl must be true or false, got \"" + value + "\"");
  }
  parameters.tls = lower == "true";
  return Status::OK();
}

Status ReadSessionId(const std::string& value, SparkAddress& address) {
  if (!IsUuid(value)) return Refuse("session_id must be a UUID, got \"" + value + "\"");
  address.session_id = Lower(value);
  return Status::OK();
}

// Any unknown parameter becomes a header, as in Spark's own clients.
Status ReadHeader(const std::string& key, std::string value, SparkAddress& address) {
  if (!IsHeaderName(Lower(key))) {
    return Refuse("\"" + key + "\" cannot be a parameter of the Spark address");
  }
  address.headers.emplace_back(Lower(key), std::move(value));
  return Status::OK();
}

Status ReadParameter(std::string_view text, SparkAddress& address, Parameters& parameters) {
  const size_t equals = text.find('=');
  const std::string key(text.substr(0, equals));
  if (equals == std::string_view::npos || key.empty() || equals + 1 == text.size()) {
    return Refuse("a parameter of the Spark address must be key=value, got \"" + key + "\"");
  }
  if (std::count(parameters.seen.begin(), parameters.seen.end(), key) > 0) {
    return Refuse(key + " occurs twice in the Spark address");
  }
  parameters.seen.push_back(key);
  auto value = PercentDecoded(text.substr(equals + 1));
  if (!value) return Refuse("the value of " + key + " has a \"%\" without two hexadecimal digits");
  if (!IsPrintable(*value)) {
    return Refuse("the value of " + key + " has characters that cannot be sent in a header");
  }
  if (key == "use_ssl") return ReadTls(*value, parameters);
  if (key == "session_id") return ReadSessionId(*value, address);
  if (key == "token") {
    address.token = std::move(*value);
  } else if (key == "user_id") {
    address.user_id = std::move(*value);
  } else if (key == "user_agent") {
    address.user_agent = std::move(*value);
  } else {
    return ReadHeader(key, std::move(*value), address);
  }
  return Status::OK();
}

// TLS is on if the address says so, or if there is a token for another machine; a token must not
// travel in plain text.
Status DecideTls(const Parameters& parameters, SparkAddress& address) {
  const bool local = IsThisMachine(address.host);
  address.tls = parameters.tls.value_or(!address.token.empty() && !local);
  if (address.token.empty() || address.tls || local) return Status::OK();
  return Refuse("use_ssl=false would send the token to " + address.host + " in plain text",
                "leave use_ssl out");
}

}  // namespace

std::string SparkAddress::target() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(ipv6 ? "[{}]:{}" : "{}:{}"), host, port);
}

std::string SparkAddress::shown() const {
  std::string text = std::string(kScheme) + target();
  std::string parameters;
  const auto add = [&](std::string_view key, std::string_view value) {
    parameters.append(";").append(key).append("=").append(value);
  };
  if (tls) add("use_ssl", "true");
  if (!token.empty()) add("token", "...");
  if (!user_id.empty()) add("user_id", user_id);
  if (!session_id.empty()) add("session_id", session_id);
  for (const auto& header : headers) add(header.first, "...");
  return parameters.empty() ? text : text + "/" + parameters;
}

Result<SparkAddress> ParseSparkAddress(std::string_view text, std::string_view default_token) {
  if (!text.starts_with(kScheme)) return Refuse("a Spark address begins with sc://");
  text.remove_prefix(kScheme.size());
  const size_t slash = text.find_first_of("/;");
  SparkAddress address;
  PT_TRY(ReadPlace(text.substr(0, slash), address));
  std::string_view rest = slash == std::string_view::npos ? "" : text.substr(slash);
  if (rest.starts_with(";")) {
    return Refuse("parameters of the Spark address must follow \"/;\"");
  }
  if (!rest.empty()) rest.remove_prefix(1);
  if (!rest.empty() && rest.front() != ';') {
    return Refuse("the Spark address has a path, got \"" +
                  std::string(rest.substr(0, rest.find(';'))) + "\"");
  }
  Parameters parameters;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const size_t next = std::min(rest.find(';'), rest.size());
    if (next > 0) PT_TRY(ReadParameter(rest.substr(0, next), address, parameters));
    rest.remove_prefix(next);
  }
  if (address.token.empty()) address.token = default_token;
  if (!IsPrintable(address.token)) {
    return Refuse("the token has characters that cannot be sent in a header",
                  fmt::format("check {}", kTokenVariable));
  }
  PT_TRY(DecideTls(parameters, address));
  return address;
}

Result<SparkAddress> ParseSparkAddress(std::string_view text) {
  const char* const token = std::getenv(kTokenVariable);
  return ParseSparkAddress(text, token == nullptr ? "" : token);
}

}  // namespace protium
