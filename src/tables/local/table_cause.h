// SPDX-License-Identifier: Apache-2.0
// What decides the rows of a kept table: everything that, once it changes, may change them. Two
// plans with the same cause have the same rows, whoever runs them and when.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "plan/node.h"
#include "store/input_hashes.h"

namespace protium {

struct CauseFile {
  std::string path;
  std::string of;  // The user's file, if that at `path` is a copy of it in another form.
  InputContent content;
};

struct TableCause {
  // Why the rows may not be kept beyond this process; empty: they may, as far as the plan shows.
  std::string refused;
  Json causes = Json::object();
  // The input files, in the order in which the plan is drawn.
  std::vector<CauseFile> files;
};

// The contents of tables that are kept (KeptRows::content), by their Materialize nodes.
using TableContents = std::unordered_map<const Node*, std::string>;

// The same for the rows of a plan over kept tables: they count by their contents, and what is below
// them does not. There are no files.
TableCause CauseOver(const Plan& plan, const TableContents& contents);

// What decides the rows of every table beside its own plan and contents: the builds, the settings
// and the machine.
Json CausesOfBuild();

// Names the rows of a source by what never changes (local/source_name.h); empty: nothing does.
using SourceNames = std::function<std::string(const Source& source)>;

// Hashes the input files of a Materialize node (those that were not seen before) and describes the
// plan below it by their contents. Paths do not count: a copy in another folder has the same cause.
Result<TableCause> FindCause(const Plan& kept, InputHashes& hashes, const SourceNames& sources);

}  // namespace protium
