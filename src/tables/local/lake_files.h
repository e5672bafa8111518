// SPDX-License-Identifier: Apache-2.0
// The files of tables of lakes, here or at an object store: rows as Parquet, and the texts that say
// which of them are the table's.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "duckdb/handles.h"
#include "plan/node.h"
#include "protium/sources.h"
#include "sources/lake_file.h"

namespace protium {

// Writes the rows of a table of the database into new files in the target's folder, which no commit
// names yet, and waits until they are on the disk or at the store. Their names begin with `name`,
// which no other file's does. The values of `partitions` become names of folders. A failure may
// leave files behind.
Result<std::vector<LakeFile>> WriteLakeFiles(const duck::Connection& connection,
                                             const Source& target, const std::string& name,
                                             const std::string& rows,
                                             const std::vector<LakeColumn>& columns,
                                             const std::vector<std::string>& partitions);

// Removes the files of the name from the target's folder, if that is here. At a store they stay, as
// those of any writer that is killed do: other tools remove what no table names.
void RemoveLakeFiles(const Source& target, const std::string& name);

// Gives a finished file here its name, in place of an older one, once it is on the disk.
Status PublishLakeFile(const std::filesystem::path& draft, const std::filesystem::path& target);

// Whose commit it is: of a run and an output there is one. Spark writes the same, since a run may
// be resumed on another engine.
std::string MarkOf(const Store& store);

// Milliseconds since 1970, by this machine's clock.
int64_t MillisNow();

// Makes the file `place` of this text, whole and on the disk or at the store, if there is none; at
// a store its provider is S3 (objects/put_new.h). Returns whether it was made; at a store also
// whether an earlier try of this text was. The database must have been opened with `show_secrets`.
Result<bool> PutLakeFile(const duck::Connection& connection, const Source& target,
                         const std::string& place, std::string_view text);

// Refuses (kInput) rows without a value in a column that is not nullable. `place` is for the
// message.
Status CheckNoNulls(const duck::Connection& connection, const std::string& rows,
                    const std::vector<LakeColumn>& columns, const std::string& place);

}  // namespace protium
