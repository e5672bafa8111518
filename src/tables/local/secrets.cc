// SPDX-License-Identifier: Apache-2.0
#include "local/secrets.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/json.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"

namespace protium {
namespace {

std::string Head(const std::string& name, const std::string& type) {
  return fmt::format("CREATE OR REPLACE TEMPORARY SECRET {} (TYPE {}", DuckDbName(name), type);
}

// A server that does not answer is given up after this, unless its URL says otherwise.
constexpr int kConnectSeconds = 10;

// Where the provider's own tools would look, in their order.
constexpr const char* kChain = "PROVIDER credential_chain, CHAIN 'env;config;sso;process;instance'";

std::string AzureSecret(const StoreAccess& access) {
  if (access.secret.empty()) return ", PROVIDER credential_chain";
  return ", CONNECTION_STRING " + DuckDbText(access.secret);
}

// Stores that are not their provider's own have no names of hosts for their buckets.
std::string KeySecret(const StoreAccess& access) {
  std::string text;
  if (!access.secret.empty()) {
    text += ", KEY_ID " + DuckDbText(access.key) + ", SECRET " + DuckDbText(access.secret);
  } else if (access.provider == "s3" && !access.anonymous) {
    text += std::string(", ") + kChain;
  }
  if (!access.token.empty()) text += ", SESSION_TOKEN " + DuckDbText(access.token);
  if (!access.region.empty()) text += ", REGION " + DuckDbText(access.region);
  if (!access.endpoint.empty()) {
    text += ", URL_STYLE 'path', ENDPOINT " + DuckDbText(access.endpoint);
    text += fmt::format(", USE_SSL {}", access.encrypted);
  }
  return text;
}

}  // namespace

std::string ServerSecret(const Source& source, const ServerUrl& url, const std::string& password,
                         const std::string& name) {
  const int port = url.port == 0 ? RowOf(source.kind).port : url.port;
  std::string secret = Head(name, FieldsToJson(source.kind).get<std::string>());
  secret += fmt::format(", HOST {}, PORT {}, DATABASE {}", DuckDbText(url.host), port,
                        DuckDbText(url.database));
  if (!url.user.empty()) secret += ", USER " + DuckDbText(url.user);
  if (!password.empty()) secret += ", PASSWORD " + DuckDbText(password);
  return secret + ")";
}

std::string ClientOptions(const Source& source, const ServerUrl& url) {
  static const std::vector<std::pair<std::string, std::string>> kMysql = {{"sslmode", "ssl_mode"},
                                                                          {"sslrootcert", "ssl_ca"},
                                                                          {"sslcert", "ssl_cert"},
                                                                          {"sslkey", "ssl_key"}};
  std::string text;
  bool timeout = source.kind != SourceKind::kPostgres;
  for (const auto& [name, value] : url.options) {
    std::string own = name;
    for (const auto& [ours, theirs] : kMysql) {
      if (source.kind == SourceKind::kMysql && name == ours) own = theirs;
    }
    timeout = timeout || name == "connect_timeout";
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", own, value);
  }
  if (!timeout)
    text += fmt::format("{}connect_timeout={}", text.empty() ? "" : " ", kConnectSeconds);
  return text;
}

std::string StoreSecret(const StoreAccess& access, const std::string& name) {
  return Head(name, access.provider) + ", SCOPE " + DuckDbText(access.scope) +
         (access.provider == "azure" ? AzureSecret(access) : KeySecret(access)) + ")";
}

}  // namespace protium
