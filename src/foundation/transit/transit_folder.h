// SPDX-License-Identifier: Apache-2.0
// A folder of this host and those of others that meet at a place on an object store: what each
// writes into its own appears in those of all others that want it.
//
// 1. Each process writes objects of its own, and then its index, which names them; nobody else
//    changes either. Others read indexes, so no listing decides what a file holds.
// 2. Files appear whole (rename(2)), in the order in which they were written; files that grow are
//    appended to. What goes on one side goes on the others.
// 3. A file that was taken is not sent on, unless this process has changed it.
// What is left in the place in the end is for whoever made it to remove.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "objects/store.h"
#include "transit/index.h"

namespace protium {

struct TransitTerms {
  std::filesystem::path folder;  // Exists; belongs to this process alone.
  std::string meeting;           // Those who meet, within the place: a folder of it.
  std::string writer;            // This process: unlike the others of the meeting.
  // What is sent: files, and folders with all that is in them, by their relative paths; "." is
  // everything. Drafts (names with ".partial", or with a dot in front) never are.
  std::vector<std::string> sends = {};
  // Which files of others are taken, and which only grow, by their relative paths. Called on any
  // thread; empty: none.
  std::function<bool(const std::string& path)> takes = {};
  std::function<bool(const std::string& path)> grows = {};
  std::vector<std::string> from = {};  // The writers that files are taken from; empty: all others.
  // The writer that tells the others of each other's files; may be empty. When its files appear,
  // those that it knew of have appeared.
  std::string leader = {};
  std::chrono::milliseconds tick{250};  // Between two exchanges.
};

class TransitFolder {
 public:
  // Makes no request yet.
  static std::unique_ptr<TransitFolder> Make(std::shared_ptr<const ObjectStore> store,
                                             TransitTerms terms);
  ~TransitFolder();
  TransitFolder(const TransitFolder&) = delete;
  TransitFolder& operator=(const TransitFolder&) = delete;

  // Sends what is here and was not sent, then takes what others have sent. What could not be done
  // is done by a later call. Any thread.
  Status Exchange();
  // Exchanges on a thread of its own from now on, until this object goes; errors are tried again.
  void Start();

 private:
  // A file as it was last seen on the disk.
  struct Seen {
    int64_t bytes = -1;
    int64_t changed_ns = 0;
    bool operator==(const Seen&) const = default;
  };
  struct Sent {
    Seen seen;
    TransitFile file;
  };
  struct Taken {
    Seen seen;
    std::vector<TransitPiece> pieces;
    int64_t bytes = 0;
  };
  // Of one other process.
  struct Other {
    std::string index;
    std::map<std::string, Taken> files;
  };
  struct Found {
    std::string path;
    Seen seen;
  };

  TransitFolder(std::shared_ptr<const ObjectStore> store, TransitTerms terms)
      : store_(std::move(store)), terms_(std::move(terms)) {}

  static Result<Seen> Look(const std::filesystem::path& file);
  std::vector<Found> FilesNow() const;
  void AddFile(const std::filesystem::path& file, std::vector<Found>& found) const;
  bool Grows(const std::string& path) const { return terms_.grows && terms_.grows(path); }
  bool IsTaken(const std::string& path, const Seen& seen) const;

  Status Send();
  std::vector<Found> FilesToSend() const;
  Result<bool> SendFile(const Found& found);
  Status SendIndex(const TransitIndex& index, const std::vector<Found>& all);
  void Forget(const std::vector<Found>& left);
  Status AddPiece(TransitFile& sent, int file, int64_t from, int64_t bytes);
  std::string NewObject();
  void DeleteReplaced();

  Status Take();
  Result<std::vector<std::string>> Writers() const;
  Result<std::string> ReadIndexOf(const std::string& writer) const;
  Status TakeFrom(const std::string& writer, const std::string& index);
  Status TakeFile(const TransitFile& file, Taken& taken);
  Status Append(const TransitFile& file, const Taken& taken) const;
  Status Replace(const TransitFile& file) const;
  Status Fetch(const TransitFile& file, int64_t from, int into) const;
  void Drop(const std::string& path, const Taken& taken) const;

  const std::shared_ptr<const ObjectStore> store_;
  const TransitTerms terms_;

  std::mutex mutex_;  // Held by Exchange().
  std::map<std::string, Sent> sent_;
  std::string index_;  // As it was last written.
  int64_t objects_ = 0;
  // Objects that no index names any more, and since when: another may be reading them.
  std::vector<std::pair<std::chrono::steady_clock::time_point, std::string>> replaced_;
  std::map<std::string, Other> others_;

  std::jthread thread_;
};

}  // namespace protium
