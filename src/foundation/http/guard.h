// SPDX-License-Identifier: Apache-2.0
// Decides who may read. Pages of other sites run in the same browser and can send requests here, so
// listening on loopback alone protects nothing:
//
// 1. Host must name this server. This refuses a foreign name that was made to resolve to this
//    machine (DNS rebinding).
// 2. Origin, if a browser sends it, must be this server's; a request for data from another site's
//    page (Sec-Fetch-Site) is refused.
// 3. Beyond loopback a token is needed, as "Authorization: Bearer TOKEN" or as the cookie that
//    Login() returns for it. Anything but data needs none, because it holds no secrets.
#pragma once

#include <optional>
#include <string>

#include "http/exchange.h"

namespace protium {

struct Guard {
  std::string host;  // As the user gave it: an address or a name.
  int32_t port = 0;
  std::string token;  // Empty: none is needed.
  std::string verb;   // The command that printed the address: "ui".

  // Returns the refusal of a request that is not allowed, nullopt for one that is. `data`: whether
  // it asks for data.
  std::optional<HttpResponse> Check(const HttpRequest& request, bool data) const;

  // The response to a login: sets the cookie if the token is right.
  HttpResponse Login(const HttpRequest& request) const;

 private:
  bool NamesUs(const std::string& authority) const;
  bool HasToken(const HttpRequest& request) const;
  std::string cookie() const;  // Its name contains the port: cookies do not distinguish ports.
};

// Whether only programs on this machine can reach an address to listen on.
bool IsOwnMachine(const std::string& host);

// Makes the token that requests must carry if other machines can send them: 32 random bytes in
// hexadecimal.
Result<std::string> MakeToken();

}  // namespace protium
