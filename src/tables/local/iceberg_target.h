// SPDX-License-Identifier: Apache-2.0
// An Iceberg table that rows are written into: what its catalogue says of it, and where it lies.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "iceberg/rest_catalog.h"
#include "iceberg/table.h"
#include "plan/node.h"
#include "protium/sources.h"

namespace protium {

class IcebergTarget {
 public:
  // `target` is of a catalogue (IsOfCatalog), and outlives this.
  static Result<IcebergTarget> Open(const Source& target);

  // Reads what the catalogue says now; nullopt: there is no such table. Refuses one that is not
  // written here (iceberg/table.h), or lies where nothing is written.
  Result<std::optional<IcebergTable>> Read() const;
  // The table, which is made if there is none. Another writer may be faster.
  Result<IcebergTable> ReadOrMake(const arrow::Schema& rows) const;

  // The folder of the table as a source whose files can be opened.
  Source At(const std::string& folder) const;

  const RestCatalog& catalog() const { return catalog_; }
  std::string place() const;

 private:
  IcebergTarget(RestCatalog catalog, const Source& target)
      : catalog_(std::move(catalog)), target_(target) {}
  Result<std::optional<IcebergTable>> TableIn(const std::optional<Json>& answer) const;

  RestCatalog catalog_;
  const Source& target_;
};

}  // namespace protium
