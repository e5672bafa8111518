// SPDX-License-Identifier: Apache-2.0
// Parts of addresses as divided by java.net.URI, which Spark's parse_url() uses (RFC 2396), and
// text encoded for use in addresses.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/code_points.h"

namespace protium {
namespace {

// As java.net.URLEncoder with UTF-8: application/x-www-form-urlencoded, where a space is a plus.
std::optional<std::string> UrlEncode(Chunk&, Text text) {
  constexpr std::string_view kKept =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*-._";
  std::string encoded;
  for (const char c : text) {
    if (c == ' ') {
      encoded += '+';
    } else if (kKept.find(c) != Text::npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Whether two hexadecimal digits follow a % at `at`.
bool IsEscape(Text text, size_t at) {
  return at + 2 < text.size() && HexDigit(text[at + 1]) >= 0 && HexDigit(text[at + 2]) >= 0;
}

// False if the text is not encoded this way. The bytes need not be UTF-8.
bool Decode(Text text, std::string& decoded) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (!IsEscape(text, i)) return false;
    decoded += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
    i += 2;
  }
  return true;
}

// Java puts U+FFFD for bytes that are not UTF-8; DuckDB would store NULL.
std::optional<std::string> CheckDecoded(Chunk& chunk, Text text, std::string decoded) {
  if (IsUtf8(decoded)) return decoded;
  chunk.error = fmt::format("the URL holds bytes that are not UTF-8: '{}'", text.substr(0, 80));
  return std::nullopt;
}

std::optional<std::string> UrlDecode(Chunk& chunk, Text text) {
  std::string decoded;
  if (Decode(text, decoded)) return CheckDecoded(chunk, text, std::move(decoded));
  chunk.error = fmt::format("not an encoded URL: '{}'", text.substr(0, 80));
  return std::nullopt;
}

std::optional<std::string> TryUrlDecode(Chunk& chunk, Text text) {
  std::string decoded;
  if (!Decode(text, decoded)) return std::nullopt;
  return CheckDecoded(chunk, text, std::move(decoded));
}

constexpr std::string_view kUnreserved = "_-!.~'()*";

bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }

// Whether the text contains only letters, digits, marks, escapes, characters beyond ASCII and those
// in `more`.
bool IsMadeOf(Text text, std::string_view more) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool allowed = IsAlphanumeric(c) || static_cast<unsigned char>(c) >= 0x80 ||
                         kUnreserved.find(c) != Text::npos || more.find(c) != Text::npos ||
                         (c == '%' && IsEscape(text, i));
    if (!allowed) return false;
  }
  return true;
}

// The parts of an address as written; those that are missing are nothing.
struct Address {
  std::optional<Text> scheme, authority, user, host, path, query, fragment;
};

// Names of letters, digits and hyphens, the last of which begins with a letter; or four numbers.
bool IsHost(Text host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) return false;
  size_t labels = 0;
  bool numbers = true;
  Text last;
  for (size_t at = 0; at <= host.size(); ++labels) {
    const size_t end = std::min(host.find('.', at), host.size());
    last = host.substr(at, end - at);
    if (last.empty() || !IsAlphanumeric(last.front()) || !IsAlphanumeric(last.back())) return false;
    if (!std::ranges::all_of(last, [](char c) { return IsAlphanumeric(c) || c == '-'; })) {
      return false;
    }
    numbers = numbers && last.size() <= 3 && !std::ranges::any_of(last, IsLetter) &&
              last.find('-') == Text::npos && std::stoi(std::string(last)) < 256;
    at = end + 1;
  }
  return IsLetter(last.front()) || (numbers && labels == 4);
}

// user@host:port. An authority of another form has neither user nor host.
void ReadServer(Text authority, Address& address) {
  const size_t sign = authority.find('@');
  const Text user = authority.substr(0, sign == Text::npos ? 0 : sign);
  Text host = authority.substr(sign == Text::npos ? 0 : sign + 1);
  const size_t bracket = host.starts_with('[') ? host.find(']') : Text::npos;
  const size_t colon = host.find(':', bracket == Text::npos ? 0 : bracket);
  if (colon != Text::npos) {
    const Text port = host.substr(colon + 1);
    if (port.find_first_not_of("0123456789") != Text::npos || port.size() > 9) return;
    host = host.substr(0, colon);
  }
  const bool six =
      bracket != Text::npos && bracket + 1 == host.size() &&
      host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdefABCDEF:.") == Text::npos;
  if (!IsMadeOf(user, ";:&=+$,") || !(six || IsHost(host))) return;
  if (sign != Text::npos) address.user = user;
  address.host = host;
}

bool IsScheme(Text scheme) {
  return !scheme.empty() && IsLetter(scheme.front()) && std::ranges::all_of(scheme, [](char c) {
    return IsAlphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
}

// False if it is not an address.
bool ReadAddress(Text text, Address& address) {
  constexpr std::string_view kUric = ";/?:@&=+$,[]";
  const size_t hash = text.find('#');
  if (hash != Text::npos) address.fragment = text.substr(hash + 1);
  text = text.substr(0, hash);
  if (address.fragment && !IsMadeOf(*address.fragment, kUric)) return false;
  const size_t colon = text.find_first_of(":/?");
  if (colon != Text::npos && text[colon] == ':') {
    address.scheme = text.substr(0, colon);
    text = text.substr(colon + 1);
    if (!IsScheme(*address.scheme) || text.empty()) return false;
    // mailto:a@b, which has no parts.
    if (text[0] != '/') return IsMadeOf(text, kUric);
  }
  const size_t mark = text.find('?');
  if (mark != Text::npos) address.query = text.substr(mark + 1);
  text = text.substr(0, mark);
  if (address.query && !IsMadeOf(*address.query, kUric)) return false;
  if (text.starts_with("//")) {
    const size_t end = std::min(text.find('/', 2), text.size());
    const Text authority = text.substr(2, end - 2);
    text = text.substr(end);
    if (authority.empty() && text.empty()) return false;
    if (!authority.empty()) {
      address.authority = authority;
      ReadServer(authority, address);
      if (!address.host && !IsMadeOf(authority, "$,;:@&=+")) return false;
    }
  }
  address.path = text;
  return IsMadeOf(text, "/;:@&=+$,");
}

std::optional<std::string> Copied(const std::optional<Text>& text) {
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::optional<std::string> PartOf(const Address& address, Text part) {
  if (part == "HOST") return Copied(address.host);
  if (part == "PATH") return Copied(address.path);
  if (part == "QUERY") return Copied(address.query);
  if (part == "REF") return Copied(address.fragment);
  if (part == "PROTOCOL") return Copied(address.scheme);
  if (part == "AUTHORITY") return Copied(address.authority);
  if (part == "USERINFO") return Copied(address.user);
  if (part != "FILE" || !address.path) return std::nullopt;
  if (!address.query) return Copied(address.path);
  return std::string(*address.path) + "?" + std::string(*address.query);
}

bool ReadOrFail(Chunk& chunk, Text url, Address& address) {
  if (ReadAddress(url, address)) return true;
  chunk.error = fmt::format("not a URL: '{}'; use try_parse_url()", url.substr(0, 80));
  return false;
}

std::optional<std::string> ParseUrl(Chunk& chunk, Text url, Text part) {
  Address address;
  if (!ReadOrFail(chunk, url, address)) return std::nullopt;
  return PartOf(address, part);
}

std::optional<std::string> TryParseUrl(Chunk&, Text url, Text part) {
  Address address;
  return ReadAddress(url, address) ? PartOf(address, part) : std::nullopt;
}

// The value of the first `key`=value of the query. Spark treats the key as a pattern.
std::optional<std::string> QueryValue(Chunk& chunk, const Address& address, Text key) {
  if (!std::ranges::all_of(key, [](char c) { return IsAlphanumeric(c) || c == '_' || c == '-'; })) {
    chunk.error = fmt::format("parse_url takes a key of letters, digits, _ and - here, not '{}'",
                              key.substr(0, 80));
    return std::nullopt;
  }
  Text rest = address.query.value_or(Text());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const Text pair = rest.substr(0, end);
    if (pair.starts_with(key) && pair.substr(key.size()).starts_with('=')) {
      return std::string(pair.substr(key.size() + 1));
    }
    rest = rest.substr(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

std::optional<std::string> ParseUrlKey(Chunk& chunk, Text url, Text part, Text key) {
  Address address;
  if (!ReadOrFail(chunk, url, address) || part != "QUERY") return std::nullopt;
  return QueryValue(chunk, address, key);
}

std::optional<std::string> TryParseUrlKey(Chunk& chunk, Text url, Text part, Text key) {
  Address address;
  if (!ReadAddress(url, address) || part != "QUERY") return std::nullopt;
  return QueryValue(chunk, address, key);
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&ParseUrl>("pt_parse_url").FailsFor({0}),
    AsRowFunction<&ParseUrlKey>("pt_parse_url_key").FailsFor({0, 2}),
    AsRowFunction<&TryParseUrl>("pt_try_parse_url"),
    AsRowFunction<&TryParseUrlKey>("pt_try_parse_url_key").FailsFor({2}),
    AsRowFunction<&TryUrlDecode>("pt_try_url_decode").FailsFor({0}),
    AsRowFunction<&UrlDecode>("pt_url_decode").FailsFor({0}),
    AsRowFunction<&UrlEncode>("pt_url_encode"),
};

}  // namespace

std::span<const RowFunction> UrlFunctions() { return kFunctions; }

}  // namespace protium
