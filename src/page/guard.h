// SPDX-License-Identifier: Apache-2.0
// Who may read. Pages of other sites run in the same browser and can send requests here, so the
// address alone protects nothing:
//
// 1. Host must name this server. A foreign name that was made to resolve to this machine (DNS
//    rebinding) is refused.
// 2. Origin, where a browser sends it, must be this server's; a request of another site's page for
//    data (Sec-Fetch-Site) is refused.
// 3. Beyond loopback a token is needed, as "Authorization: Bearer TOKEN" or as the cookie that
//    POST /login gives for it. The page itself holds no secrets and comes without.
#pragma once

#include <optional>
#include <string>

#include "page/exchange.h"

namespace protium {

struct Guard {
  std::string host;  // As given: an address or a name.
  int32_t port = 0;
  std::string token;  // Empty: none is needed.

  // The refusal of a request that must not be answered; none for one that may.
  std::optional<PageAnswer> Check(const PageRequest& request) const;

  // The answer to POST /login: the cookie for a right token.
  PageAnswer Login(const PageRequest& request) const;

 private:
  bool NamesUs(const std::string& authority) const;
  bool HasToken(const PageRequest& request) const;
  std::string cookie() const;  // Its name. Cookies know no ports, so the name has it.
};

}  // namespace protium
