// SPDX-License-Identifier: Apache-2.0
// Where a driver and Spark's executors exchange files if they share no file system: a place on an
// object store, below the run's own. Rows, files of tables and outputs lie there as objects, which
// Spark reads and writes by its own connectors; what tasks write into the run folder comes through
// meetings (spark_worker/task_transit.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/call.h"
#include "objects/store.h"
#include "spark_worker/command.h"
#include "transit/transit_folder.h"

namespace protium {

// Thread-safe. Removes the place with everything in it when it goes, also what ranks of an earlier
// driver have written into it, which end some seconds after that.
class RunTransit {
 public:
  // `place` is of one run, whose folder is `root` on this host; what an earlier driver has left
  // there is removed. Empty: returns nullptr.
  static Result<std::unique_ptr<RunTransit>> Make(const std::string& place,
                                                  const std::filesystem::path& root);
  ~RunTransit();
  RunTransit(const RunTransit&) = delete;
  RunTransit& operator=(const RunTransit&) = delete;

  // What workers open to reach the place.
  std::vector<std::filesystem::path> libraries() const;
  // What a command's tasks need to know.
  RunInTransit terms() const { return {place_.text(), root_.string()}; }
  // The driver's side of the meeting of the command's tasks. Its first Exchange() sends what they
  // need; it must come before the tasks.
  std::unique_ptr<TransitFolder> Meet(const SparkCommand& command) const;

  // A folder in the place that does not exist and was not returned before, by its address.
  std::string NewFolder(const std::string& name);
  // Copies a file of this host into the place, unless that was done, and returns its address.
  // Files of one folder remain in one folder.
  Result<std::string> Put(const std::filesystem::path& file);
  // Where Put() copies the files of a folder to.
  std::string AddressOf(const std::filesystem::path& file) const;
  // The names of the objects in a folder.
  Result<std::vector<std::string>> List(const std::string& folder) const;
  // Copies the objects of a folder into `to`, a folder of this host, which replaces what is there.
  Status Bring(const std::string& folder, const std::filesystem::path& to) const;

 private:
  RunTransit(std::shared_ptr<const ObjectStore> run, std::shared_ptr<const ObjectStore> store,
             std::filesystem::path root)
      : run_(std::move(run)),
        store_(std::move(store)),
        place_(store_->place()),
        root_(std::move(root)) {}
  std::string NameOf(const std::string& address) const;
  Status BringFile(const std::string& name, const std::filesystem::path& to) const;

  const std::shared_ptr<const ObjectStore> run_;
  const std::shared_ptr<const ObjectStore> store_;  // Of this driver's part of the place.
  const ObjectPlace place_;
  const std::filesystem::path root_;
  std::mutex mutex_;
  int64_t next_ = 0;
  std::map<std::string, std::string> put_;  // Addresses, by the files' paths.
};

// An address as Spark's connectors take it: Hadoop's for S3 is called s3a. Other texts stay.
std::string ForHadoop(const std::string& address);

// Whether a server said that it has no connector for an object store.
bool LacksConnector(const Status& status);

// The fault of a server that cannot reach the place, for want of a connector or of credentials; any
// other status as it is.
Status ExplainPlace(const Status& status, const std::string& address);

}  // namespace protium
