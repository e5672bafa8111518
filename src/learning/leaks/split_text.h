// SPDX-License-Identifier: Apache-2.0
// The sentences on rows and groups that are on both sides of a split. What to write against it is
// added by whoever knows how the split was made.
#pragma once

#include <string>

#include "leaks/shared_groups.h"
#include "leaks/twin_rows.h"

namespace protium {

// "3.1% of the test rows have the inputs and the label of a training row: the model may remember
// them". `part`: "test" or "validation"; `sample` follows what was counted, if that is not all.
std::string TwinText(const TwinRows& twins, const std::string& part,
                     const std::string& sample = "");

// "98% of the test rows have a patient_id that training rows have, too, and rows of one patient_id
// are alike (intraclass correlation 0.5): the model is not tested on new ones".
std::string GroupText(const SharedGroups& groups, const std::string& column,
                      const std::string& part = "test");

}  // namespace protium
