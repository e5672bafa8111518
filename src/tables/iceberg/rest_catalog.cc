// SPDX-License-Identifier: Apache-2.0
#include "iceberg/rest_catalog.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "base/mentions.h"
#include "base/percent.h"
#include "http/library.h"
#include "sources/catalog.h"
#include "sources/lake_file.h"
#include "sources/password.h"
#include "sources/source_name.h"

namespace protium {
namespace {

constexpr int kTries = 5;
constexpr time_t kConnectSeconds = 10, kSeconds = 120;
// The metadata of a table with a hundred thousand snapshots.
constexpr size_t kMostBytes = size_t{512} << 20;
constexpr const char* kJson = "application/json";

// The server of an address and the path there.
std::pair<std::string, std::string> Cut(const std::string& address) {
  const size_t slash = address.find('/', address.find("://") + 3);
  if (slash == address.npos) return {address, "/"};
  return {address.substr(0, slash), address.substr(slash)};
}

bool IsBusy(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

std::string Form(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string form;
  for (const auto& [name, value] : fields) {
    form += (form.empty() ? "" : "&") + name + "=" + PercentEncoded(value, "-._~");
  }
  return form;
}

}  // namespace

// A request.
struct RestCatalog::Question {
  std::string method;
  std::string address;
  std::string body = {};
  std::string type = kJson;
};

struct RestCatalog::Answer {
  int status = 0;  // 0: none came.
  std::string body;
  std::string lacks;  // Why none came.
};

Result<RestCatalog> RestCatalog::Open(const Connection& connection) {
  PT_LET(const std::string secret, ReadPassword(connection.password));
  RestCatalog catalog(connection);
  const auto asked = [&]() -> Status {
    PT_TRY(catalog.TakeToken(secret));
    PT_LET(const Json config,
           catalog.Body(catalog.AskAgain({"GET", ConfigAddress(connection.url)})));
    catalog.prefix_ = TextAt(MemberOf(config, "overrides"), "prefix");
    if (catalog.prefix_.empty()) {
      catalog.prefix_ = TextAt(MemberOf(config, "defaults"), "prefix");
    }
    return Status::OK();
  };
  PT_TRY(WithoutPassword(asked(), secret));
  return catalog;
}

// A catalogue that gives tokens itself does so at this path, for this scope (REST specification,
// OAuthTokenResponse).
Status RestCatalog::TakeToken(const std::string& secret) {
  token_ = secret;
  if (connection_.key.empty()) return Status::OK();
  const std::string address = connection_.endpoint.empty()
                                  ? ShowCatalogUrl(connection_.url) + "/v1/oauth/tokens"
                                  : connection_.endpoint;
  token_.clear();
  const Answer answer = AskAgain({.method = "POST",
                                  .address = address,
                                  .body = Form({{"grant_type", "client_credentials"},
                                                {"client_id", connection_.key},
                                                {"client_secret", secret},
                                                {"scope", "catalog"}}),
                                  .type = "application/x-www-form-urlencoded"});
  // What an answer says of a client that is refused may repeat what was sent.
  if (answer.status == 400 || answer.status == 401) {
    return Fail({.exit = Exit::kRemote,
                 .what = fmt::format("the client {} gets no token", connection_.key),
                 .where = address,
                 .why = TextAt(ParseJson(answer.body).ValueOr(Json()), "error"),
                 .fix = "its secret is taken from " + DescribePlace(connection_.password)});
  }
  PT_LET(const Json token, Body(answer));
  token_ = TextAt(token, "access_token");
  if (!token_.empty()) return Status::OK();
  return Fail({.exit = Exit::kRemote,
               .what = "the answer to a client's secret has no token",
               .where = address});
}

RestCatalog::Answer RestCatalog::Ask(const Question& question) const {
  const auto [server, path] = Cut(question.address);
  httplib::Client client(server);
  client.set_connection_timeout(kConnectSeconds);
  client.set_read_timeout(kSeconds);
  client.set_write_timeout(kSeconds);
  httplib::Request request;
  request.method = question.method;
  request.path = path;
  request.body = question.body;
  if (!question.body.empty()) request.headers.emplace("Content-Type", question.type);
  if (!token_.empty()) request.headers.emplace("Authorization", "Bearer " + token_);
  Answer answer;
  request.content_receiver = [&](const char* bytes, size_t count, uint64_t, uint64_t) {
    answer.body.append(bytes, count);
    return answer.body.size() <= kMostBytes;
  };
  const httplib::Result result = client.send(request);
  if (result) {
    answer.status = result->status;
  } else {
    answer.lacks = answer.body.size() > kMostBytes ? "it is longer than 512 MiB"
                                                   : httplib::to_string(result.error());
  }
  return answer;
}

RestCatalog::Answer RestCatalog::AskAgain(const Question& question) const {
  for (int i = 1;; ++i) {
    Answer answer = Ask(question);
    const bool certificate = Mentions(answer.lacks, {"SSL", "longer"});
    const bool busy = answer.status == 0 ? !certificate : IsBusy(answer.status);
    if (i == kTries || !busy) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(50 << i));
  }
}

Status RestCatalog::Refused(const Answer& answer) const {
  Fault fault{.exit = Exit::kRemote, .where = ShowCatalogUrl(connection_.url)};
  if (answer.status == 0) {
    const bool certificate = Mentions(answer.lacks, {"SSL"});
    fault.what = certificate ? "the certificate of the catalogue is not trusted"
                             : "the catalogue does not answer";
    fault.why = answer.lacks == "Connection" ? "no connection is made" : answer.lacks;
    fault.fix = certificate ? "install the certificate of its authority on this machine"
                            : "start it, or correct the url of the connection";
    return Fail(std::move(fault));
  }
  const Json body = ParseJson(answer.body).ValueOr(Json());
  fault.why = TextAt(MemberOf(body, "error"), "message");
  if (answer.status == 401 || answer.status == 403) {
    fault.what = answer.status == 401 ? "the catalogue refuses the token"
                                      : "the catalogue refuses what is asked with this token";
    fault.fix = "the token is taken from " + DescribePlace(connection_.password);
  } else if (IsBusy(answer.status)) {
    fault.what = fmt::format("the catalogue is too busy, or away: it answers {}", answer.status);
  } else {
    fault.what = fmt::format("the catalogue answers {}", answer.status);
  }
  return WithoutPassword(Fail(std::move(fault)), token_);
}

Result<Json> RestCatalog::Body(const Answer& answer) const {
  if (answer.status / 100 != 2) return Refused(answer);
  auto body = ParseJson(answer.body);
  if (body.ok() && body->is_object()) return body;
  return Fail({.exit = Exit::kRemote,
               .what = "the catalogue does not speak Iceberg's REST protocol",
               .where = ShowCatalogUrl(connection_.url)});
}

std::string RestCatalog::TableUrl(const std::string& table) const {
  return TableAddress(connection_.url, prefix_, table);
}

Result<std::optional<Json>> RestCatalog::Load(const std::string& table) const {
  const Answer answer = AskAgain({"GET", TableUrl(table)});
  if (answer.status == 404) return std::nullopt;
  PT_LET(Json body, Body(answer));
  return std::optional(std::move(body));
}

Result<std::optional<Json>> RestCatalog::Create(const std::string& table,
                                                const Json& schema) const {
  Json full = schema;
  full["schema-id"] = 0;
  const std::string url = TableUrl(table);
  const Json request = {{"name", NameParts(table).back()}, {"schema", std::move(full)}};
  const Answer answer = AskAgain({"POST", url.substr(0, url.rfind('/')), Dump(request)});
  if (answer.status == 409) return std::nullopt;
  if (answer.status == 404) {
    return Fail({.exit = Exit::kInput,
                 .what = "the catalogue has no namespace for the table \"" + table + "\"",
                 .where = ShowCatalogUrl(connection_.url),
                 .fix = "make it there, or name another"});
  }
  PT_LET(Json body, Body(answer));
  return std::optional(std::move(body));
}

Result<bool> RestCatalog::HasNamespace(const std::string& table) const {
  const std::string url = TableUrl(table);
  const Answer answer = AskAgain({"GET", url.substr(0, url.rfind("/tables/"))});
  if (answer.status == 404) return false;
  PT_TRY(Body(answer).status());
  return true;
}

// A conflict is an answer; other refusals are final. Whatever else came back, or did not, says
// nothing about the table (REST specification, CommitStateUnknownException).
Result<CommitAnswer> RestCatalog::Commit(const std::string& table, const Json& request) const {
  const Answer answer = Ask({"POST", TableUrl(table), Dump(request)});
  if (answer.status / 100 == 2) return CommitAnswer::kDone;
  if (answer.status == 409) return CommitAnswer::kSlower;
  if (answer.status / 100 == 4 && answer.status != 408 && answer.status != 429) {
    return Refused(answer);
  }
  return CommitAnswer::kUnknown;
}

}  // namespace protium
