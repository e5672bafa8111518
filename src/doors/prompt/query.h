// SPDX-License-Identifier: Apache-2.0
// Queries over the tables named by the flags of `protium sql`, with results on stdout. Reads these
// flags: --data, --table, --password-env, --password-file, --null, --delimiter, --rows, --output,
// --engine, --force, --json.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/folder_tables.h"
#include "prompt/statements.h"
#include "protium/session.h"
#include "run/progress.h"
#include "terminal/arguments.h"
#include "terminal/one_file.h"

namespace protium {

// One session for all queries, opened by the first: engines start once, and the types of a table's
// columns are found once, until its file changes. One thread; `arguments` must outlive it.
class Queries {
 public:
  explicit Queries(const Arguments& arguments) : arguments_(arguments) {}

  // Runs one query and prints its rows, as many of the first as --rows says, or writes all to
  // --output. `timed` adds the time it took. Ctrl-C ends it with Exit::kStopped. The first call
  // must be made while no other threads exist (os/signals.h).
  Status Answer(const std::string& sql, bool timed);

  // Names a query, so that later ones can read its rows like those of a table; they are computed
  // each time. A query that is refused, and a name already taken by another view without
  // view.replaces, are faults.
  Status Define(const ViewStatement& view);
  const std::vector<ViewStatement>& views() const { return views_; }

  // Returns the tables of --table, then those of the folder or the database that --data or the
  // second operand names, with other names. The tables of a database are listed once.
  Result<std::vector<TablePlace>> Places();

  // Returns the columns of a table or of a view.
  Result<std::shared_ptr<arrow::Schema>> Columns(const TablePlace& place);
  Result<std::shared_ptr<arrow::Schema>> Columns(const ViewStatement& view);

 private:
  struct Opened {
    DataFrame frame;
    std::filesystem::path path;
    std::string stamp;  // The state of its files when it was opened.
  };

  // What can be said without opening a table.
  Status CheckFlags(const std::string& sql);
  Result<DataFrame> Analysed(const std::string& sql);
  Status OpenSession();
  void CloseIfStale();
  void Close();
  Status Failed(const Status& status);
  Status AddTyped(const std::string& typed, std::vector<TablePlace>& places);
  Status AddBelow(std::vector<TablePlace>& places);
  Result<std::vector<TablePlace>> InDatabase(const std::string& typed);
  DataFrame Open(const TypedPlace& place, const CsvOptions& csv);
  // Calls `act` while handling Ctrl-C and showing the progress bar.
  template <typename Act>
  auto Watched(Act act) -> decltype(act());

  const Arguments& arguments_;
  std::vector<ViewStatement> views_;
  std::mutex mutex_;
  ProgressDisplay* progress_ = nullptr;  // Under mutex_: events come on any thread.
  std::stop_source stop_;                // For session_.
  std::unique_ptr<Scratch> scratch_;
  std::unique_ptr<Session> session_;
  std::map<std::string, Opened> opened_;  // Frames of session_, by the texts of their places.
  std::optional<std::vector<TablePlace>> listed_;  // The tables of a database.
};

}  // namespace protium
