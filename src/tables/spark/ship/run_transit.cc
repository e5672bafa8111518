// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/run_transit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/fault.h"
#include "base/mentions.h"
#include "objects/open.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/publish.h"
#include "os/random_letters.h"
#include "spark_worker/task_transit.h"

namespace protium {

namespace fs = std::filesystem;

Result<std::unique_ptr<RunTransit>> RunTransit::Make(const std::string& place,
                                                     const fs::path& root) {
  if (place.empty()) return std::unique_ptr<RunTransit>();
  PT_LET(const ObjectPlace whole, ObjectPlace::Parse(place));
  PT_LET(auto run, ObjectStore::Open(whole.parent()));
  PT_TRY(run->DeleteFolder(whole.name()));
  // Of its own: tasks of an earlier driver may still be at work.
  PT_LET(auto store, ObjectStore::Open(whole / RandomLetters(8)));
  return std::unique_ptr<RunTransit>(
      new RunTransit(std::move(run), std::move(store), fs::absolute(root)));
}

RunTransit::~RunTransit() { (void)run_->DeleteFolder(place_.parent().name()); }

std::vector<fs::path> RunTransit::libraries() const { return LibrariesFor(place_); }

std::unique_ptr<TransitFolder> RunTransit::Meet(const SparkCommand& command) const {
  return TransitFolder::Make(store_, {.folder = root_,
                                      .meeting = MeetingOf(command.events),
                                      .writer = kDriverInTransit,
                                      .sends = SentFor(command),
                                      .takes = [](const std::string&) { return true; },
                                      .grows = GrowsInTransit});
}

std::string RunTransit::NewFolder(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return (place_ / fmt::format("rows/{:03}-{}", next_++, name)).text();
}

std::string RunTransit::AddressOf(const fs::path& file) const {
  return (place_ / ("files" + fs::absolute(file).lexically_normal().string())).text();
}

Result<std::string> RunTransit::Put(const fs::path& file) {
  std::string address = AddressOf(file);
  const std::lock_guard lock(mutex_);
  if (put_.contains(file.string())) return address;
  const UniqueFd from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!from || ::fstat(from.get(), &about) != 0) return SystemFault("read " + file.string(), errno);
  PT_TRY(store_->PutFile(NameOf(address), from.get(), 0, about.st_size, {}));
  put_.emplace(file.string(), address);
  return address;
}

std::string RunTransit::NameOf(const std::string& address) const {
  return address.substr(place_.text().size() + 1);
}

Result<std::vector<std::string>> RunTransit::List(const std::string& folder) const {
  return store_->ListNames(NameOf(folder));
}

Status RunTransit::Bring(const std::string& folder, const fs::path& to) const {
  PT_LET(const auto names, List(folder));
  PT_TRY(MakeFolder(to.parent_path()));
  return WriteFolder(to, [&](const fs::path& draft) -> Status {
    for (const std::string& each : names) {
      PT_TRY(BringFile(NameOf(folder) + "/" + each, draft / each));
    }
    return Status::OK();
  });
}

Status RunTransit::BringFile(const std::string& name, const fs::path& to) const {
  PT_LET(AtomicFile file, AtomicFile::Make(to));
  PT_LET(const bool found,
         store_->Get(name, [&](std::string_view piece) { return file.Write(piece); }));
  if (!found) {
    return Fail({.exit = Exit::kRemote, .what = (place_ / name).text() + " is gone"});
  }
  return file.Commit();
}

std::string ForHadoop(const std::string& address) {
  return address.starts_with("s3://") ? "s3a" + address.substr(2) : address;
}

bool LacksConnector(const Status& status) {
  if (status.ok()) return false;
  const Fault fault = FaultOf(status);
  const std::string text = fault.what + fault.why;
  // It says the same of a format that it lacks.
  if (Mentions(text, {"DATA_SOURCE_NOT_FOUND"})) return false;
  return Mentions(text, {"ClassNotFoundException", "No FileSystem for scheme",
                         "UnsupportedFileSystemException"});
}

Status ExplainPlace(const Status& status, const std::string& address) {
  if (!IsOnStore(address) || !LacksConnector(status)) return status;
  return Fail({.exit = Exit::kEnvironment,
               .what = "Spark's server has no connector for " + address,
               .why = FaultOf(status).what,
               .fix = "start the server with the connector of its Hadoop, such as --packages "
                      "org.apache.hadoop:hadoop-aws:3.4.1 for S3, or use a runs folder that all "
                      "hosts share",
               .kept = "nothing was trained"});
}

}  // namespace protium
