// SPDX-License-Identifier: Apache-2.0
// Tables of databases and lakes as relations that Spark reads itself.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "connect/session.h"
#include "protium/sources.h"
#include "spark/sources/embedded.h"
#include "spark/sources/jdbc.h"
#include "spark/sources/store_keys.h"

namespace protium {

// What one session has opened. Thread-safe.
class SourceTables {
 public:
  // `embedded` finds the columns of lakes and of files at object stores.
  SourceTables(SparkSession& session, StoreKeys& keys, Embedded& embedded)
      : session_(session), keys_(keys), embedded_(embedded) {}

  // Returns a relation of the source's rows, whose columns have the types of docs/sources.md. Asks
  // the database for its columns on the first call for each source, and makes a view of the session
  // of it: a password is in the messages of that call, and in none after it.
  //
  // Faults, none of which holds a password: kEnvironment if the server lacks what reads the source,
  // with the line that adds it; kRemote if it is out of reach or refuses; kInput without the table;
  // kUsage for what Spark cannot read as the embedded engine does.
  Result<connect::Relation> Open(const Source& source, const Call& call);

 private:
  Result<connect::Relation> OpenNew(const Source& source, const Call& call);
  Result<connect::Relation> OpenLake(const Source& source, const Call& call);
  Result<connect::Relation> OpenDatabase(const Source& source, const Call& call);
  Result<connect::Relation> ReadWith(const Source& source, const connect::Options& options,
                                     const Call& call);
  Result<connect::Relation> AsView(const std::string& name, const connect::Relation& relation,
                                   const Call& call);
  Status HidePasswords(const Call& call);

  SparkSession& session_;
  StoreKeys& keys_;
  Embedded& embedded_;
  std::mutex mutex_;                               // Guards the rest.
  std::map<std::string, connect::Relation> open_;  // By SourceKey().
  bool hides_passwords_ = false;
};

}  // namespace protium
