// SPDX-License-Identifier: Apache-2.0
// The run or model that a user names, in a local folder of runs or on an object store. What lies on
// a store is brought into the cache (mirror/bring.h) and read there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"
#include "mirror/bring.h"
#include "objects/place.h"
#include "terminal/arguments.h"

namespace protium {

// `place` is where the run lies, if that is an object store; `path` is then its copy.
struct NamedRun {
  std::filesystem::path path;
  std::optional<ObjectPlace> place;
};

// Finds a run by its address on a store, or in --runs-dir as FindRun() does. Of a run on a store
// brings `parts`.
Result<NamedRun> FindNamedRun(const Arguments& arguments, const std::string& what, Parts parts);

// The same for FindModel(); on a store "RUN" or "RUN/model".
Result<std::filesystem::path> FindNamedModel(const Arguments& arguments, const std::string& what);

// The folder of runs that --runs-dir means. On a store: brings the facts of all its runs.
Result<std::filesystem::path> FindRuns(const Arguments& arguments);
// The same without asking the store: what is known here.
std::filesystem::path KnownRuns(const Arguments& arguments);

// Where --runs-dir is, if on a store.
Result<std::optional<ObjectPlace>> RunsPlace(const Arguments& arguments);

// Prints whom a command waits for, before it writes a run on a store.
void NoteWait(const Attempt& attempt);

}  // namespace protium
