// SPDX-License-Identifier: Apache-2.0
// A catalogue of Iceberg tables that speaks Iceberg's REST protocol (REST specification,
// open-api/rest-catalog-open-api.yaml): where a table is now, and what it becomes.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "protium/sources.h"

namespace protium {

// What became of a commit.
enum class CommitAnswer {
  kDone,
  kSlower,   // Refused: the table has changed since it was read.
  kUnknown,  // No answer, or one that leaves it open: it may be done, or may be yet.
};

// Every call ends: a request within two minutes, and one that only asks is repeated four times,
// later each time, where the catalogue is busy or does not answer. Answers of more than 512 MiB are
// refused. Faults are kRemote unless another is named, name the catalogue, and hold no secret.
class RestCatalog {
 public:
  // Asks the catalogue how it wants to be asked. Who asks has the token at the connection's
  // password or, with a `key`, gets one for that client (OAuth 2.0, RFC 6749, "Client Credentials
  // Grant") from its `endpoint`, or from the catalogue itself. Faults are those of ReadPassword(),
  // too.
  static Result<RestCatalog> Open(const Connection& connection);

  // The table's answer: "metadata-location" and "metadata". nullopt: there is no such table.
  // `table` is its name, "sales.scores".
  Result<std::optional<Json>> Load(const std::string& table) const;
  // Makes an empty table; nullopt: there is one already. Fault: kInput without its namespace.
  Result<std::optional<Json>> Create(const std::string& table, const Json& schema) const;
  // Whether the table's namespace is there.
  Result<bool> HasNamespace(const std::string& table) const;
  // Asks for a change (iceberg/commit.h). Faults: what the catalogue refuses for good.
  Result<CommitAnswer> Commit(const std::string& table, const Json& request) const;

 private:
  struct Answer;
  struct Question;
  explicit RestCatalog(Connection connection) : connection_(std::move(connection)) {}
  Status TakeToken(const std::string& secret);
  Answer Ask(const Question& question) const;
  Answer AskAgain(const Question& question) const;
  Status Refused(const Answer& answer) const;
  Result<Json> Body(const Answer& answer) const;
  std::string TableUrl(const std::string& table) const;

  Connection connection_;
  std::string token_;   // Empty: nobody in particular asks.
  std::string prefix_;  // Of paths, as the catalogue wants it.
};

}  // namespace protium
