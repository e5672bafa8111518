// SPDX-License-Identifier: Apache-2.0
// A folder as the source of a stream: files are read whole, in the order of their times and names,
// each once.
//
// A stretch is {"files": [{"name", "bytes", "changed_ns", "inode", "born_ns", "xxh3", "from", "to",
// "end"}, ...]}: events `from` up to and without `to` of each file; "end" says that the file has no
// more, "refused" that it was not read (2).
//
// 1. A file is known by its inode and birth. Under another name (renamed, linked) or touched it is
//    the same, and skipped; another file under a name that was read before is new.
// 2. A file that changes after it was read, such as one that grows, is one dead letter and not read
//    again: which of its events are new cannot be known.
// 3. Names of files that are gone are forgotten, so memory follows the number of files that are
//    there.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flow/flow.h"
#include "stream/event_reader.h"
#include "stream/folder_watch.h"

namespace protium {

struct FolderSourceOptions {
  std::filesystem::path folder;
  std::string pattern = "*";
  ReadFiles after = ReadFiles::kKeep;
  EventForm form;
  // Next() also waits for files that settle before it says that nothing came.
  bool settle = false;
  // Notified of what a person should know, such as ignored columns.
  std::function<void(const std::string&)> note;
};

class FolderSource : public StreamSource {
 public:
  static Result<std::unique_ptr<FolderSource>> Open(FolderSourceOptions options);

  const SchemaPtr& schema() const override { return options_.form.columns; }
  Status Start(const StreamPast& past) override;
  Result<Json> Next(const BatchLimits& limits, std::chrono::milliseconds patience,
                    const std::stop_token& stop) override;
  Result<StreamRows> Read(const Json& stretch) override;
  Status Done(const Json& stretch) override;
  Json State() const override;
  Result<StreamLag> Lag() override;

 private:
  // What was read of a file.
  struct Known {
    FoundFile file;
    std::string hash;
    bool ended = false;
    int64_t to = 0;  // The first event that was not read, unless it has ended.
  };
  using Identity = std::pair<int64_t, int64_t>;  // Inode and birth.
  // The file that is being read.
  struct Current {
    FoundFile found;
    std::string hash;
    std::unique_ptr<EventReader> events;  // Null: it is refused.
    int64_t at = 0;
  };
  // The batch that Next() put together.
  struct Gathered {
    Json files = Json::array();
    std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
    StreamRows rows;
    int64_t records = 0;
    void Add(StreamRows more, int64_t changed_ns);
  };

  FolderSource(FolderSourceOptions options, std::unique_ptr<FolderWatch> watch)
      : options_(std::move(options)), watch_(std::move(watch)) {}
  bool IsKnown(const FoundFile& file) const;
  // What was read of this file, whatever it is called now; null: nothing.
  const Known* FindKnown(const FoundFile& file) const;
  void Learn(const Json& piece);
  void Forget();
  Status OpenNext();
  Status OpenAt(const FoundFile& file, const std::string& hash, int64_t at);
  Status Take(int64_t most, Gathered& gathered);
  Status ReadPiece(const Json& piece, Gathered& gathered) const;
  Result<StreamRows> Finish(Gathered gathered) const;

  FolderSourceOptions options_;
  std::unique_ptr<FolderWatch> watch_;
  std::map<std::string, Known> known_;     // By name.
  std::map<Identity, std::string> names_;  // In known_.
  size_t forget_at_ = 1000;
  std::deque<FoundFile> waiting_;  // Whole, in order, not read yet.
  std::set<std::string> waiting_names_;
  std::optional<Current> current_;
  Json gathered_;                   // The stretch that Next() returned last,
  std::optional<StreamRows> rows_;  // and its rows.
};

}  // namespace protium
