// SPDX-License-Identifier: Apache-2.0
// Writes tables in the forms that engines do not write themselves: this process writes the rows
// that the engine returns.
#pragma once

#include <string>
#include <vector>

#include "format/file_form.h"
#include "frame/session_state.h"

namespace protium {

// Returns the form for a file of this format and name. A name with another format's ending is
// refused (kUsage).
Result<FileForm> FormToWrite(Format format, const std::string& path);

// Writes the rows of the plan to the file `target`, or with `partitions` to the folder `target`;
// returns their number. The engine itself writes CSV and Parquet, this process everything else.
//
// The folder is year=2013/month=1/part-0.parquet with the form's ending, and replaces an earlier
// one of this run whole or not at all; another folder that is not empty is refused, even with
// --force. Faults (kUsage) before anything is written: partition columns that do not exist, that
// are all columns, or that hold other values than whole numbers, booleans, dates and texts. Later
// faults: an empty text, which cannot name a folder, and more than 1,000 folders.
Result<int64_t> WriteFrame(SessionState& session, const Plan& plan, const FileForm& form,
                           const std::string& target, const std::vector<std::string>& partitions);

}  // namespace protium
