// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole objects, through Arrow's file systems. Credentials, region and endpoint
// come from the environment and the provider's own configuration, and are neither kept nor shown.
// Every call ends: requests that a store refuses for being busy, or that do not reach it, are tried
// again for some seconds. All faults are of Exit::kRemote, a library that is missing of
// Exit::kEnvironment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "objects/place.h"

namespace arrow::fs {
class FileSystem;
}

namespace protium {

// Ends the clients of all stores when it goes: they must not be used any more. Whoever may open
// stores owns one for as long as the process works.
class ObjectStoresEnd {
 public:
  ObjectStoresEnd() = default;
  ~ObjectStoresEnd();
  ObjectStoresEnd(const ObjectStoresEnd&) = delete;
  ObjectStoresEnd& operator=(const ObjectStoresEnd&) = delete;
};

// Any thread. Names are relative to the place and may have slashes.
class ObjectStore {
 public:
  // Makes no request yet.
  static Result<std::shared_ptr<const ObjectStore>> Open(const ObjectPlace& place);
  // The objects of any other file system below `path`; `place` is what errors call it.
  static std::shared_ptr<const ObjectStore> Over(ObjectPlace place,
                                                 std::shared_ptr<arrow::fs::FileSystem> files,
                                                 std::string path);

  const ObjectPlace& place() const { return place_; }

  // An object appears whole, with its new contents, or stays as it was. `bytes` of the file from
  // `from` on are written; fewer are a fault. `alive` is called now and then; may be empty.
  Status PutText(const std::string& name, std::string_view text) const;
  Status PutFile(const std::string& name, int file, int64_t from, int64_t bytes,
                 const std::function<void()>& alive) const;

  // The contents of an object of at most `cap_bytes`, of one moment even where others replace it
  // meanwhile; nullopt if there is none.
  Result<std::optional<std::string>> GetText(const std::string& name, int64_t cap_bytes) const;
  // Hands the contents of an object that nobody replaces to `take`, piece by piece; false if there
  // is none.
  Result<bool> Get(const std::string& name,
                   const std::function<Status(std::string_view piece)>& take) const;

  // An object that does not exist is no error.
  Status Delete(const std::string& name) const;
  Status DeleteFolder(const std::string& name) const;
  // The names of the objects in a folder, sorted, without those in folders below. What has just
  // been written may be missing.
  Result<std::vector<std::string>> ListNames(const std::string& folder) const;

 private:
  ObjectStore(ObjectPlace place, std::shared_ptr<arrow::fs::FileSystem> files, std::string path)
      : place_(std::move(place)), files_(std::move(files)), path_(std::move(path)) {}
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }
  Status Failed(std::string_view doing, const std::string& name, const Status& status) const;

  ObjectPlace place_;
  std::shared_ptr<arrow::fs::FileSystem> files_;
  std::string path_;
};

}  // namespace protium
