// SPDX-License-Identifier: Apache-2.0
// The rows that an upsert takes out of a table before others take their places.
#pragma once

#include <string>

#include "duckdb/handles.h"
#include "plan/node.h"

namespace protium {

// Refuses (kInput) rows of which two have the same key, or one has NULL in it. Opens nothing.
Status CheckRowKeys(const duck::Connection& connection, const Store& store,
                    const std::string& rows);

// The keys of the new rows beside the table that they go into. A server compares them itself, since
// DuckDB would read its whole table for that, and cannot delete so from MySQL; for a server they go
// into a table of their own, whose name no other run has.
class UpsertKeys {
 public:
  // `database`: its name as DuckDB's SQL writes it; `table`: the qualified name of the table, which
  // exists.
  UpsertKeys(const duck::Connection& connection, const Store& store, std::string database,
             std::string table);
  // Makes the server's table of keys. Before the transaction: MySQL commits when a table is made.
  Status Make();
  // Deletes the rows with the keys of `rows`, in the transaction.
  Status Delete(const std::string& rows);
  // Drops the server's table of keys; after the transaction.
  Status Drop();

 private:
  Status OnServer(const std::string& sql);

  const duck::Connection& connection_;
  const Store& store_;
  const bool server_;
  std::string table_, keys_;                // As DuckDB's SQL writes them.
  std::string native_table_, native_keys_;  // As the server's own SQL does.
};

}  // namespace protium
