// SPDX-License-Identifier: Apache-2.0
#include "local/store_key.h"

#include <sstream>
#include <string>

#include "base/fault.h"
#include "sources/object_store.h"
#include "sql/duckdb/quoted.h"

namespace protium {
namespace {

// DuckDB writes a secret as "name=x;type=s3;key_id=...;secret=...".
void ReadSecret(const std::string& text, S3Access& access) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const size_t equals = part.find('=');
    if (equals == part.npos) continue;
    const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    if (name == "key_id") access.key = value;
    if (name == "secret") access.secret = value;
    if (name == "session_token") access.token = value;
    if (name == "region" && access.region.empty()) access.region = value;
  }
}

}  // namespace

Result<S3Access> FindStoreKey(const duck::Connection& connection, const Source& source) {
  PT_LET(const StoreAccess found, ReadStoreAccess(source));
  S3Access access{
      .key = found.key, .secret = found.secret, .token = found.token, .region = found.region};
  if (!found.endpoint.empty()) {
    access.endpoint = (found.encrypted ? "https://" : "http://") + found.endpoint;
  }
  if (access.secret.empty() && !found.anonymous) {
    const auto text =
        duck::AskText(connection,
                      "SELECT secret_string FROM duckdb_secrets(redact := false) WHERE "
                      "name = lower(" +
                          DuckDbText("pt_" + found.scope) + ")");
    if (text.ok()) ReadSecret(*text, access);
  }
  if (!access.secret.empty()) return access;
  return Fail({.exit = Exit::kUsage,
               .what = "a table at an object store is not written without a key",
               .where = source.file,
               .why = "the key is taken from " + found.found,
               .fix = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write a connection"});
}

}  // namespace protium
