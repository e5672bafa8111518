// SPDX-License-Identifier: Apache-2.0
// Tables of databases, spreadsheets and lakes in the embedded database. DuckDB's signed extensions
// read them; they lie in the folder "extensions" beside DuckDB's own library and are never fetched
// from the network.
#pragma once

#include <map>
#include <set>
#include <string>

#include "duckdb/handles.h"
#include "protium/sources.h"
#include "sources/source.h"

namespace protium {

// What one database has opened. Not thread-safe.
class OpenSources {
 public:
  bool Has(const Source& source) const;
  // Makes a source readable as the view SourceView(source) (sql/duckdb/scan.h), whose columns have
  // types that tables carry. Loads the extension and calls the server on the first table of each
  // only. Does nothing for a source that is open. Everything is opened read-only.
  //
  // Must come before external access is switched off. Faults, none of which holds a password:
  // kEnvironment without the extension, kRemote if the server is out of reach or refuses, kInput if
  // there is no such file or table.
  Status Open(const duck::Connection& connection, const Source& source);
  // Opens the database of a source, whatever its table, to read; returns its name as SQL writes it.
  Result<std::string> OpenToRead(const duck::Connection& connection, const Source& source);
  // Returns the source as it stands now (Engine::Pin). Faults as of Open().
  Result<Source> Pin(const duck::Connection& connection, const Source& source);
  // Makes the database of a source writable; returns its name as SQL writes it. A file that is not
  // there is made.
  Result<std::string> OpenToWrite(const duck::Connection& connection, const Source& source);
  // Makes the files at a source's place readable and writable, whatever its kind.
  Status OpenPlace(const duck::Connection& connection, const Source& source);
  // The same, and loads the readers of its kind. Opens no table.
  Status Prepare(const duck::Connection& connection, const Source& source);

 private:
  enum class Access { kRead, kWrite };
  Status AskStore(const duck::Connection& connection, const Source& source);
  Status Load(const duck::Connection& connection, const Source& source,
              const SourceExtensions& needed);
  Status Attach(const duck::Connection& connection, const Source& source, Access access);
  Status AttachServer(const duck::Connection& connection, const Source& source,
                      const std::string& access);

  std::set<std::string> loaded_, attached_, views_;
};

}  // namespace protium
