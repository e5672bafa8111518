// SPDX-License-Identifier: Apache-2.0
// An object of the store that is made of the rows of a plan: looked for, or made and kept. Nothing
// here can fail a run: what goes wrong with the store is a note, and the work is done without it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "frame/session_state.h"
#include "store/local_store.h"

namespace protium {

// One thread. `session` must outlive it.
class KeptWork {
 public:
  // `decides` is what decides the object's contents besides the rows and the builds of our
  // libraries.
  KeptWork(SessionState& session, std::string kind, const Plan& rows, Json decides);

  // The object of an earlier run, compared with its checksums. None if there is none, if the rows
  // have no name, or with --fresh.
  std::optional<StoredObject> Find();
  // Begins the object, after which making() says whether it is ours to make. Waits for nobody: if
  // another process makes it, this run does without.
  void Begin();
  bool making() const { return draft_.has_value(); }
  // Adds a part to what is made.
  void Add(const std::string& part, std::string_view bytes);
  // The same with a finished file of the store's disk.
  void Take(const std::string& part, const std::filesystem::path& file);
  // Publishes what was made since then; nothing if a part could not be added.
  void Keep(Clock::time_point since);
  // Removes the object, which is damaged, and says so.
  void Drop(const Status& why);
  void Say(const Status& status);

  // {"name": `as`, "cause", "causes"} and, of an object that is there, "from" and "made"; null if
  // the rows have no name.
  Json Describe(const std::string& as) const;

  // A name for files of this object, before it is kept; empty if the rows have no name.
  const std::string& name() const { return name_; }
  LocalStore* store() const { return store_; }

 private:
  SessionState& session_;
  LocalStore* store_;  // Null: nothing is kept.
  DraftRequest request_;
  std::string name_;
  std::optional<Draft> draft_;
};

}  // namespace protium
