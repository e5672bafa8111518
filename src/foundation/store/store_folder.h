// SPDX-License-Identifier: Apache-2.0
// The folder of a store: its names, and opening what lies in it without following a link.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "os/fd.h"

namespace protium {

class StoreFolder {
 public:
  // Makes the folder and those in it. It must be the user's own and closed to all others; anything
  // else is a fault of kEnvironment.
  static Result<StoreFolder> Open(std::filesystem::path root);

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path Object(const std::string& cause) const { return ObjectBelow(root_, cause); }
  // Where an object lies in any folder of objects.
  static std::filesystem::path ObjectBelow(const std::filesystem::path& root,
                                           const std::string& cause);
  std::filesystem::path Draft(const std::string& cause) const;
  std::filesystem::path DraftLockOf(const std::string& cause) const;
  std::filesystem::path Ref(const std::string& name) const;
  // A name in the trash that nothing has.
  std::filesystem::path NewTrash(const std::string& cause) const;

  // Opens an object's folder, and a file of an object for reading; none if it is not there. A link,
  // or a file of another user, is a fault of kInput.
  Result<UniqueFd> OpenObject(const std::string& cause) const;
  Result<UniqueFd> OpenFile(const std::string& cause, const std::string& name) const;
  static Result<UniqueFd> OpenFileIn(const UniqueFd& object, const std::string& name);
  static bool IsOwnFile(const struct stat& about);
  // The names of all objects, and of all drafts, whether somebody works at them or not.
  std::vector<std::string> Objects() const;
  std::vector<std::string> Drafts() const;
  // Removes what was given up; no other process needs anything of it.
  void EmptyTrash() const;

  // Bytes of the disk, and those that are free for this user.
  struct Disk {
    int64_t bytes = 0;
    int64_t free = 0;
  };
  Result<Disk> Measure() const;

 private:
  explicit StoreFolder(std::filesystem::path root, UniqueFd fd)
      : root_(std::move(root)), fd_(std::move(fd)) {}

  std::filesystem::path root_;
  UniqueFd fd_;
};

// $PROTIUM_STORE, else $XDG_CACHE_HOME/protium/store, else ~/.cache/protium/store; empty if the
// first is "off", or if none of them is set.
std::filesystem::path DefaultStoreFolder();

// $PROTIUM_STORE_SHARED: a folder that several machines see (shared_tier.h); empty: there is none.
std::filesystem::path SharedStoreFolder();

// The identity of this boot of the machine; empty where the kernel does not say.
std::string ThisBoot();

}  // namespace protium
