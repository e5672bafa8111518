// SPDX-License-Identifier: Apache-2.0
// What was found in the bytes of a table's files: their SHA-256, and the columns of CSV. Both read
// every byte, so they are kept in the engine's store (Engine::Kept()), under the contents of the
// files as the store knows them: files that were seen before and have not changed are not read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/csv.h"
#include "frame/session_state.h"
#include "store/local_store.h"

namespace protium {

// The files of one table. One thread; `session` must outlive it.
class KeptFiles {
 public:
  // Without a store, with --fresh and for files that cannot be hashed, nothing is known and nothing
  // is kept; what goes wrong with the store is a note.
  KeptFiles(SessionState& session, const Scan& scan);

  // The SHA-256 of the file with this index; empty: not known.
  std::string Sha256(size_t file) const {
    return file < found_.sha256.size() ? found_.sha256[file] : std::string();
  }
  // The columns of CSV files; none: not known.
  const std::optional<CsvTable>& csv() const { return csv_; }
  // Keeps what was found instead, unless a file has changed since. `csv` is null for other formats.
  void Keep(const std::vector<std::string>& sha256, const CsvTable* csv);

 private:
  struct Found {
    std::vector<std::string> sha256;
    Json schema;  // Null: the files are no CSV.
    bool rows_are_lines = false;
    bool loose_numbers = false;
    template <class Visit>
    void Fields(Visit& visit) {
      visit("sha256", sha256);
      visit("schema", schema);
      visit("rows_are_lines", rows_are_lines);
      visit("loose_numbers", loose_numbers);
    }
  };
  Status Look(const Scan& scan);
  Status Take();
  Status Write(const std::string& text);
  void Say(const Status& status);

  SessionState& session_;
  LocalStore* const store_;
  std::vector<std::string> paths_;
  std::vector<InputContent> contents_;
  DraftRequest request_;  // Without a kind if nothing is kept.
  Found found_;
  std::optional<CsvTable> csv_;
};

}  // namespace protium
