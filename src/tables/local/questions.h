// SPDX-License-Identifier: Apache-2.0
// Asks the embedded database about SELECTs that are not run: their columns, and what becomes of a
// text that a person wrote. What was answered before is not asked again, be it in this process or,
// with a store, in an earlier one: the database is opened only for a question that is new. Only
// answers are remembered; a SELECT with a mistake is asked about every time.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "duckdb/handles.h"
#include "local/database.h"
#include "plan/node.h"
#include "sql/kept_rows.h"
#include "sql/writer.h"
#include "store/input_hashes.h"
#include "store/local_store.h"

namespace protium {

// Answers by the hash of all that decides them. Thread-safe.
class Answers {
 public:
  // Beyond this process they are remembered in `store`, unless it is null.
  explicit Answers(LocalStore* store) : store_(store) {}
  std::optional<std::string> Find(const std::string& name);
  void Put(const std::string& name, const std::string& answer);

 private:
  LocalStore* const store_;
  std::mutex mutex_;
  std::map<std::string, std::string> seen_;
};

// What decides the meaning of SELECTs over `plan` beside their text: the build, the files that they
// open, and what the kept tables hold that they name. Empty if something else does, such as the
// server of a database, or if a file is so young at `now` (nanoseconds since 1970) that it may
// change without a trace.
std::string WhatDecides(const Plan& plan, const std::unordered_map<const Node*, KeptRows>& tables,
                        int64_t now = InputHashes::SystemNow());

// One thread. Connects to the database at the first question that is not answered.
class Questions {
 public:
  // `about` is WhatDecides(); if it is empty, nothing is remembered. `answers` may be null.
  Questions(const Database& database, Answers* answers, std::string about)
      : database_(&database), answers_(about.empty() ? nullptr : answers), about_(about) {}
  // Over a connection that is there anyway; nothing is remembered.
  explicit Questions(const duck::Connection& connection) : connection_(&connection) {}
  Questions(const Questions&) = delete;

  // The schema of a SELECT whose types Arrow has.
  Result<SchemaPtr> Schema(const std::string& select);
  // The SELECT with the types that tables carry: WithPlainTypes().
  Result<std::string> PlainTypes(const std::string& select);
  // What the text of an Sql node becomes over its inputs: ReadSql().
  Result<RelationSql> Read(const Sql& sql, const std::vector<std::string>& inputs);
  // Makes a temporary view of a SELECT that was asked about, for later questions.
  Status View(const std::string& name, const std::string& select);
  // NameSource().
  std::string SourceName(const Source& source);
  // The connection, with all views.
  Result<const duck::Connection*> Connection();

 private:
  // Empty if nothing is remembered; the other two do nothing with such a name.
  std::string NameOf(const std::string& kind, const Json& question) const;
  std::optional<std::string> Remembered(const std::string& name) const;
  void Remember(const std::string& name, const std::string& answer) const;

  const Database* database_ = nullptr;
  Answers* answers_ = nullptr;
  std::string about_;
  std::vector<std::string> views_;  // That were not made yet, as statements.
  duck::Connection own_;
  const duck::Connection* connection_ = nullptr;
};

}  // namespace protium
