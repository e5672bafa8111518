// SPDX-License-Identifier: Apache-2.0
// Tables in the forms that engines do not write themselves: this process writes the rows as the
// engine gives them.
#pragma once

#include <string>
#include <vector>

#include "format/file_form.h"
#include "frame/session_state.h"

namespace protium {

// What a file of this format and name is to be. A name that ends as files of another format do is
// refused (kUsage).
Result<FileForm> FormToWrite(Format format, const std::string& path);

// Writes the rows of the plan to the file `target`, or with `partitions` to the folder `target`;
// returns their number. CSV and Parquet are written by the engine itself, all else by this process.
//
// The folder is year=2013/month=1/part-0.parquet with the form's ending, and takes the place of an
// earlier one of this run whole or not at all; another one that is not empty is refused, whatever
// --force says. Faults (kUsage) come before anything is written: columns that are not there, are
// all there are, or hold neither whole numbers, booleans, dates nor texts. Later ones are an empty
// text, which names no folder, and more than 1,000 folders.
Result<int64_t> WriteFrame(SessionState& session, const Plan& plan, const FileForm& form,
                           const std::string& target, const std::vector<std::string>& partitions);

}  // namespace protium
