// SPDX-License-Identifier: Apache-2.0
// Who may read. Pages of other sites run in the same browser and can send requests here, so the
// address alone protects nothing:
//
// 1. Host must name this server. A foreign name that was made to resolve to this machine (DNS
//    rebinding) is refused.
// 2. Origin, where a browser sends it, must be this server's; a request of another site's page for
//    data (Sec-Fetch-Site) is refused.
// 3. Beyond loopback a token is needed, as "Authorization: Bearer TOKEN" or as the cookie that
//    Login() gives for it. What is no data holds no secrets and comes without.
#pragma once

#include <optional>
#include <string>

#include "http/exchange.h"

namespace protium {

struct Guard {
  std::string host;  // As given: an address or a name.
  int32_t port = 0;
  std::string token;  // Empty: none is needed.
  std::string verb;   // Of the command that printed the address: "ui".

  // The refusal of a request that must not be answered; none for one that may. `data`: whether it
  // asks for any.
  std::optional<HttpResponse> Check(const HttpRequest& request, bool data) const;

  // The response to a login: the cookie for a right token.
  HttpResponse Login(const HttpRequest& request) const;

 private:
  bool NamesUs(const std::string& authority) const;
  bool HasToken(const HttpRequest& request) const;
  std::string cookie() const;  // Its name. Cookies know no ports, so the name has it.
};

// Whether an address to listen on is one that only programs of this machine reach.
bool IsOwnMachine(const std::string& host);

// What to ask requests for where others than this machine's programs can send them: 32 random bytes
// as hexadecimal digits.
Result<std::string> MakeToken();

}  // namespace protium
