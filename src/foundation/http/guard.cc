// SPDX-License-Identifier: Apache-2.0
#include "http/guard.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>

#include "base/fault.h"
#include "base/text.h"

namespace protium {

namespace {

// Takes the same time wherever the two differ, so that the time reveals nothing about the token.
bool SameSecret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  }
  return different == 0;
}

// The value of a cookie in "a=1; b=2".
std::string CookieIn(const std::string& header, const std::string& name) {
  for (size_t at = 0; at < header.size();) {
    const size_t end = std::min(header.find(';', at), header.size());
    std::string_view each(header.data() + at, end - at);
    while (each.starts_with(' ')) each.remove_prefix(1);
    if (each.starts_with(name + "=")) return std::string(each.substr(name.size() + 1));
    at = end + 1;
  }
  return {};
}

}  // namespace

// Beyond loopback this machine has more names than it knows. The token protects all of them: its
// cookie belongs to the name under which it was set.
bool Guard::NamesUs(const std::string& authority) const {
  const std::string end = fmt::format(":{}", port);
  std::string name = Lower(authority);
  if (!name.ends_with(end)) {
    if (port != 80) return false;  // An omitted port is 80.
  } else {
    name.resize(name.size() - end.size());
  }
  if (!token.empty()) return !name.empty();
  return name == Lower(host) || name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

std::string Guard::cookie() const { return fmt::format("protium-{}", port); }

bool Guard::HasToken(const HttpRequest& request) const {
  if (token.empty()) return true;
  const std::string& shown = request.Header("authorization");
  if (shown.starts_with("Bearer ")) return SameSecret(shown.substr(7), token);
  return SameSecret(CookieIn(request.Header("cookie"), cookie()), token);
}

std::optional<HttpResponse> Guard::Check(const HttpRequest& request, bool asks) const {
  const std::string& authority = request.Header("host");
  if (!NamesUs(authority)) {
    return Refusal(403, {.what = fmt::format("\"{}\" is not the name of this server", authority),
                         .fix = fmt::format("open the address that protium {} printed", verb)});
  }
  const std::string& origin = request.Header("origin");
  const bool data = asks || request.method != "GET";
  const std::string& site = request.Header("sec-fetch-site");
  const bool foreign = !site.empty() && site != "same-origin" && site != "none";
  if ((!origin.empty() && origin != "http://" + authority) || (data && foreign)) {
    return Refusal(403, {.what = "a page of another site asks for data",
                         .fix = fmt::format("open the address that protium {} printed", verb)});
  }
  if (!asks || HasToken(request)) return std::nullopt;
  return Refusal(401,
                 {.what = "the token is missing or wrong",
                  .fix = fmt::format("open the address with #token=... that protium {} printed, or "
                                     "send Authorization: Bearer with it",
                                     verb)});
}

HttpResponse Guard::Login(const HttpRequest& request) const {
  if (!HasToken(request)) {
    return Refusal(401, {.what = "this is not the token of the server that runs now",
                         .fix = fmt::format("take the one that protium {} printed last", verb)});
  }
  HttpResponse response = JsonResponse({{"ok", true}});
  if (token.empty()) return response;
  response.headers.emplace_back(
      "Set-Cookie",
      fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000", cookie(), token));
  return response;
}

bool IsOwnMachine(const std::string& host) {
  return host.starts_with("127.") || host == "localhost";
}

Result<std::string> MakeToken() {
  unsigned char bytes[32] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
    return Fail({.exit = Exit::kEnvironment, .what = "this machine gives no random bytes"});
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace protium
